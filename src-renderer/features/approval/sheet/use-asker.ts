import { describeAsker } from '#contract/vocabulary/call-labels.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { useConversationTitle } from '../../../store/conversations.js';

/** The longest title that is shown: a title is a sentence of the person's, and here it is in one of ours. */
const MAX_TITLE_LENGTH = 80;

interface AskerText {
  readonly short: string;
  /** The asker with the name that its client gives itself besides. */
  readonly whole: string;
}

/** Words the asker, a conversation by its title. */
export function useAsker(request: ApprovalRequest | null): AskerText {
  const conversation = request?.door === 'conversation' ? request.session : null;
  const title = useConversationTitle(request?.workspace ?? '', conversation) ?? '';
  if (request === null) return { short: '', whole: '' };
  const { door, client, agent } = request;
  const said = title === '' ? client : toVisibleLine(title, MAX_TITLE_LENGTH);
  return {
    short: describeAsker(door, agent === null ? said : null, agent, request),
    whole: describeAsker(door, said, agent, request),
  };
}
