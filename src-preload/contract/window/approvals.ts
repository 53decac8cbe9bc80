import type { Effect, RunnerChange } from '../vocabulary/effects.js';
import type { RiskLevel, CallOrigin } from '../vocabulary/calls.js';
import type { JsonObject } from '../vocabulary/json.js';
import type { NetworkOffer } from '../vocabulary/network.js';
import type { TermChip } from '../vocabulary/term-chips.js';

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
  /** Its grants, and how much of it can be undone: part of what is decided. */
  readonly terms: readonly TermChip[];
  /** The network access that the person may grant this one call; null where none is offered. */
  readonly network: NetworkOffer | null;
  /** The person may let this one call write to `.git`, which is read-only to it otherwise. */
  readonly offersGit?: boolean;
  /** Files of secrets that it is given names of; the person may reveal their values to this one call. Left out where none. */
  readonly secrets?: readonly string[];
  /** Hidden files that it failed for: the person may let this one call read each. Left out where there are none. */
  readonly mayRead?: readonly string[];
  /** The taint of its asker's model by what it has read. Left out where there is none. */
  readonly taint?: {
    readonly words: string;
    /** The reader of those texts, as `given.forget` takes it. */
    readonly to: string;
    /** Whether it would run if the person trusted what is written in this folder. */
    readonly trustWouldDo: boolean;
  };
  readonly timeoutMs: number;
  readonly rule: RuleOptions;
}

/** The extent that a rule made of a call could have. */
export interface RuleOptions {
  /** Why none can apply, in words; null where one can. */
  readonly impossible: string | null;
  /** The whole command; null where a rule is for all that the tool is asked for. */
  readonly command: string | null;
  /** First words that make a good rule; null where there are none. */
  readonly prefix: string | null;
  /** A warning that it runs whatever the folder’s own scripts contain, in words; null where it does not. */
  readonly runs: string | null;
  /** Places outside the folder that it could let commands read: the call failed without them. */
  readonly readable: readonly string[];
  /**
   * A warning that it would not hold now, after what was read, in words; null where nothing was read that is against
   * it.
   */
  readonly afterText: string | null;
}

/** The past calls that a rule would have covered. */
export interface RulePreview {
  /** The number of the last calls of its tool that were checked, and how many of these it would have covered. */
  readonly looked: number;
  readonly covered: number;
  /** Examples of them, the newest first. */
  readonly examples: readonly string[];
}

/** A call that came after its sheet was drawn, and is not on it. */
export type CallBehindSheet = Pick<ApprovalCall, 'callId' | 'tool' | 'summary' | 'risk'>;

/** A call that its caller took back while it waited for the person: nothing of it ran. */
export interface WithdrawnCalls extends CallOrigin {
  readonly callId: string;
  readonly summary: string;
  readonly session: string;
  /** The title of the conversation that asked for it; null for any other asker. */
  readonly conversation: string | null;
}

/** An approval sheet: the calls that one asker wants. */
export interface ApprovalRequest extends CallOrigin {
  readonly batchId: string;
  /** The number of this sheet among its asker's: with another number it is another sheet, whatever else is equal. */
  readonly drawing: number;
  /** The id of the conversation, where one asks. */
  readonly session: string;
  /** Whether its agent has a token, so that a rule can be for it; for any other one it ends with the session. */
  readonly hasToken: boolean;
  readonly since: number;
  /** The caller left: it can still be decided, nobody waits for the answer, and the result is found in History. */
  readonly callerGone: boolean;
  readonly calls: readonly ApprovalCall[];
  readonly behind: readonly CallBehindSheet[];
  /** The folder that all of it is for, by its real path. */
  readonly workspace: string;
  /** The folders that tools may touch, where they are not simply that one. */
  readonly roots: readonly string[];
  /** SHA-256 over all that would be decided; a decision must quote it. What waits behind is not in it. */
  readonly digest: string;
}
