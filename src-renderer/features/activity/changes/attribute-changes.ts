import type { CallSummary, Door } from '#contract/vocabulary/calls.js';
import { nameAsker } from '../asker-groups.js';

interface ChangingSession {
  readonly door: Door;
  readonly session: string;
  /** The name that its client gives itself. */
  readonly name: string;
  readonly calls: number;
  /** When the first of these calls was asked for. */
  readonly since: number;
}

export interface ChangeAttribution {
  readonly agents: readonly string[];
  readonly sessions: readonly ChangingSession[];
}

/** Attributes changes to sessions: the person's own belong to nobody's session. The calls come the latest first. */
export function attributeChanges(calls: readonly CallSummary[]): ChangeAttribution {
  const sessions = new Map<string, ChangingSession>();
  for (const { door, session, client, agent, startedAt } of calls.filter((call) => call.door !== 'window')) {
    const known = sessions.get(`${door} ${session}`);
    const name = client ?? nameAsker({ door, client, agent });
    sessions.set(`${door} ${session}`, { door, session, name, calls: (known?.calls ?? 0) + 1, since: startedAt });
  }
  const agents = calls.flatMap(({ agent }) => (agent === null ? [] : [agent]));
  return { agents: [...new Set(agents)].toSorted(), sessions: [...sessions.values()] };
}
