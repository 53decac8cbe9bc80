import type { CallSummary, Confinement, Door } from '#contract/vocabulary/calls.js';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import { stateWord } from '../../ui/text/marks.js';

/** What a call is doing, in a word or two. */
export function wordFor(call: CallSummary): string {
  if (call.awaiting === 'decision') return 'Waiting for you';
  if (call.awaiting === 'result') return 'Waiting for its result';
  if (call.code === 'Timeout') return 'Timed out';
  if (call.outcome === 'interrupted') return 'Interrupted';
  return stateWord(call.display);
}

/** Who asked. An agent's name is its token's; what its client says of itself stands beside, as that. */
export function askerWords(door: Door, said: string | null, agent: string | null): string {
  const client = agent === null || said === null ? (agent ?? said) : `${agent} (calls itself ${said})`;
  switch (door) {
    case 'mcp':
      return client === null ? 'An MCP client' : `${client} via MCP`;
    case 'compose':
      return 'Compose';
    case 'window':
      return 'You';
    case 'conversation':
      return client === null ? 'Conversation' : `Conversation: ${client}`;
    case 'gateway':
      return client === null ? 'The gateway' : `${client} via the gateway`;
  }
}

const CONFINEMENTS: Readonly<Record<Confinement, string>> = {
  confined: 'Confined: this workspace only, no network',
  network: 'Confined to this workspace, with network through a proxy',
  unconfined: 'Not confined: it could reach everything you can',
};
export const confinementWords = (confinement: Confinement): string => CONFINEMENTS[confinement];

const STATES: Readonly<Record<LifecycleState, string>> = {
  DECLARED: 'Asked for',
  VALIDATED: 'Checked',
  AUTHORIZED: 'Approved',
  EXECUTING: 'Started',
  COMPLETED: 'Completed',
  FAILED: 'Failed',
  DENIED: 'Denied',
  ABORTED: 'Ended early',
  ROLLED_BACK: 'Its file changes were taken back',
};
export const lifecycleWords = (state: LifecycleState): string => STATES[state];
