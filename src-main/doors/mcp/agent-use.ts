import type { McpCaller } from './caller.js';

/** The limits of one agent, as the settings in force say (`[gateway.limits]`). */
export interface AgentLimits {
  readonly sessions: () => number;
  /** Null while what is recorded of the agent is within its measure. */
  readonly recordedTooMuch: (agent: string) => { readonly why: string; readonly retrySeconds: number } | null;
}

/** Counts what agents use now. Pipes without a name count as one agent: nothing tells them apart. */
export function createAgentUse(
  limits: AgentLimits,
  callers: () => readonly McpCaller[],
): {
  /** Null where there is room for one more session of this agent; otherwise why not, in words. */
  oneMoreSession(agent: string | null): string | null;
} {
  const isOf = (agent: string | null, caller: McpCaller): boolean =>
    caller.agent === agent && (agent !== null || caller.transport === 'stdio');
  return {
    oneMoreSession(agent) {
      const open = callers().filter((caller) => isOf(agent, caller)).length;
      if (open < limits.sessions()) return null;
      return `${agent ?? 'Pipes without a name'} has reached its limit of ${limits.sessions()} sessions.`;
    },
  };
}
