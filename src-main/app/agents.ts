import type { AgentView } from '#contract/window/agents.js';
import { AgentRegister } from '../authority/agents/agent-register.js';
import type { Agents } from '../domain/ports/agents.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Journal } from '../domain/ports/journal.js';
import type { JournalEvent } from '../domain/call/journal-events.js';
import type { Clock } from '../domain/ports/clock.js';
import { RecordedMeasure } from '../domain/call/recorded-measure.js';

interface AgentParts {
  readonly file: string;
  readonly journal: Pick<Journal, 'onCommit'>;
  readonly clock: Clock;
  readonly config: () => Config;
  readonly onProblem: (text: string) => void;
  /** All that an agent has open, and what of it waits or runs, ends. */
  readonly putOut: (agent: string) => void;
}

export interface ComposedAgents {
  readonly register: Agents;
  readonly limits: {
    readonly sessions: () => number;
    readonly recordedTooMuch: (agent: string) => { readonly why: string; readonly retrySeconds: number } | null;
  };
  /** What the window asks for. */
  readonly services: {
    readonly agents: () => readonly AgentView[];
    readonly createAgent: (
      name: string,
    ) => { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: string };
    /** Null when it is done, or why not. */
    readonly revokeAgent: (name: string) => string | null;
  };
}

const MB = 1024 * 1024;

/** Who the person gave tokens to, and what each of them may take up. */
export function composeAgents(parts: AgentParts): ComposedAgents {
  const register = new AgentRegister(parts.file, () => parts.clock.now());
  if (register.damaged) parts.onProblem(`${parts.file} can’t be read, so that no agent’s token is good.`);
  const measure = new RecordedMeasure();
  const limits = (): Config['gateway']['limits'] => parts.config().gateway.limits;
  parts.journal.onCommit((events, calls) => {
    const agentOf = new Map(calls.map(({ callId, agent }) => [callId, agent]));
    for (const event of events) {
      const agent = 'callId' in event ? agentOf.get(event.callId) : null;
      if (agent !== undefined && agent !== null) measure.add(agent, recordedBytes(event), parts.clock.monotonic());
    }
  });
  return {
    register,
    limits: {
      sessions: () => limits().sessions,
      recordedTooMuch: (agent) => {
        const { recorded_mb_per_minute: megabytes } = limits();
        const retrySeconds = measure.over(agent, megabytes * MB, parts.clock.monotonic());
        if (retrySeconds === null) return null;
        const why = `Of ${agent} ${megabytes} MB may be recorded in a minute (gateway.limits.recorded_mb_per_minute), and were. Try again in ${retrySeconds} s.`;
        return { why, retrySeconds };
      },
    },
    services: {
      agents: () => register.list(),
      createAgent: (name) => register.create(name),
      revokeAgent: (name) => {
        const problem = register.revoke(name);
        if (register.standing(name) === 'revoked') parts.putOut(name);
        return problem;
      },
    },
  };
}

/** What of an event fills the disk: what callers send and get. */
function recordedBytes(event: JournalEvent): number {
  if (event.type === 'call-received' || event.type === 'call-edited')
    return Buffer.byteLength(JSON.stringify(event.arguments));
  if (event.type !== 'call-settled') return 0;
  const { content, storedOutputs } = event.result;
  return Buffer.byteLength(content) + storedOutputs.reduce((sum, { bytes }) => sum + bytes, 0);
}
