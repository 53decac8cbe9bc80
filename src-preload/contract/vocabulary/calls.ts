import type { JsonObject } from './json.js';
import type { CallDisplayState, LifecycleState } from './lifecycle.js';
import type { FailureCode, OutcomeKind } from './outcomes.js';
import type { PutAsideFile } from './put-aside.js';

/** Where a request came in; `window` is what the person does there themselves (undo). */
export const DOORS = ['mcp', 'compose', 'conversation', 'window', 'gateway'] as const;
export type Door = (typeof DOORS)[number];

/** What a request came in with: which token or which pipe, and never the secret itself. */
export interface Credential {
  readonly kind: 'persons-token' | 'agent-token' | 'pipe';
  /** Of a token the beginning of its SHA-256, of a pipe the name that it was opened under. */
  readonly id: string;
}

export const RISK_LEVELS = ['low', 'medium', 'high'] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** What was in force while a command ran. */
export type Confinement = 'confined' | 'network' | 'unconfined';

export interface ChangedFile {
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  readonly undoable: boolean;
  /** Why it can't be undone, in words; null when it can. */
  readonly note: string | null;
  /** High risk, and why: what other programs obey, a program with its owner's rights, a repository. */
  readonly danger?: string;
}

/** One call, as lists show it. The wire's `/v1/calls` has these fields and no display ones. */
export interface CallSummary {
  readonly callId: string;
  readonly batchId: string;
  /** What it was called by. */
  readonly tool: string;
  /** Which tool and which version of it that was; null where no tool has the name. */
  readonly toolId: string | null;
  readonly version: string | null;
  readonly summary: string;
  readonly state: LifecycleState;
  readonly display: CallDisplayState;
  /** VALIDATED and waiting for the person (or, in parse-only mode, for a result). */
  readonly awaiting: 'decision' | 'result' | null;
  readonly outcome: OutcomeKind | null;
  readonly code: FailureCode | null;
  readonly reason: string | null;
  readonly door: Door;
  readonly client: string | null;
  /** Whose token or named pipe it came with; null where there is none. */
  readonly agent: string | null;
  readonly risk: RiskLevel | null;
  /** Unix ms of DECLARED. */
  readonly startedAt: number;
  /** Unix ms of EXECUTING, for the elapsed time and the time-out bar. */
  readonly executingSince: number | null;
  readonly timeoutMs: number | null;
  readonly durationMs: number | null;
  readonly confinement: Confinement | null;
  readonly hasChanges: boolean;
  readonly hasOutput: boolean;
}

export interface LifecycleEventView {
  readonly seq: number;
  readonly state: LifecycleState;
  readonly at: number;
  readonly hash: string;
  /** Plain words where the state alone does not say it: the rule that permitted, asked, edited, retried. */
  readonly note: string | null;
  /** Which rule let it run, asked or denied it. Of what was recorded before rules had names there is none. */
  readonly rule?: string;
}

/** One call whole, as the detail pane and `/v1/calls/<id>` show it. */
export interface CallDetail extends CallSummary {
  /** For whom it was asked, where the asker's door knows. */
  readonly tenant: string | null;
  readonly user: string | null;
  /** Null for what came through the window. */
  readonly credential: Credential | null;
  readonly arguments: JsonObject;
  readonly originalArguments: JsonObject | null;
  /** What was granted: what the tool declares, and `network` where the person allowed it for this call. */
  readonly capabilities: readonly string[];
  readonly result: string | null;
  readonly structured: JsonObject | null;
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** How many secrets were blotted out of its arguments, result and output. */
  readonly redactions: number;
  readonly changedFiles: readonly ChangedFile[];
  /** Of the files that other programs obey, what was taken away after the command and is offered back. */
  readonly putAside: readonly PutAsideFile[];
  readonly events: readonly LifecycleEventView[];
  /** The call that undid this one's changes, and what it undid itself. */
  readonly undoneBy: string | null;
  readonly undoes: string | null;
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
  readonly from?: number;
  readonly to?: number;
}
