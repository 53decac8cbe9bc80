import type { SessionActivity } from '#contract/vocabulary/activity/activity.js';
import { DOOR_WORDS } from '#contract/vocabulary/call-labels.js';
import { type CallSummary, type Door, TEST_SESSION } from '#contract/vocabulary/calls.js';
import type { ConnectedClient } from '#contract/window/app-events.js';

type Counts = Omit<SessionActivity, 'session' | 'door' | 'client' | 'agent' | 'workspace' | 'firstAt' | 'lastAt'>;

/** A session with its live calls. Calls are in the order in which they came; those that are over, the latest first. */
export interface Session {
  readonly session: string;
  readonly door: Door;
  readonly client: string | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly connected: boolean;
  /** Null as long as nothing is recorded of it. */
  readonly counts: Counts | null;
  readonly running: readonly CallSummary[];
  /** Calls that wait for the person: for a decision, or a result. */
  readonly waiting: readonly CallSummary[];
  /** Decided, and not begun. */
  readonly queued: readonly CallSummary[];
  readonly done: readonly CallSummary[];
}

/** The sessions of one agent, or of one client that comes without a token. */
export interface Asking {
  readonly key: string;
  readonly name: string;
  readonly door: Door;
  /** Null where it has no token and no named pipe: what it is called is its own word. */
  readonly agent: string | null;
  readonly client: string | null;
  /** The sessions, the one that began last first. */
  readonly sessions: readonly Session[];
}

/** So many of what is over are shown of a session; the rest is one press away. */
const DONE_SHOWN = 3;

type Whose = Pick<CallSummary, 'door' | 'client' | 'agent'>;

export const nameOf = ({ door, client, agent }: Whose): string =>
  agent ?? client ?? (door === 'window' ? 'You' : DOOR_WORDS[door]);

const keyOf = ({ door, client, agent }: Whose): string =>
  agent === null ? `client ${client === null ? door : client}` : `agent ${agent}`;

const sessionKey = ({ door, session }: Pick<CallSummary, 'door' | 'session'>): string => `${door} ${session}`;

/**
 * Groups calls by who asked for them: those recorded in a span of time, with those that the window heard of since. The
 * order is that in which they began, so that nothing moves while several work.
 */
export function groupsOf(
  recorded: readonly SessionActivity[],
  live: readonly CallSummary[],
  clients: readonly ConnectedClient[],
): readonly Asking[] {
  const sessions = new Map<string, Session>();
  for (const { session, door, client, agent, workspace, firstAt, lastAt, ...counts } of recorded)
    sessions.set(sessionKey({ door, session }), {
      ...bare({ session, door, client, agent, firstAt, lastAt }),
      workspace,
      counts,
    });
  for (const call of live) {
    if (call.door === 'compose' && call.session.startsWith(TEST_SESSION)) continue;
    const before = sessions.get(sessionKey(call)) ?? bare({ ...call, firstAt: call.startedAt, lastAt: call.startedAt });
    sessions.set(sessionKey(call), withCall(before, call));
  }
  for (const { sessionId, name, agent, since } of clients) {
    const key = sessionKey({ door: 'mcp', session: sessionId });
    const begun = { session: sessionId, door: 'mcp', client: name, agent, firstAt: since, lastAt: since } as const;
    sessions.set(key, { ...(sessions.get(key) ?? bare(begun)), connected: true });
  }
  const groups = Map.groupBy(sessions.values(), keyOf);
  return [...groups]
    .map(([key, own]) => {
      const ordered = own.toSorted((one, other) => other.firstAt - one.firstAt);
      const [latest] = ordered as [Session];
      const { door, agent, client } = latest;
      return { key, name: nameOf(latest), door, agent, client, sessions: ordered };
    })
    .toSorted((one, other) => beganAt(other) - beganAt(one));
}

const beganAt = ({ sessions }: Asking): number => sessions[0]?.firstAt ?? 0;

const bare = ({
  session,
  door,
  client,
  agent,
  firstAt,
  lastAt,
}: Pick<Session, 'session' | 'door' | 'client' | 'agent' | 'firstAt' | 'lastAt'>): Session => ({
  session,
  door,
  client,
  agent,
  firstAt,
  lastAt,
  workspace: null,
  connected: false,
  counts: null,
  running: [],
  waiting: [],
  queued: [],
  done: [],
});

function withCall(session: Session, call: CallSummary): Session {
  if (call.outcome !== null) return { ...session, done: [call, ...session.done].slice(0, DONE_SHOWN) };
  if (call.display === 'executing') return { ...session, running: [...session.running, call] };
  return call.awaiting === null
    ? { ...session, queued: [...session.queued, call] }
    : { ...session, waiting: [...session.waiting, call] };
}

/** Midnight before this moment, here. */
export const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);
