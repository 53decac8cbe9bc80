import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { FailureCode, OutcomeKind } from '#contract/vocabulary/outcomes.js';
import type { RiskLevel } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { HookVerdict } from '../../policy/hook-verdict.js';
import type { ToolIdentity } from '../../tool/tool-identity.js';

/**
 * A call as hooks are told of it: hooks before it get it as it is, since they judge what runs; hooks after it get it
 * without secrets.
 */
export interface HookedCall {
  readonly callId: string;
  readonly tool: ToolIdentity;
  readonly arguments: JsonObject;
  readonly risk: RiskLevel | null;
  readonly summary: string;
  readonly door: string;
  readonly client: string | null;
  readonly agent: string | null;
  /**
   * The paths that it would write, as it was planned: from the folder, or whole where that is elsewhere. Left out where
   * there were none.
   */
  readonly paths?: readonly string[];
}

export interface HookResult {
  readonly outcome: OutcomeKind;
  readonly code: FailureCode | null;
  readonly durationMs: number | null;
}

/** Where a hook runs: the folder that it may read, and the configuration by which it is confined. */
export interface HookContext {
  /** The open folder, by its real path; '' where there is none. */
  readonly folder: string;
  readonly config: Config;
}

/** The person's programs that judge calls before they run, and are told of them afterwards. */
export interface CallHooks {
  /**
   * The identity of the hooks that would judge this call now: another value where another hook would, or the same
   * otherwise. Null where none would. It is looked up for every call, so it does nothing that takes time.
   */
  identifyJudges(tool: ToolIdentity): string | null;
  /** Runs them, side by side. It never throws: what goes wrong is a failure of the hook. */
  judge(call: HookedCall, place: HookContext, signal: AbortSignal): Promise<HookJudgement>;
  /** Whether any hook is told of this tool's calls. */
  isTold(tool: ToolIdentity): boolean;
  tell(call: HookedCall, result: HookResult, place: HookContext, signal: AbortSignal): Promise<readonly HookRun[]>;
}

export interface HookJudgement {
  readonly runs: readonly HookRun[];
  readonly verdict: HookVerdict;
}
