import type { CallSummary, Confinement, Credential, Door } from './calls.js';
import type { CallDisplayState, LifecycleState } from './lifecycle.js';

/** The words for a call: the only ones, in lists, cards, filters, the timeline, charts and what askers are told. */

interface StateWords {
  /** Where a call in this state stands. */
  readonly stands: string;
  /** What happened when it came there, as a line of its timeline. */
  readonly step: string;
}

export const STATE_WORDS: Readonly<Record<LifecycleState, StateWords>> = {
  DECLARED: { stands: 'Received', step: 'Asked for' },
  VALIDATED: { stands: 'Waiting', step: 'Checked' },
  AUTHORIZED: { stands: 'Approved', step: 'Approved' },
  EXECUTING: { stands: 'Running', step: 'Started' },
  COMPLETED: { stands: 'Completed', step: 'Completed' },
  FAILED: { stands: 'Failed', step: 'Failed' },
  DENIED: { stands: 'Denied', step: 'Denied' },
  ABORTED: { stands: 'Stopped', step: 'Ended early' },
  ROLLED_BACK: { stands: 'Rolled back', step: 'Its file changes were taken back' },
};

/** What a call looks like, where only that is said. */
export const DISPLAY_WORDS = {
  pending: 'Pending',
  executing: STATE_WORDS.EXECUTING.stands,
  completed: STATE_WORDS.COMPLETED.stands,
  failed: STATE_WORDS.FAILED.stands,
  denied: STATE_WORDS.DENIED.stands,
  cancelled: 'Cancelled',
} as const satisfies Readonly<Record<CallDisplayState, string>>;

/** What a call waits for: said to the person who can end the wait, and to whoever asked for the call. */
export const AWAITING_WORDS = {
  decision: { person: 'Waiting for you', asker: 'Waiting for the person to decide in Gatehouse' },
  result: { person: 'Waiting for its result', asker: 'Waiting for the person to supply the result in Gatehouse' },
} as const satisfies Readonly<Record<NonNullable<CallSummary['awaiting']>, { person: string; asker: string }>>;

/** Decided, and not yet begun: as many run as may. */
export const QUEUED_WORDS = { asker: 'Waiting for a place to run in' } as const;

type Shown = Pick<CallSummary, 'awaiting' | 'code' | 'outcome' | 'display' | 'state'>;

/** What a call is doing or how it ended, in a word or two. */
export function callWord({ awaiting, code, outcome, display }: Shown): string {
  if (awaiting !== null) return AWAITING_WORDS[awaiting].person;
  if (code === 'Timeout') return 'Timed out';
  if (outcome === 'interrupted') return 'Interrupted';
  return DISPLAY_WORDS[display];
}

/** The same for a list that is searched and filtered by state: the state's word, and the code where there is one. */
export function callWordWithCode({ awaiting, code, state }: Shown): string {
  if (awaiting !== null) return AWAITING_WORDS[awaiting].person;
  const { stands } = STATE_WORDS[state];
  return code === null ? stands : `${stands} (${code})`;
}

export const DOOR_WORDS: Readonly<Record<Door, string>> = {
  mcp: 'MCP',
  compose: 'Compose',
  window: 'By yourself',
  conversation: 'Conversation',
  gateway: 'Gateway',
};

/** Who asked, in a column: “Claude Code 2.1 · MCP”, or just the door. */
export const askerWord = ({ door, client }: Pick<CallSummary, 'door' | 'client'>): string =>
  client === null ? DOOR_WORDS[door] : `${client} · ${DOOR_WORDS[door]}`;

/** Who asked, in a sentence. An agent's name is its token's; what its client says of itself stands beside, as that. */
export function askerWords(door: Door, said: string | null, agent: string | null): string {
  const client = agent === null || said === null ? (agent ?? said) : `${agent} (calls itself ${said})`;
  switch (door) {
    case 'mcp':
      return client === null ? 'An MCP client' : `${client} via MCP`;
    case 'compose':
      return DOOR_WORDS.compose;
    case 'window':
      return 'You';
    case 'conversation':
      return client === null ? DOOR_WORDS.conversation : `${DOOR_WORDS.conversation}: ${client}`;
    case 'gateway':
      return client === null ? 'The gateway' : `${client} via the gateway`;
  }
}

/** What a call came in with: never the secret, and enough to tell one token from another. */
export function credentialWords({ kind, id }: Credential): string {
  switch (kind) {
    case 'persons-token':
      return `Your own token (${id})`;
    case 'agent-token':
      return `The agent’s token (${id})`;
    case 'pipe':
      return id === '' ? 'A pipe without a name' : `The pipe named ${id}`;
  }
}

export const CONFINEMENT_WORDS: Readonly<Record<Confinement, string>> = {
  confined: 'Confined: this workspace only, no network',
  network: 'Confined to this workspace, with network through a proxy',
  unconfined: 'Not confined: it could reach everything you can',
};
