import type { Effect, RunnerChange } from '../vocabulary/effects.js';
import type { Confinement, Door, RiskLevel } from '../vocabulary/calls.js';
import type { JsonObject } from '../vocabulary/json.js';

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
