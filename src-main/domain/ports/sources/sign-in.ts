/** Signing in at a source, in the person's browser. What it gives stays in the key store, and goes to the source's own address. */
export interface SourceSignIn {
  readonly state: SignInState;
  /** Finds out where that is done, and waits there for the browser to come back. Opens nothing. Rejects with a `SourceProblem`. */
  begin(): Promise<void>;
  /** Where the browser is to be led; null where nobody is signing in. */
  readonly address: string | null;
  cancel(): void;
  /** Forgets what it has here first. A sentence where its server was not told, or was told in vain; else null. */
  signOut(): Promise<string | null>;
}

export interface SignInState {
  /** `wanted`: it was refused for want of one. */
  readonly kind: 'none' | 'wanted' | 'under-way' | 'signed-in';
  /** Who is asked to sign the person in: the host of the page, once that is known. */
  readonly host: string | null;
  /** Under way: the whole address that the browser is led to. */
  readonly address: string | null;
  /** Hosts that take part besides that one and the source's own. */
  readonly others: readonly string[];
  /** What is asked for, in its server's own words. */
  readonly scope: string | null;
  /** Why the last try came to nothing. */
  readonly problem: string | null;
}

/** What is kept of a sign-in, in the key store alone. */
export interface KeptSignIn {
  /** JSON; of it, nothing is a secret. */
  readonly facts: string;
  readonly access: string;
  readonly refresh: string | null;
  readonly clientSecret: string | null;
}

export interface SignInKeeper {
  /** Why nothing can be kept; null where it can. */
  readonly unavailable: string | null;
  find(source: string): KeptSignIn | null;
  /** All of it at once. Throws where it can't be written. */
  keep(source: string, kept: KeptSignIn): void;
  forget(source: string): void;
  /** What a request names it by: its value is looked up as the request leaves. */
  reference(source: string): string;
}

/** Where the person's browser comes back to: one address on this computer, there for one sign-in. */
export interface SignInReturn {
  readonly address: string;
  /** What came with the state that was asked for. Rejects with words where nothing came in time. */
  readonly came: Promise<URLSearchParams>;
  close(): void;
}

export type OpenSignInReturn = (state: string) => Promise<SignInReturn>;
