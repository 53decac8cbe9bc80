import { Page } from '../../ui/page.js';

export function HistoryPage() {
  return <Page title="History">{null}</Page>;
}
