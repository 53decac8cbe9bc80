import type { SignInState } from '#contract/vocabulary/tools/sources.js';

/** Signing in at a source, in the person's browser. What it gives stays in the key store, and goes to the source's own address. */
export interface SourceSignIn {
  readonly state: SignInState;
  /**
   * Finds out where the person signs in, and waits for the browser to come back. Opens nothing. Rejects with a
   * `SourceProblem`.
   */
  begin(): Promise<void>;
  /** The address to open in the browser; null where nobody is signing in. */
  readonly address: string | null;
  cancel(): void;
  /** Forgets the kept keys first. Gives a sentence where its server was not told, or was told in vain; else null. */
  signOut(): Promise<string | null>;
}

/** The result of a sign-in, kept in the key store alone. */
export interface StoredSignIn {
  /** Facts as JSON; nothing in it is a secret. */
  readonly facts: string;
  readonly access: string;
  readonly refresh: string | null;
  readonly clientSecret: string | null;
}

export interface SignInStore {
  /** Why nothing can be kept; null where it can. */
  readonly unavailable: string | null;
  find(source: string): StoredSignIn | null;
  /** Keeps all of it at once. Throws where it can't be written. */
  keep(source: string, kept: StoredSignIn): void;
  forget(source: string): void;
  /** The reference by which a request names it: its value is looked up as the request leaves. */
  reference(source: string): string;
}

/** Where the person's browser comes back to: one address on this computer, there for one sign-in. */
export interface SignInReturn {
  readonly address: string;
  /** The parameters that came with the state that was asked for. Rejects with words where nothing came in time. */
  readonly received: Promise<URLSearchParams>;
  close(): void;
}

export type OpenSignInReturn = (state: string) => Promise<SignInReturn>;
