import type { CallSummary, Checkpoint } from '#contract/vocabulary/calls.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SettledResult } from '../call/journal-events.js';
import type { CallOptions } from '../call/call-options.js';

/**
 * The scope within which ids and keys are kept: the credential that somebody came in with, and the agent and tenant
 * that they say they ask for. The bearer is an agent by its token; '' is the person's own. '' is no agent and no
 * tenant, too.
 */
export interface InvocationScope {
  readonly bearer: string;
  readonly agent: string;
  readonly tenant: string;
}

/** A call that a program asks for over HTTP, with what identifies it when it is asked for again. */
export interface InvocationRequest {
  readonly scope: InvocationScope;
  /** The id that the program chose, in whichever case; null where it chose none. */
  readonly invocationId: string | null;
  /** The idempotency key: the same key means the same call; null where there is none. */
  readonly key: string | null;
  /** Digest of the request: the same key for something else is a conflict. */
  readonly digest: string;
  /** Digests of the same request in other words. */
  readonly alike?: readonly string[];
  readonly wanted: CallOptions;
}

/**
 * The answer to a claim. `new`: whoever got this is to ask for the call, by that id. `same`: it was asked for before.
 * `conflict`: something else was.
 */
export interface InvocationClaim {
  readonly kind: 'new' | 'same' | 'conflict';
  readonly callId: string;
}

/** A call that came over HTTP, as the record has it. */
export interface RecordedInvocation {
  readonly summary: CallSummary;
  readonly scope: InvocationScope;
  readonly failure: Failure | null;
  /** Null as long as it is not settled. */
  readonly result: Pick<SettledResult, 'content' | 'structured' | 'cpuMs' | 'peakMemoryBytes'> | null;
  readonly warnings: readonly string[];
  /** The last checkpoint that it passed; null where it told none, and as long as it is not settled. */
  readonly checkpoint: Checkpoint | null;
}

/** The calls that programs asked for over HTTP, by their own ids and keys. They are known after a restart, too. */
export interface Invocations {
  /**
   * Takes an id and a key, once and for all. `isUnderWay` says whether a call runs that is not recorded yet; a claim
   * that is neither recorded nor under way was lost to a crash before anything was recorded of it, and may be made
   * again. Throws where the journal can't write.
   */
  claim(asked: InvocationRequest, isUnderWay: (callId: string) => boolean): InvocationClaim;
  /**
   * Finds a call by its program's id or by its call id; without agent and tenant, among all of that bearer. Null where
   * it has none such.
   */
  find(scope: InvocationScope | { readonly bearer: string }, id: string): string | null;
  /** Null as long as nothing is recorded of it. */
  read(callId: string): RecordedInvocation | null;
  /** The folder that a session began in; null where nothing of it is recorded. */
  findSessionFolder(session: string): string | null;
  /** The median time that the last calls of a tool ran; null where none did. */
  getMedianMs(toolId: string): number | null;
  /** Listens for calls of which something was recorded. */
  onCommit(listener: (calls: readonly CallSummary[]) => void): () => void;
}
