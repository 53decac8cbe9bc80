import { AgentRegister } from '../authority/agents/agent-register.js';
import type { JournalEvent } from '../domain/call/journal-events.js';
import { RecordedMeasure } from '../domain/call/recorded-measure.js';
import { systemClock } from '../platform/clock.js';
import { answered, done, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Front } from './front.js';
import type { Record } from './record.js';
import type { Shell } from './shell.js';

/** Who the person gave tokens to, and what each of them may take up. */
export interface AgentsWing {
  readonly register: AgentRegister;
  readonly limits: {
    readonly sessions: () => number;
    readonly recordedTooMuch: (agent: string) => { readonly why: string; readonly retrySeconds: number } | null;
  };
}

const MB = 1024 * 1024;

export function openAgents({ config, paths }: Shell, front: Front, { journal }: Record): AgentsWing {
  const register = new AgentRegister(paths.agents, () => systemClock.now());
  if (register.damaged)
    front.problem('Agents can’t be let in', `${paths.agents} can’t be read, so that no agent’s token is good.`);
  const measure = new RecordedMeasure();
  const limits = () => config.current.gateway.limits;
  journal.onCommit((events, calls) => {
    const agentOf = new Map(calls.map(({ callId, agent }) => [callId, agent]));
    for (const event of events) {
      const agent = 'callId' in event ? agentOf.get(event.callId) : null;
      if (agent !== undefined && agent !== null) measure.add(agent, recordedBytes(event), systemClock.monotonic());
    }
  });
  return {
    register,
    limits: {
      sessions: () => limits().sessions,
      recordedTooMuch: (agent) => {
        const { recorded_mb_per_minute: megabytes } = limits();
        const retrySeconds = measure.over(agent, megabytes * MB, systemClock.monotonic());
        if (retrySeconds === null) return null;
        const why = `Of ${agent} ${megabytes} MB may be recorded in a minute (gateway.limits.recorded_mb_per_minute), and were. Try again in ${retrySeconds} s.`;
        return { why, retrySeconds };
      },
    },
  };
}

/** `putOut` ends all that an agent has open, and what of it waits or runs. */
export const agentChannels = ({ register }: AgentsWing, putOut: (agent: string) => void) =>
  ({
    'agents.list': async () => done(register.list()),
    'agents.create': async ({ name }) => {
      const made = register.create(name);
      return made.ok ? done({ token: made.token }) : refuse('refused', made.problem);
    },
    'agents.revoke': async ({ name }) => {
      const problem = register.revoke(name);
      if (register.statusOf(name) === 'revoked') putOut(name);
      return answered(problem);
    },
  }) satisfies Partial<Handlers>;

/** What of an event fills the disk: what callers send and get. */
function recordedBytes(event: JournalEvent): number {
  if (event.type === 'call-received' || event.type === 'call-edited')
    return Buffer.byteLength(JSON.stringify(event.arguments));
  if (event.type !== 'call-settled') return 0;
  const { content, storedOutputs } = event.result;
  return Buffer.byteLength(content) + storedOutputs.reduce((sum, { bytes }) => sum + bytes, 0);
}
