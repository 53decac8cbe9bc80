import type { MessageFoot } from '#contract/vocabulary/conversation/conversation.js';
import { formatCount, formatDuration } from '../../../ui/text/format.js';

/** Words an answer's usage in a line; figures that its provider does not tell are left out. */
export function describeUsage({ inputTokens, outputTokens, durationMs, cost }: Omit<MessageFoot, 'model'>): string {
  return [
    inputTokens === null ? null : `${formatCount(inputTokens)} tokens in`,
    outputTokens === null ? null : `${formatCount(outputTokens)} out`,
    formatDuration(durationMs),
    cost === null ? null : formatCost(cost),
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** A tenth of a cent is still told. */
function formatCost(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.001 ? 'under $0.001' : `$${dollars.toFixed(dollars < 1 ? 3 : 2)}`;
}
