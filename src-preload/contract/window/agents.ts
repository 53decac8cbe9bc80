/** An agent that has, or had, a token of its own. */
export interface AgentView {
  readonly name: string;
  /** Unix ms. */
  readonly made: number;
  readonly revoked: boolean;
}

/** What a token of an agent looks like once: it is shown when it is made, and never again. */
export interface CreatedAgent {
  readonly token: string;
}
