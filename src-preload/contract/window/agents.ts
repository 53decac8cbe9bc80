import type { AskingPreset } from '../vocabulary/conversation/asking-preset.js';

/** An agent that has, or had, a token of its own. */
export interface AgentView {
  readonly name: string;
  /** Unix ms. */
  readonly made: number;
  readonly revoked: boolean;
  /** How it is asked, where that is not as for all; `own` where its settings are none of the three. */
  readonly asking: AskingPreset | 'own' | null;
}

/** An agent and client that asked for calls before, under one of its names. */
export interface SeenAgent {
  /** The agent, by its token or its pipe's name; null where it had neither. */
  readonly agent: string | null;
  /** The name that the program gave itself, with its version. */
  readonly client: string | null;
  /** Where, when and for what it asked last. */
  readonly folder: string;
  readonly at: number;
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
}

/** A new agent's token: it is shown when it is made, and never again. */
export interface CreatedAgent {
  readonly token: string;
}
