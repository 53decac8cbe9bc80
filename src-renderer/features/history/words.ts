import type { CallSummary, Door } from '#contract/vocabulary/calls.js';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';

const STATE_WORDS: Readonly<Record<LifecycleState, string>> = {
  DECLARED: 'Received',
  VALIDATED: 'Waiting',
  AUTHORIZED: 'Approved',
  EXECUTING: 'Running',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  DENIED: 'Denied',
  ABORTED: 'Stopped',
  ROLLED_BACK: 'Rolled back',
};

export const lifecycleWord = (state: LifecycleState): string => STATE_WORDS[state];

const DOOR_WORDS: Readonly<Record<Door, string>> = {
  mcp: 'MCP',
  compose: 'Compose',
  window: 'By yourself',
  conversation: 'Conversation',
  gateway: 'Gateway',
};

export const doorWord = (door: Door): string => DOOR_WORDS[door];

/** Who asked: “Claude Code 2.1 · MCP”, or just the door. */
export const askerWord = ({ door, client }: Pick<CallSummary, 'door' | 'client'>): string =>
  client === null ? doorWord(door) : `${client} · ${doorWord(door)}`;

/** One word for how it stands, with the code where there is one: “Denied: DeniedByPerson”. */
export function outcomeWord(call: CallSummary): string {
  if (call.awaiting === 'decision') return 'Waits for you';
  if (call.awaiting === 'result') return 'Waits for a result';
  const word = lifecycleWord(call.state);
  return call.code === null ? word : `${word} (${call.code})`;
}
