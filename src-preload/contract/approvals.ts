import type { Confinement, Door, RiskLevel } from './calls.js';
import type { JsonObject } from './json.js';

/** A part of a command that deserves a second look. Offsets are UTF-16 positions in the command as shown. */
export interface CommandFinding {
  readonly start: number;
  readonly end: number;
  readonly severity: 'notice' | 'danger';
  /** In plain words: “deletes build/ and everything in it”. */
  readonly explanation: string;
}

export interface FileEffect {
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** Null when there is none, or when it is not text or too large to show. */
  readonly before: string | null;
  readonly after: string | null;
  readonly note: string | null;
}

/** What a call would do: the thing itself. */
export type Effect =
  | { readonly kind: 'files'; readonly files: readonly FileEffect[] }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly findings: readonly CommandFinding[];
      /** Absent in what was shown before there was such an offer. */
      readonly rule?: RuleOffer;
      /** By its own words it is Git, which may write to its `.git`. */
      readonly git?: boolean;
      /** What it can change outside as well, in words; absent where nothing is known of the kind. */
      readonly mayBeShared?: string;
    }
  | { readonly kind: 'arguments' }
  /** It would fail, or can't be shown; the person sees why. */
  | { readonly kind: 'problem'; readonly message: string };

export interface ApprovalCall {
  readonly callId: string;
  readonly tool: string;
  readonly summary: string;
  readonly risk: RiskLevel;
  /** The rule that made it ask, in one sentence. */
  readonly why: string;
  readonly arguments: JsonObject;
  readonly originalArguments: JsonObject | null;
  readonly inputSchema: JsonObject;
  readonly effect: Effect;
  /** Why a yes in advance does not hold any more: what it would run is not what it ran. Else null. */
  readonly runnerChange: RunnerChange | null;
  /** Whether it can be taken back, in words. */
  readonly undo: string;
  /** For commands: what confinement and network would be; otherwise null. */
  readonly confinement: string | null;
  /** The same if the person allows the network for this one call; null where that is not offered. */
  readonly confinementWithNetwork: string | null;
  /** The person may let this one call write to `.git`, which is read-only to it otherwise. */
  readonly offersGit?: boolean;
  readonly timeoutMs: number;
}

/** One sheet: what one asker wants, all at once. */
export interface ApprovalRequest {
  readonly batchId: string;
  readonly door: Door;
  readonly client: string | null;
  /** Whose token or named pipe it came with; null where there is none. */
  readonly agent: string | null;
  readonly since: number;
  /** The caller left: it can still be decided, nobody waits for the answer, and the result is found in History. */
  readonly callerGone: boolean;
  /** Nothing is left to decide (the caller took everything back): the sheet says so and offers only Close. */
  readonly over: boolean;
  readonly calls: readonly ApprovalCall[];
  /** The folders that tools may touch, where they are not simply the workspace. */
  readonly roots: readonly string[];
  /** SHA-256 over everything above that matters; a decision must quote it. */
  readonly digest: string;
}

/** A standing yes, as `[[tools.approval.confirmed]]` has it. */
export interface RememberedRule {
  readonly tool: string;
  readonly command?: string;
  readonly prefix?: string;
  readonly expires?: string;
  /** The one folder it holds in; absent means every folder. */
  readonly workspace?: string;
  /** How closely commands were held when it was given: with less it does not hold. */
  readonly confinement?: Confinement;
  /** Of what a runner ran then. */
  readonly digest?: string;
}

/** Whether a rule could cover a command, and what is to be said about that. */
export interface RuleOffer {
  /** Why none can; null where one can. */
  readonly impossible: string | null;
  /** First words that make a good rule; null where only the whole command does. */
  readonly prefix: string | null;
  /** That it runs whatever the folder’s own scripts contain, in words; null where it does not. */
  readonly runs: string | null;
}

/** What a runner would run now, and what it ran when the person said yes to it in advance. */
export interface RunnerChange {
  readonly file: string;
  /** Null where it was not kept. */
  readonly before: string | null;
  readonly after: string;
}

export type RememberScope = 'session' | 'workspace' | 'always';

export type Decision =
  | { readonly kind: 'approve-all' }
  | { readonly kind: 'approve-selected'; readonly callIds: readonly string[] }
  | { readonly kind: 'deny-all' };
