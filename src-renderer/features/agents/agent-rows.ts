import type { AgentView, SeenAgent } from '#contract/window/agents.js';
import type { ConnectedClient } from '#contract/window/app-events.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { trimAgentName, type ClientRule } from './client-rules.js';

/** Whether a name is the person's to give: by a token, by `--agent` alone, or only what a program says of itself. */
export type AgentStanding = 'token' | 'revoked' | 'new' | 'unnamed';

/** The known facts about one agent, in one place. */
export interface AgentRow {
  readonly name: string;
  readonly standing: AgentStanding;
  /** When its token was made, Unix ms. */
  readonly made: number | null;
  /** How it is asked, where that is not as for all. */
  readonly asking: AgentView['asking'];
  readonly sessions: readonly ConnectedClient[];
  /** The call that it asked for last, and the name that it gave itself then. */
  readonly seen: SeenAgent | null;
  readonly running: number;
  readonly waiting: number;
}

interface KnownAgents {
  readonly tokens: readonly AgentView[];
  readonly connected: readonly ConnectedClient[];
  readonly seen: readonly SeenAgent[];
  readonly rules: readonly ClientRule[];
  readonly calls: readonly Pick<CallSummary, 'agent' | 'client' | 'outcome' | 'executingSince' | 'door'>[];
}

interface NamedAgent {
  readonly agent: string | null;
  readonly client: string | null;
}

/** Apart even where a program calls itself as an agent is called: names that clients give themselves prove nothing. */
const buildAgentKey = ({ agent, client }: NamedAgent): string =>
  agent === null ? `client ${trimAgentName(client ?? '')}` : agent;
const identifySession = ({ agent, name }: ConnectedClient): string => buildAgentKey({ agent, client: name });

/** Connected ones first, then by what they asked last; those that never asked come last. */
export function buildAgentRows({ tokens, connected, seen, rules, calls }: KnownAgents): readonly AgentRow[] {
  const keys = new Set([
    ...connected.map(identifySession),
    ...seen.map(buildAgentKey),
    ...tokens.map(({ name }) => name),
    ...rules.map(({ name }) => (tokens.some((token) => token.name === name) ? name : `client ${name}`)),
  ]);
  // A rule may be for an agent that has no token, and is listed under its own name then.
  for (const { name } of rules) if (keys.has(name)) keys.delete(`client ${name}`);
  const open = calls.filter(({ outcome, door }) => outcome === null && (door === 'mcp' || door === 'gateway'));
  const rows = [...keys].map((key): AgentRow => {
    const unnamed = key.startsWith('client ');
    const token = unnamed ? undefined : tokens.find(({ name }) => name === key);
    const own = open.filter((call) => buildAgentKey(call) === key);
    const running = own.filter(({ executingSince }) => executingSince !== null).length;
    return {
      name: unnamed ? key.slice('client '.length) : key,
      standing: unnamed ? 'unnamed' : token === undefined ? 'new' : token.revoked ? 'revoked' : 'token',
      made: token?.made ?? null,
      asking: token?.asking ?? null,
      sessions: connected.filter((client) => identifySession(client) === key),
      seen: seen.find((each) => buildAgentKey(each) === key) ?? null,
      running,
      waiting: own.length - running,
    };
  });
  return rows.sort(
    (a, b) =>
      Number(b.sessions.length > 0) - Number(a.sessions.length > 0) ||
      (b.seen?.at ?? 0) - (a.seen?.at ?? 0) ||
      a.name.localeCompare(b.name),
  );
}
