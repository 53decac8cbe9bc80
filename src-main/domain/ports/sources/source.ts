import type { Checkpoint, Confinement } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { SourceConfig, SourceKind, SourceStage, ToolLifecycle } from '#contract/vocabulary/tools/sources.js';
import type { StoredOutput } from '../../call/outputs.js';
import type { RequestedLimits } from '../../call/call-options.js';
import type { TermsSituation, ToolTerms } from '../../tool/terms.js';
import type { ProcessBounds, CallContext } from '../../tool/tool.js';
import type { SourceSignIn } from './sign-in.js';
import type { PromptMessage, ResourceContent, OfferedResources } from './resources.js';

/**
 * Makes a source of one kind; starts and fetches nothing. One file a kind gives it to `src-main/app/sources/kinds.ts`.
 */
export type MakeSource = (made: SourceOptions) => Source;

/**
 * The key of an identity under which it says why the code that runs can be another than was looked at. A yes to a
 * source that is given something has to name it.
 */
export const NOT_PINNED = 'not pinned';

export interface SourceOptions {
  readonly name: string;
  /** The settings, checked: everything that the kind needs is there. */
  readonly settings: SourceConfig;
  /** The folder that relative paths of the settings are resolved against. */
  readonly dataFolder: string;
}

/**
 * The standing of the identity that is started for a source: accepted as it is now; or new, and begins with an empty
 * folder of its own; or another than was accepted, and is only looked at: it has no key, no network and no folder
 * besides.
 */
export type AcceptanceState = 'accepted' | 'new' | 'looked-at';

/**
 * A place that tools come from, as the person's settings have it; made anew when these change. It says what it offers
 * and runs what it is asked; what of that is taken, accepted, judged and asked about is not its business.
 */
export interface Source {
  readonly name: string;
  readonly kind: SourceKind;
  /**
   * The facts of the source that are accepted as a value before it is asked anything: command and arguments, address,
   * names of what it is given, under `files` the digests of what defines it and of all that it loads.
   */
  readonly identity: JsonObject;
  /** Whether it would have to be fetched first; left out where nothing is fetched for it. */
  readonly isToBeFetched?: boolean;
  /**
   * Fetches the program, where that is needed, and starts nothing: `identity` has it then. Throws a `SourceProblem`.
   */
  fetch?(signal: AbortSignal): Promise<void>;
  /** Looks at its files anew; left out where each look at `identity` does. */
  refreshFiles?(): void;
  /** Why the code that runs can be another than was accepted, said to the person; left out where it can’t. */
  readonly notPinned?: readonly string[];
  /**
   * Gives the current offer, for which the source is started or fetched if need be. Where it runs and nothing changed
   * since, at once, and the very same `Offer`. Asked before every call. Throws a `SourceProblem`. Left out: it was
   * accepted as it is now.
   */
  offer(signal: AbortSignal, as?: AcceptanceState): Promise<Offer>;
  /** The part of a call's terms that the source says; whether the person signed in there, too. Asks nobody. */
  termsFor(
    situation: TermsSituation,
    operation: OfferedOperation,
  ): Pick<ToolTerms, 'process' | 'network' | 'paths' | 'secrets'>;
  /**
   * The most that a process of one call may have. Pure. Left out: its calls have none of their own, or nothing holds
   * them.
   */
  bounds?(operation: OfferedOperation): ProcessBounds;
  /**
   * Runs a call. Throws a `ToolFailure`: whatever goes wrong is an end that the outcome table knows. Never sends
   * anything twice that may have been taken. Where the source had to begin anew since it was asked for its offer,
   * `stillAccepted` is asked before anything is sent.
   */
  call(invocation: SourceInvocation): Promise<SourceAnswer>;
  /** The resources and prompts of the source; left out where sources of its kind have none. */
  readonly resources?: ResourceReader;
  /** The state of the source, for the person: pure. */
  state(): SourceState;
  /** The package that it is started from, where that has versions. */
  readonly package?: SourcePackage | null;
  /** The sign-in, where the person can sign in at it in their browser. */
  readonly signIn?: SourceSignIn | null;
  /** Listens for changes: its list changed, it was started, it ended. */
  onChange(listener: () => void): () => void;
  /** Ends what runs for it. */
  close(): Promise<void>;
}

/** A package that was fetched once. Its registry is asked for its newest version, and nothing more is done of itself. */
export interface SourcePackage {
  readonly name: string;
  readonly version: string;
  /** The newer version. Null where there is none, or nobody said so yet. */
  readonly newer: string | null;
  /**
   * Fetches the newer version beside this one, which goes on. Gives the source that it makes: another one, which waits
   * for the person’s yes.
   */
  fetchNewer(): Promise<Source>;
  /** Puts the fetched version in the place of this one; it is started from now on. Throws a `SourceProblem`. */
  takeNewer(): void;
}

/**
 * The readable content of a source beside its tools: resources, and prompts that it writes on being asked. The person
 * chooses of it, a model never does. Each method throws a `ToolFailure`, as a call does.
 */
export interface ResourceReader {
  /** Whether it is asked with a key or with the person's sign-in now: what it gives is not for everybody. */
  readonly isOpened: boolean;
  list(asked: ResourceRequest): Promise<OfferedResources>;
  read(uri: string, asked: ResourceRequest): Promise<readonly ResourceContent[]>;
  prompt(
    name: string,
    args: Readonly<Record<string, string>>,
    asked: ResourceRequest,
  ): Promise<readonly PromptMessage[]>;
}

export type ResourceRequest = Pick<SourceInvocation, 'folder' | 'config' | 'signal' | 'timeoutMs' | 'stillAccepted'>;

export interface SourceState {
  /** `unknown`: nobody asked it yet. */
  readonly running: 'unknown' | 'running' | 'stopped' | 'failed';
  /** The stage of its start, until it runs; left out where there is none. */
  readonly stage?: SourceStage | null;
  /** The problem and what to do about it; null where there is none. */
  readonly problem: string | null;
  /** The end of what it said on stderr, made fit to be read. */
  readonly complaints: string;
  /** How it is held; null where it runs elsewhere. */
  readonly confinement: Confinement | null;
}

export interface Offer {
  /** The name that a server gives itself: a part of what is accepted. Null where nothing does. */
  readonly ownName: string | null;
  readonly operations: readonly OfferedOperation[];
  /**
   * Operations that can't be taken, told by whoever read them: a broken manifest, an operation that can't be asked for.
   */
  readonly refused: readonly RefusedOperation[];
}

/** An operation that a source offers. Kept as JSON once it is accepted: what is read back is the same. */
export interface OfferedOperation {
  /** The name that it gives itself. */
  readonly operation: string;
  /** The id that it gives itself (`tool_id` of a manifest); null where the id follows from source and operation. */
  readonly toolId: string | null;
  /** The version; `0.0.0` where it says none. */
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Json;
  readonly outputSchema: Json | null;
  readonly claims: OperationClaims;
  /**
   * The parts that are accepted with it and shown where they change: name, description, schemas, annotations; of a
   * program its whole manifest.
   */
  readonly pinned: JsonObject;
  readonly timeoutMs: number | null;
  readonly lifecycle: OfferedLifecycle | null;
  /** The file that defines it, for the words of what is wrong with it; left out where it is in no file. */
  readonly from?: { readonly file: string; readonly line: number | null; readonly eCode: string };
}

/** A source's claims about an operation. Words and defaults follow from them, and never a permission. */
export interface OperationClaims {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
  /** A manifest's own wish to be asked about. */
  readonly requiresApproval: boolean;
}

export interface OfferedLifecycle {
  readonly state: ToolLifecycle;
  /** ISO date. */
  readonly deprecationDate: string | null;
  readonly insteadUse: string | null;
  readonly compatibilityRange: string | null;
  readonly releaseNotes: string | null;
}

export interface RefusedOperation {
  readonly what: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly eCode: string | null;
  readonly reason: string;
}

export interface SourceInvocation extends Pick<
  CallContext,
  'callId' | 'config' | 'signal' | 'outputLimit' | 'timeoutMs' | 'emit'
> {
  readonly operation: OfferedOperation;
  /** Throws where the current offer is not what was accepted. */
  readonly stillAccepted: (now: Offer) => void;
  readonly args: JsonObject;
  /** The folder of the call, by its real path; null where none is open. */
  readonly folder: string | null;
  /** The terms that the call was granted; a source gives itself no more. */
  readonly terms: Pick<ToolTerms, 'process' | 'network' | 'paths' | 'secrets'>;
  /** The limits that its caller asked for, of those that a process of its own can be held to. */
  readonly limits: Pick<RequestedLimits, 'memoryBytes' | 'cpuMillicores'>;
  readonly onProgress: (progress: { readonly percent: number | null; readonly phase: string | null }) => void;
  /** Tells a checkpoint that the call says it has passed. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void;
  /** Stops the call's clock while the person is asked something for it, until the returned function is called. */
  readonly waitsForPerson?: () => () => void;
  /** Keeps what is no text (pictures, sound) as stored output of this call, one after another. Null where it may not be kept. */
  readonly keep: (bytes: Uint8Array, mediaType: string) => Promise<StoredOutput | null>;
}

export interface SourceAnswer {
  /** The raw text: whoever asked sanitizes, redacts and shortens it. */
  readonly content: string;
  /** Null where it gave none. */
  readonly structured: Json | null;
  readonly storedOutputs: readonly StoredOutput[];
  readonly confinement: Confinement | null;
  readonly warnings: readonly string[];
}

/** A source that can't be used now. In plain words: what, where, what to do. */
export class SourceProblem extends Error {
  readonly kind: 'refused' | 'failed';
  constructor(kind: 'refused' | 'failed', message: string) {
    super(message);
    this.name = 'SourceProblem';
    this.kind = kind;
  }
}
