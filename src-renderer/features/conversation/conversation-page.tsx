import { EmptyState } from '../../ui/empty-state.js';
import { Page } from '../../ui/page.js';

export function ConversationPage() {
  return (
    <Page title="Conversation">
      <EmptyState title="No conversation yet">Ask for something, and see each step before it happens.</EmptyState>
    </Page>
  );
}
