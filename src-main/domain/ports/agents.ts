/** What an agent is called: by its token or its pipe, and never by what a client says of itself. */
export const AGENT_NAME = /^[a-z0-9-]{1,32}$/;

/** How a name in the register stands. An unknown one may come through a pipe, and is shown as new. */
export type AgentStatus = 'known' | 'revoked' | 'unknown';

/** One token an agent, kept over restarts. */
export interface Agents {
  /** Whose token this is; null for nobody's. */
  agentOf(token: string): string | null;
  statusOf(name: string): AgentStatus;
  lifeOf(name: string): AgentLife;
}

/** Who had a name and was revoked is another than who is given it afterwards. */
export interface AgentLife {
  /** Never anybody else’s: the name itself for the first who has it. */
  readonly id: string;
  /** What was asked before that by this name is another’s; 0 for the first who has it. */
  readonly since: number;
}
