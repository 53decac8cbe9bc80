import type { CallSummary, Checkpoint } from '#contract/vocabulary/calls.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SettledResult } from '../call/journal-events.js';
import type { Wanted } from '../call/wanted.js';

/**
 * Within whom ids and keys are kept: what somebody came in with, and the agent and tenant that they say they ask for. The bearer
 * is an agent by its token; '' is the person's own. '' is no agent and no tenant, too.
 */
export interface InvocationScope {
  readonly bearer: string;
  readonly agent: string;
  readonly tenant: string;
}

/** A call that a program asks for over HTTP, as far as it is to be known again. */
export interface InvocationAsked {
  readonly scope: InvocationScope;
  /** As the program chose it, in whichever case; null where it chose none. */
  readonly invocationId: string | null;
  /** By which it is the same again; null where there is none. */
  readonly key: string | null;
  /** Digest of what is asked for: the same key for something else is a conflict. */
  readonly digest: string;
  /** Digests of the same asked for in other words. */
  readonly alike?: readonly string[];
  readonly wanted: Wanted;
}

/** `new`: it is to be asked for, by that id, by whoever got this. `same`: it was. `conflict`: something else was. */
export interface Claim {
  readonly kind: 'new' | 'same' | 'conflict';
  readonly callId: string;
}

/** A call as the record has it, of those that came over HTTP. */
export interface RecordedInvocation {
  readonly summary: CallSummary;
  readonly scope: InvocationScope;
  readonly failure: Failure | null;
  /** Null as long as it is not settled. */
  readonly result: Pick<SettledResult, 'content' | 'structured' | 'cpuMs' | 'peakMemoryBytes'> | null;
  readonly warnings: readonly string[];
  /** The last that it passed; null where it told none, and as long as it is not settled. */
  readonly checkpoint: Checkpoint | null;
}

/** What programs asked for over HTTP, by their own ids and keys. It holds after a restart, too. */
export interface Invocations {
  /**
   * Takes an id and a key, once and for all. `isUnderWay`: whether a call is that was not recorded yet; what is neither is one that a
   * crash took before anything was recorded of it, and may be asked for. Throws where the journal can't write.
   */
  claim(asked: InvocationAsked, isUnderWay: (callId: string) => boolean): Claim;
  /** By its program's id or by its call's; without agent and tenant, among all of that bearer. Null where it has none such. */
  find(scope: InvocationScope | { readonly bearer: string }, id: string): string | null;
  /** Null as long as nothing is recorded of it. */
  read(callId: string): RecordedInvocation | null;
  /** The folder that a session began in; null where nothing of it is recorded. */
  folderOf(session: string): string | null;
  /** How long the last calls of a tool ran, in the middle; null where none did. */
  usualMs(toolId: string): number | null;
  /** Calls that something was recorded of. */
  onCommit(listener: (calls: readonly CallSummary[]) => void): () => void;
}
