import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function ComposePage() {
  return (
    <Page title="Compose">
      <EmptyState title="No calls yet">Choose a tool to build a batch.</EmptyState>
    </Page>
  );
}
