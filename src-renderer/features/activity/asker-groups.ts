import type { SessionActivity } from '#contract/vocabulary/activity/activity.js';
import { DOOR_WORDS } from '#contract/vocabulary/call-labels.js';
import { type CallSummary, type Door, TEST_SESSION } from '#contract/vocabulary/calls.js';
import type { ConnectedClient } from '#contract/window/app-events.js';

type SessionCounts = Omit<
  SessionActivity,
  'session' | 'door' | 'client' | 'agent' | 'workspace' | 'firstAt' | 'lastAt'
>;

/** A session with its live calls. Calls are in the order in which they came; those that are over, the latest first. */
export interface AskerSession {
  readonly session: string;
  readonly door: Door;
  readonly client: string | null;
  readonly agent: string | null;
  readonly workspace: string | null;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly connected: boolean;
  /** Null as long as nothing is recorded of it. */
  readonly counts: SessionCounts | null;
  readonly running: readonly CallSummary[];
  /** Calls that wait for the person: for a decision, or a result. */
  readonly waiting: readonly CallSummary[];
  /** Decided, and not begun. */
  readonly queued: readonly CallSummary[];
  readonly done: readonly CallSummary[];
}

/** The sessions of one agent, or of one client that comes without a token. */
export interface AskerGroup {
  readonly key: string;
  readonly name: string;
  readonly door: Door;
  /** Null where it has no token and no named pipe: what it is called is its own word. */
  readonly agent: string | null;
  readonly client: string | null;
  /** The sessions, the one that began last first. */
  readonly sessions: readonly AskerSession[];
}

/** So many of what is over are shown of a session; the rest is one press away. */
const DONE_SHOWN = 3;

type AskerIdentity = Pick<CallSummary, 'door' | 'client' | 'agent'>;

export const nameAsker = ({ door, client, agent }: AskerIdentity): string =>
  agent ?? client ?? (door === 'window' ? 'You' : DOOR_WORDS[door]);

const buildAskerKey = ({ door, client, agent }: AskerIdentity): string =>
  agent === null ? `client ${client === null ? door : client}` : `agent ${agent}`;

const buildSessionKey = ({ door, session }: Pick<CallSummary, 'door' | 'session'>): string => `${door} ${session}`;

/**
 * Groups calls by who asked for them: those recorded in a span of time, with those that the window heard of since. The
 * order is that in which they began, so that nothing moves while several work.
 */
export function groupByAsker(
  recorded: readonly SessionActivity[],
  live: readonly CallSummary[],
  clients: readonly ConnectedClient[],
): readonly AskerGroup[] {
  const sessions = new Map<string, AskerSession>();
  for (const { session, door, client, agent, workspace, firstAt, lastAt, ...counts } of recorded)
    sessions.set(buildSessionKey({ door, session }), {
      ...createBareSession({ session, door, client, agent, firstAt, lastAt }),
      workspace,
      counts,
    });
  for (const call of live) {
    if (call.door === 'compose' && call.session.startsWith(TEST_SESSION)) continue;
    const before =
      sessions.get(buildSessionKey(call)) ??
      createBareSession({ ...call, firstAt: call.startedAt, lastAt: call.startedAt });
    sessions.set(buildSessionKey(call), addCall(before, call));
  }
  for (const { sessionId, name, agent, since } of clients) {
    const key = buildSessionKey({ door: 'mcp', session: sessionId });
    const begun = { session: sessionId, door: 'mcp', client: name, agent, firstAt: since, lastAt: since } as const;
    sessions.set(key, { ...(sessions.get(key) ?? createBareSession(begun)), connected: true });
  }
  const groups = Map.groupBy(sessions.values(), buildAskerKey);
  return [...groups]
    .map(([key, own]) => {
      const ordered = own.toSorted((one, other) => other.firstAt - one.firstAt);
      const [latest] = ordered as [AskerSession];
      const { door, agent, client } = latest;
      return { key, name: nameAsker(latest), door, agent, client, sessions: ordered };
    })
    .toSorted((one, other) => findBegin(other) - findBegin(one));
}

const findBegin = ({ sessions }: AskerGroup): number => sessions[0]?.firstAt ?? 0;

const createBareSession = ({
  session,
  door,
  client,
  agent,
  firstAt,
  lastAt,
}: Pick<AskerSession, 'session' | 'door' | 'client' | 'agent' | 'firstAt' | 'lastAt'>): AskerSession => ({
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

function addCall(session: AskerSession, call: CallSummary): AskerSession {
  if (call.outcome !== null) return { ...session, done: [call, ...session.done].slice(0, DONE_SHOWN) };
  if (call.display === 'executing') return { ...session, running: [...session.running, call] };
  return call.awaiting === null
    ? { ...session, queued: [...session.queued, call] }
    : { ...session, waiting: [...session.waiting, call] };
}

/** Midnight before this moment, here. */
export const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);
