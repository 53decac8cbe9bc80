import type { HookRun } from './hooks.js';
import type { JsonObject } from './json.js';
import type { CallDisplayState, LifecycleState } from './lifecycle.js';
import type { Nature } from './nature.js';
import type { ECode, FailureCode, OutcomeKind } from './outcomes.js';
import type { QuarantinedFile } from './activity/quarantine.js';

/** Where a request came in; `window` is what the person does there themselves (undo). */
export const DOORS = ['mcp', 'compose', 'conversation', 'window', 'gateway'] as const;
export type Door = (typeof DOORS)[number];

/** Sessions of test calls, which the window makes for a client: the person's own, and in no list but History's. */
export const TEST_SESSION = 'test-call-';

/** The credential of a request: which token or which pipe, and never the secret itself. */
export interface Credential {
  readonly kind: 'persons-token' | 'agent-token' | 'pipe';
  /** The beginning of a token's SHA-256, or the name that a pipe was opened under. */
  readonly id: string;
}

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** The confinement that was in force while a command ran. */
export type Confinement = 'confined' | 'network' | 'unconfined';

export interface ChangedFile {
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  readonly undoable: boolean;
  /** Why it can't be undone, in words; null when it can. */
  readonly note: string | null;
  /** High risk, and why: what other programs obey, a program with its owner's rights, a repository. */
  readonly danger?: string;
  /** Left out for what is no text, and where it could not be counted. */
  readonly lines?: LineChanges;
}

/** How many lines came and went. */
export interface LineChanges {
  readonly added: number;
  readonly removed: number;
}

/** The person themselves; a rule of theirs, given in advance; or what the settings say. */
export const DECIDERS = ['person', 'rule', 'settings'] as const;
export type Decider = (typeof DECIDERS)[number];

/** Who asked for a call, as everybody may see it. */
export interface CallOrigin {
  readonly door: Door;
  /** “name version” by its own word: shown, and never believed. */
  readonly client: string | null;
  /** The agent whose token or named pipe it came with; null where there is none. */
  readonly agent: string | null;
  /** The tenant and the user that it was asked for, by the asker's word; null where that was not said. */
  readonly tenant: string | null;
  readonly user: string | null;
}

/** One call, as lists show it. The wire's `/v1/calls` has these fields and no display ones. */
export interface CallSummary extends CallOrigin {
  readonly callId: string;
  readonly batchId: string;
  /** The name that it was called by. */
  readonly tool: string;
  /** The tool's id, beside its version; null where no tool has the name. */
  readonly toolId: string | null;
  readonly version: string | null;
  /** The nature of the tool when it was called; null where no tool has the name. */
  readonly nature: Nature | null;
  readonly summary: string;
  /** The folder that it was asked for, by its real path; '' where none was open. */
  readonly workspace: string;
  readonly state: LifecycleState;
  readonly display: CallDisplayState;
  /** VALIDATED and waiting for the person (or, in parse-only mode, for a result). */
  readonly awaiting: 'decision' | 'result' | null;
  readonly outcome: OutcomeKind | null;
  readonly code: FailureCode | null;
  readonly reason: string | null;
  /** The conversation, MCP session or Compose session that it belongs to. */
  readonly session: string;
  readonly risk: RiskLevel | null;
  /** Unix ms of DECLARED. */
  readonly startedAt: number;
  /** Unix ms of EXECUTING, for the elapsed time and the time-out bar. */
  readonly executingSince: number | null;
  readonly timeoutMs: number | null;
  readonly durationMs: number | null;
  readonly confinement: Confinement | null;
  readonly hasChanges: boolean;
  /** Line counts over all files that it changed; null where none could be counted. */
  readonly lines: LineChanges | null;
  /** The exit code of a command that ended by itself. */
  readonly exitCode: number | null;
  /** Null as long as nobody did, and where nobody had to. */
  readonly decidedBy: Decider | null;
  readonly hasOutput: boolean;
}

export type LifecycleEventView = LifecycleStepView &
  ({ readonly type?: never } | ({ readonly type: 'hook' } & HookRun));

interface LifecycleStepView {
  readonly seq: number;
  readonly state: LifecycleState;
  readonly at: number;
  readonly hash: string;
  /** Plain words where the state alone does not say it: the rule that permitted, asked, edited, retried. */
  readonly note: string | null;
  /** The rule that let it run, asked or denied it; other steps have none. */
  readonly rule?: string;
}

/** `host:port` each, in the order in which they were first asked for. */
export interface NetworkUse {
  readonly reached: readonly string[];
  readonly refused: readonly string[];
}

/**
 * The traces of a call besides its result, as its observers found them: recorded apart, whatever the tool says of
 * itself.
 */
export interface Aftermath {
  /**
   * The quarantined files: other programs obey them, and they were taken away after the command and are offered back.
   */
  readonly putAside: readonly QuarantinedFile[];
  /** False where it is not certain that nothing more was left that other programs obey. */
  readonly lookComplete: boolean;
  /** False where it may have changed more than is listed. */
  readonly changesComplete: boolean;
  /** Where it might use single hosts, what it asked of the network; null where it asked for nothing. */
  readonly networkUse: NetworkUse | null;
  /** Warnings for its caller that don't change its outcome. */
  readonly warnings: readonly string[];
  /** The last point that it said it had passed. Absent where it said none. */
  readonly checkpoint?: Checkpoint;
}

/** A point that a call has passed, as what runs it says. */
export interface Checkpoint {
  readonly id: string;
  readonly kind: 'macro' | 'named';
  readonly label: string | null;
  /** When it was said (Unix ms). */
  readonly at: number;
  /** The size of the state that it would need to go on from there. */
  readonly stateBytes: number;
}

export const NO_AFTERMATH: Aftermath = {
  putAside: [],
  lookComplete: true,
  changesComplete: true,
  networkUse: null,
  warnings: [],
};

/** The whole of one call, as the detail pane and `/v1/calls/<id>` show it. */
export interface CallDetail extends CallSummary, Aftermath {
  /** Null for what came through the window. */
  readonly credential: Credential | null;
  /** The id that a conversation's model gave it; null for a call that no model asked for, or without an id. */
  readonly providerCallId: string | null;
  readonly arguments: JsonObject;
  readonly originalArguments: JsonObject | null;
  /**
   * The granted capabilities: those that the tool declares, and `network` where the person allowed it for this call.
   */
  readonly capabilities: readonly string[];
  readonly result: string | null;
  readonly structured: JsonObject | null;
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** The number of secrets that were redacted in its arguments, result and output. */
  readonly redactions: number;
  readonly changedFiles: readonly ChangedFile[];
  /** The code that other products have for its end, where they have one. */
  readonly eCode: ECode | null;
  /** How often the same came again after the person had denied it, and was denied without asking. */
  readonly repeats: number;
  readonly events: readonly LifecycleEventView[];
  /** The call that undid this one's changes, and what it undid itself. */
  readonly undoneBy: string | null;
  readonly undoes: readonly string[];
}

/** One part of a source's result that is not text, by its number; its kind is told by its own first bytes. */
export type NonTextPart = {
  readonly number: number;
  readonly bytes: number;
  /** Whether it is still kept, and as it was recorded. */
  readonly there: boolean;
} & (
  | { readonly kind: 'picture'; readonly mediaType: string; readonly width: number; readonly height: number }
  | { readonly kind: 'sound'; readonly mediaType: string }
  | { readonly kind: 'other' }
);

/**
 * The redacted texts of a call, for the person alone. Null where nothing was redacted, or it is not kept or can't be
 * opened.
 */
export interface RevealedCall {
  readonly arguments: JsonObject | null;
  readonly originalArguments: JsonObject | null;
  readonly result: string | null;
  readonly structured: JsonObject | null;
  readonly outputs: readonly RevealedOutput[];
}

/** An output from its first redacted place on. */
export interface RevealedOutput {
  readonly stream: 'stdout' | 'stderr';
  /** The number of stored bytes before it. */
  readonly from: number;
  readonly text: string;
  readonly complete: boolean;
}

export interface CallPage<Row = CallSummary> {
  readonly calls: readonly Row[];
  readonly next: string | null;
}

export interface CallFilter {
  readonly query?: string;
  readonly tool?: string;
  readonly state?: string;
  readonly door?: Door;
  readonly agent?: string;
  /** The folder, by its real path. */
  readonly workspace?: string;
  readonly decidedBy?: Decider;
  /** Whether it changed files. */
  readonly changed?: boolean;
  /** Commands that ended well, or those that ended with an exit code other than 0. */
  readonly exit?: 'zero' | 'other';
  readonly session?: string;
  /** The name of the person's rule that let it run. */
  readonly rule?: string;
  readonly from?: number;
  readonly to?: number;
}
