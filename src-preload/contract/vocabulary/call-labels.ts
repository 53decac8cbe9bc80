import type { CallSummary, Confinement, Credential, Decider, Door } from './calls.js';
import type { CallDisplayState, LifecycleState } from './lifecycle.js';
import { type Nature, NATURE_WORDS } from './nature.js';

/** The words for a call: the only ones, in lists, cards, filters, the timeline, charts and what askers are told. */

interface StateWords {
  /** The words for a call in this state. */
  readonly stands: string;
  /** The line of the timeline for a call's coming into this state. */
  readonly step: string;
}

export const STATE_WORDS: Readonly<Record<LifecycleState, StateWords>> = {
  DECLARED: { stands: 'Received', step: 'Requested' },
  VALIDATED: { stands: 'Waiting', step: 'Checked' },
  AUTHORIZED: { stands: 'Approved', step: 'Approved' },
  EXECUTING: { stands: 'Running', step: 'Started' },
  COMPLETED: { stands: 'Completed', step: 'Completed' },
  FAILED: { stands: 'Failed', step: 'Failed' },
  DENIED: { stands: 'Denied', step: 'Denied' },
  ABORTED: { stands: 'Stopped', step: 'Ended early' },
  ROLLED_BACK: { stands: 'Rolled back', step: 'Changes rolled back' },
};

/** Words a call's coming into a state for its timeline, as is true of the nature of its tool. */
export function describeStep(state: LifecycleState, nature: Nature | null): string {
  const own = state === 'ROLLED_BACK' && nature !== null ? NATURE_WORDS[nature].rolledBack : null;
  return own ?? STATE_WORDS[state].step;
}

/** The words for a display state alone, where nothing else of the call is said. */
export const DISPLAY_WORDS = {
  pending: 'Pending',
  executing: STATE_WORDS.EXECUTING.stands,
  completed: STATE_WORDS.COMPLETED.stands,
  failed: STATE_WORDS.FAILED.stands,
  denied: STATE_WORDS.DENIED.stands,
  cancelled: 'Cancelled',
} as const satisfies Readonly<Record<CallDisplayState, string>>;

/** The words for what a call waits for: for the person who can end the wait, and for whoever asked for the call. */
export const AWAITING_WORDS = {
  decision: { person: 'Waiting for you', asker: 'Waiting for the user to decide in Gatehouse' },
  result: { person: 'Waiting for its result', asker: 'Waiting for the user to supply the result in Gatehouse' },
} as const satisfies Readonly<Record<NonNullable<CallSummary['awaiting']>, { person: string; asker: string }>>;

/** Decided, and not yet begun: as many run as may. */
export const QUEUED_WORDS = { asker: 'Waiting for a place to run in' } as const;

type LabelledCall = Pick<
  CallSummary,
  'agent' | 'awaiting' | 'client' | 'code' | 'display' | 'door' | 'nature' | 'outcome' | 'reason'
>;

/** The beginnings of a cancelled call's reason, by who cancelled it. */
export const CANCELLED_REASONS = { person: 'Cancelled by user', caller: 'Cancelled by the client' } as const;

/** The reason of a command that ended with a code of its own begins so. */
export const formatExitCodeReason = (code: number): string => `exit code ${code}`;
const EXIT_CODE = /^exit code (\d+)/u;

/** Words what a call is doing or how it ended, as every place that shows the call has it. */
export function describeCallStatus(call: LabelledCall): string {
  const { awaiting, code, outcome, display, reason, nature } = call;
  if (awaiting !== null) return AWAITING_WORDS[awaiting].person;
  if (outcome === 'interrupted') return 'Interrupted';
  // Decided, and no place to run in: its reason says why it waits.
  if (display === 'pending' && outcome === null && reason !== null) return reason;
  if (code === 'Timeout') return 'Timed out';
  if (code === 'Cancelled') return describeCancellation(call);
  if (code === 'DeniedByPerson') return 'Denied by you';
  if (code !== 'ExecutionFailed' || nature !== 'command') return DISPLAY_WORDS[display];
  const exitCode = EXIT_CODE.exec(reason ?? '')?.[1];
  return exitCode === undefined ? DISPLAY_WORDS.failed : `${DISPLAY_WORDS.failed}, exit code ${exitCode}`;
}

/** Words a cancellation. A request from the window or a conversation is the person's own. */
function describeCancellation({ reason, door, client, agent }: LabelledCall): string {
  const byCaller = reason?.startsWith(CANCELLED_REASONS.caller) === true && (door === 'mcp' || door === 'gateway');
  return byCaller ? `Cancelled by ${client ?? agent ?? 'the agent'}` : 'Stopped by you';
}

export const DOOR_WORDS: Readonly<Record<Door, string>> = {
  mcp: 'MCP',
  compose: 'Compose',
  window: 'You',
  conversation: 'Conversation',
  gateway: 'HTTP',
};

/** The words for who let a call run or refused it. */
export const DECIDER_WORDS: Readonly<Record<Decider, string>> = { person: 'You', rule: 'A rule', settings: 'Settings' };

/** A folder in a column: its own name. */
export const folderName = (path: string): string => path.slice(path.lastIndexOf('/') + 1) || path;

/** Words the asker for a column: “Claude Code 2.1 · MCP”, or just the door. An agent is called by its own name. */
export const labelAsker = (call: Pick<CallSummary, 'door' | 'client' | 'agent'> & Partial<OnBehalfOf>): string => {
  const { door, client, agent } = call;
  const whom = describeOnBehalfOf(call);
  const who = [agent ?? client, whom].filter((part) => part !== null && part !== '').join(', ');
  return who === '' ? DOOR_WORDS[door] : `${who} · ${DOOR_WORDS[door]}`;
};

/** The tenant and the user that somebody asks for, by the asker's own word. */
export interface OnBehalfOf {
  readonly tenant: string | null;
  readonly user: string | null;
}

/** Words the tenant and the user: “for ada at acme”; '' where neither was named. */
export function describeOnBehalfOf({ tenant = null, user = null }: Partial<OnBehalfOf>): string {
  if (user === null) return tenant === null ? '' : `for ${tenant}`;
  return tenant === null ? `for ${user}` : `for ${user} at ${tenant}`;
}

/** Words the asker for a sentence. An agent's name is its token's; what its client says of itself is added as such. */
export function describeAsker(
  door: Door,
  said: string | null,
  agent: string | null,
  whom: Partial<OnBehalfOf> = {},
): string {
  const words = describeOnBehalfOf(whom);
  const who = describeCaller(door, said, agent);
  return words === '' ? who : `${who}, ${words}`;
}

function describeCaller(door: Door, said: string | null, agent: string | null): string {
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
      return client === null ? 'A program via HTTP' : `${client} via HTTP`;
  }
}

/** Words the credential of a call: never the secret, and enough to tell one token from another. */
export function describeCredential({ kind, id }: Credential): string {
  switch (kind) {
    case 'persons-token':
      return `Your own token (${id})`;
    case 'agent-token':
      return `The agent’s token (${id})`;
    case 'pipe':
      return id === '' ? 'A stdio connection without a name' : `The stdio connection named ${id}`;
  }
}

export const CONFINEMENT_WORDS: Readonly<Record<Confinement, string>> = {
  confined: 'Sandboxed: this folder only, no network',
  network: 'Sandboxed to this folder, with network through a proxy',
  unconfined: 'Unconfined: it could reach everything you can',
};
