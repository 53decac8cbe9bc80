import { Page } from '../../ui/page.js';

export function ToolsPage() {
  return <Page title="Tools">{null}</Page>;
}
