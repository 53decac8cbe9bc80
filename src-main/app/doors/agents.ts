import { AgentRegister, type NewToken } from '../../authority/agents/agent-register.js';
import { AGENT_NAME } from '../../domain/ports/agents.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import {
  type AgentFileStore,
  forgetAgent,
  setAgentAsking,
  setAgentFolders,
} from '../../settings/agents/edit-agents.js';
import { detectAgentAsking } from '../../settings/asking.js';
import { RecordingMeter } from '../../domain/call/recording-meter.js';
import { systemClock } from '../../platform/clock.js';
import { answerProblem, done, nothing, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Front } from '../front.js';
import type { Record } from '../record.js';
import type { Shell } from '../shell.js';
import type { RuleBook } from '../state/confirmations.js';
import { PausedAgents } from '../state/paused-agents.js';

/** The agents that the person gave tokens to, and the limits of each of them. */
export interface AgentsWing {
  readonly register: AgentRegister;
  readonly paused: PausedAgents;
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
  const paused = new PausedAgents(paths.pausedAgents);
  if (paused.damaged)
    front.problem('Who was paused is not known', `${paths.pausedAgents} can’t be read. No agent is paused now.`);
  front.status.update({ paused: paused.list() });
  const measure = new RecordingMeter();
  const limits = () => config.everywhere.gateway.limits;
  journal.onCommit((events, calls) => {
    const agentOf = new Map(calls.map(({ callId, agent }) => [callId, agent]));
    for (const event of events) {
      const agent = 'callId' in event ? agentOf.get(event.callId) : null;
      if (agent !== undefined && agent !== null) measure.add(agent, recordedBytes(event), systemClock.monotonic());
    }
  });
  return {
    register,
    paused,
    limits: {
      sessions: () => limits().sessions,
      recordedTooMuch: (agent) => {
        const { recorded_mb_per_minute: megabytes } = limits();
        const retrySeconds = measure.secondsOverLimit(agent, megabytes * MB, systemClock.monotonic());
        if (retrySeconds === null) return null;
        const why = `${agent} reached its limit of ${megabytes} MB recorded in a minute. Try again in ${retrySeconds} s.`;
        return { why, retrySeconds };
      },
    },
  };
}

interface WhatItHad {
  readonly register: Pick<AgentRegister, 'create' | 'getStatus'>;
  readonly rules: Pick<RuleBook, 'all' | 'remove'>;
  readonly config: AgentFileStore;
}

/**
 * Creates an agent and its token. A name that was revoked is given to another: what the former one was allowed ends
 * before anybody can use it.
 */
export async function createAgent(name: string, { register, rules, config }: WhatItHad): Promise<NewToken> {
  if (register.getStatus(name) === 'revoked') {
    for (const { id } of rules.all().filter(({ rule }) => rule.agent === name)) {
      const problem = await rules.remove(id);
      if (problem !== null)
        return { ok: false, problem: `A rule for the revoked ${name} could not be ended: ${problem}` };
    }
    const forgot = await forgetAgent(config, name);
    if (!forgot.ok)
      return { ok: false, problem: `What was set for the revoked ${name} could not be taken out: ${forgot.problem}` };
  }
  return register.create(name);
}

interface AgentActs {
  readonly rules: WhatItHad['rules'];
  /** Ends all that an agent has open, and what of it waits or runs. */
  readonly putOut: (agent: string) => void;
  /** The folders that a person can mean: those that are open, and those that were. */
  readonly knownFolders: () => readonly string[];
}

export const agentChannels = (
  { config }: Pick<Shell, 'config'>,
  { register }: AgentsWing,
  { reader }: Record,
  { putOut, knownFolders, rules }: AgentActs,
) =>
  ({
    'agents.list': async () => {
      const { agents } = config.current.gateway;
      return done(
        register.list().map((agent) => ({
          ...agent,
          asking: detectAgentAsking(agents.find(({ name }) => name === agent.name) ?? {}),
        })),
      );
    },
    'agents.setAsking': async ({ name, asking }) => {
      if (asking !== null && register.getStatus(name) !== 'known')
        return refuse('refused', `${name} has no token: a name without one is asked as all are.`);
      const saved = await setAgentAsking(config, name, asking);
      return saved.ok ? nothing : refuse('refused', saved.problem);
    },
    'agents.setFolders': async ({ name, folders }) => {
      if (!AGENT_NAME.test(name))
        return refuse('refused', `“${name}” names itself, and could as well take another name.`);
      const before = config.own.gateway.clients.find((each) => each.name === name)?.folders ?? [];
      const known = new Set([...knownFolders(), ...before]);
      const unknown = folders?.find((folder) => !known.has(folder));
      if (unknown !== undefined) return refuse('refused', `${unknown} was not opened yet. Open the folder first.`);
      const saved = await setAgentFolders(config, name, folders);
      return saved.ok ? nothing : refuse('refused', saved.problem);
    },
    'agents.seen': async () => done(await reader.seenAgents()),
    'agents.create': async ({ name }) => {
      const made = await createAgent(name, { register, rules, config });
      return made.ok ? done({ token: made.token }) : refuse('refused', made.problem);
    },
    'agents.revoke': async ({ name }) => {
      const problem = register.revoke(name);
      if (register.getStatus(name) === 'revoked') putOut(name);
      return answerProblem(problem);
    },
  }) satisfies Partial<Handlers>;

/** The bytes by which an event fills the disk: what callers send and get. */
function recordedBytes(event: JournalEvent): number {
  if (event.type === 'call-received' || event.type === 'call-edited')
    return Buffer.byteLength(JSON.stringify(event.arguments));
  if (event.type !== 'call-settled') return 0;
  const { content, storedOutputs } = event.result;
  return Buffer.byteLength(content) + storedOutputs.reduce((sum, { bytes }) => sum + bytes, 0);
}
