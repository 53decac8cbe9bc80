import { Page } from '../../ui/page.js';

export function HealthPage() {
  return <Page title="Health">{null}</Page>;
}
