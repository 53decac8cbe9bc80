/** The shape of an agent's name. It is told by the agent's token or pipe, and never by what a client says of itself. */
export const AGENT_NAME = /^[a-z0-9-]{1,32}$/;

/** The status of a name in the register. An unknown one may come through a pipe, and is shown as new. */
export type AgentStatus = 'known' | 'revoked' | 'unknown';

/** The register of agents: one token each, kept over restarts. */
export interface Agents {
  /** The agent that has this token; null for nobody's. */
  findByToken(token: string): string | null;
  getStatus(name: string): AgentStatus;
  getHolder(name: string): AgentHolder;
}

/** A holder of an agent's name: a revoked holder and whoever is given the name afterwards are two. */
export interface AgentHolder {
  /** An id that nobody else ever gets: the name itself for the first who has it. */
  readonly id: string;
  /**
   * The moment this holder began: a request made before it under this name is another's; 0 for the first who has it.
   */
  readonly since: number;
}
