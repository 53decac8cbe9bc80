import type { AgentLife } from '../ports/agents.js';
import type { Credential, Door } from '#contract/vocabulary/calls.js';

/** Who asks. It is made once, at the door, and stays with the batch and its calls for as long as they live. */
export interface Asker<At extends Door = Door> {
  readonly door: At;
  /** “name version” by its own word: shown, and never believed. */
  readonly client: string | null;
  /** The conversation, MCP session or Compose session: what was read there may be patched there. */
  readonly session: string;
  /**
   * Whose token or named pipe it came with; null for the person's own token, for who has none, and for the person. The
   * names that clients give themselves are not this.
   */
  readonly agent: string | null;
  readonly tenant: string | null;
  readonly user: string | null;
  /** It is the person, in the window: no program stands between. */
  readonly person: boolean;
  /** Null for what comes through the window. */
  readonly credential: Credential | null;
}

/** What somebody came in with, and whose that is; null for the person's own token, and for a pipe without a name. */
export interface Bearer {
  readonly agent: string | null;
  /** Left out: by its name alone. */
  readonly life?: AgentLife;
  readonly credential: Credential;
}

/** The doors that others ask at; `window` is the person's own act. */
export type AskingDoor = Exclude<Door, 'window'>;

/** Doors that only the person comes through. A new door does not compile before it is said whose it is. */
const PERSONS_OWN: Readonly<Record<Door, boolean>> = {
  window: true,
  compose: true,
  conversation: false,
  mcp: false,
  gateway: false,
};

type Known = Partial<Omit<Asker, 'door' | 'session' | 'person'>>;

/** What the door does not know of it is null. */
export const askerAt = <At extends Door>(door: At, session: string, known: Known = {}): Asker<At> => ({
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

/** It does itself what it asks for: its click is the yes. */
export const isOwnAct = ({ door }: Asker): boolean => door === 'window';

/** In words, for the person. */
export const nameOf = ({ agent, client }: Asker): string => agent ?? client ?? 'it';
