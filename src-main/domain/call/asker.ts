import type { AgentHolder } from '../ports/agents.js';
import type { Credential, Door, CallOrigin } from '#contract/vocabulary/calls.js';

/** The asker of a call. Made once, at the door; stays with the batch and its calls for as long as they live. */
export interface Asker<At extends Door = Door> extends CallOrigin {
  readonly door: At;
  /** The conversation, MCP session or Compose session: files that were read there may be patched there. */
  readonly session: string;
  /**
   * The agent whose token or named pipe it came with; null for the person's own token, for a client that has none, and
   * for the person. The names that clients give themselves are not this.
   */
  readonly agent: string | null;
  /** Whether the person asks, in the window: no program stands between. */
  readonly person: boolean;
  /** Null for what comes through the window. */
  readonly credential: Credential | null;
}

/**
 * A credential that somebody came in with, and the agent that it belongs to; null for the person's own token, and for a
 * pipe without a name.
 */
export interface Bearer {
  readonly agent: string | null;
  /** The holder of the agent's name. Left out: the name alone says who it is. */
  readonly life?: AgentHolder;
  readonly credential: Credential;
}

/** The doors that others ask at; `window` is the person's own act. */
export type AskingDoor = Exclude<Door, 'window'>;

/** Doors that only the person comes through. A new door does not compile before this table says whose it is. */
const PERSONS_OWN: Readonly<Record<Door, boolean>> = {
  window: true,
  compose: true,
  conversation: false,
  mcp: false,
  gateway: false,
};

type KnownAskerFacts = Partial<Omit<Asker, 'door' | 'session' | 'person'>>;

/** Makes an asker. Whatever the door does not know of it is null. */
export const makeAsker = <At extends Door>(door: At, session: string, known: KnownAskerFacts = {}): Asker<At> => ({
  client: null,
  agent: null,
  tenant: null,
  user: null,
  credential: null,
  ...known,
  door,
  session,
  person: PERSONS_OWN[door],
});

/** Whether the asker does itself what it asks for: its click is the yes. */
export const isOwnAct = ({ door }: Asker): boolean => door === 'window';

/** The asker's name in words, for the person. */
export const nameAsker = ({ agent, client }: Asker): string => agent ?? client ?? 'it';
