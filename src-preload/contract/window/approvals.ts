import type { Effect, RunnerChange } from '../vocabulary/effects.js';
import type { Confinement, Door, RiskLevel } from '../vocabulary/calls.js';
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
  /** What it would get, and what of it can be undone: part of what is decided. */
  readonly terms: readonly TermChip[];
  /** What of the network the person may allow this one call; null where nothing of it is offered. */
  readonly network: NetworkOffer | null;
  /** The person may let this one call write to `.git`, which is read-only to it otherwise. */
  readonly offersGit?: boolean;
  /** Files of secrets that it is given names of; the person may reveal their values to this one call. Left out where none. */
  readonly secrets?: readonly string[];
  /** What was hidden from it, and it failed for: the person may let this one call read each. Left out where nothing. */
  readonly mayRead?: readonly string[];
  /** What its asker's model has read is against it. Left out where nothing is. */
  readonly taint?: {
    readonly words: string;
    /** To whom it was given, as `given.forget` takes it. */
    readonly to: string;
    /** It would run if the person trusted what is written in this folder. */
    readonly trustWouldDo: boolean;
  };
  readonly timeoutMs: number;
  readonly rule: RulePossible;
}

/** What a rule could cover that is made of a call. */
export interface RulePossible {
  /** Why none can apply, in words; null where one can. */
  readonly impossible: string | null;
  /** The whole command; null where a rule is for all that the tool is asked for. */
  readonly command: string | null;
  /** First words that make a good rule; null where there are none. */
  readonly prefix: string | null;
  /** That it runs whatever the folder’s own scripts contain, in words; null where it does not. */
  readonly runs: string | null;
  /** That it would not hold now, after what was read, in words; null where nothing was read that is against it. */
  readonly afterText: string | null;
}

/** What a rule would have covered. */
export interface RulePreview {
  /** How many of the last calls of its tool were looked at, and how many of these it would have covered. */
  readonly looked: number;
  readonly covered: number;
  /** Some of them, the newest first. */
  readonly examples: readonly string[];
}

/** What came after its sheet was drawn, and is not on it. */
export type WaitingBehind = Pick<ApprovalCall, 'callId' | 'tool' | 'summary' | 'risk'>;

/** A call that its caller took back while it waited for the person: nothing of it ran. */
export interface TakenBack {
  readonly callId: string;
  readonly summary: string;
  readonly door: Door;
  readonly session: string;
  readonly client: string | null;
  readonly agent: string | null;
  readonly tenant: string | null;
  readonly user: string | null;
  /** What the conversation is called that asked for it; null for whoever else did. */
  readonly conversation: string | null;
}

/** One sheet: what one asker wants. */
export interface ApprovalRequest {
  readonly batchId: string;
  /** Which sheet of its asker's this is: with another number it is another sheet, whatever else is equal. */
  readonly drawing: number;
  readonly door: Door;
  /** Of a conversation, its id. */
  readonly session: string;
  readonly client: string | null;
  /** Whose token or named pipe it came with; null where there is none. */
  readonly agent: string | null;
  /** For whom it asks, by its own word; null where it did not say. */
  readonly tenant: string | null;
  readonly user: string | null;
  /** Its agent has a token, so that a rule can be for it; for any other one ends with the session. */
  readonly hasToken: boolean;
  readonly since: number;
  /** The caller left: it can still be decided, nobody waits for the answer, and the result is found in History. */
  readonly callerGone: boolean;
  readonly calls: readonly ApprovalCall[];
  readonly behind: readonly WaitingBehind[];
  /** The folder that all of it is for, by its real path. */
  readonly workspace: string;
  /** The folders that tools may touch, where they are not simply that one. */
  readonly roots: readonly string[];
  /** SHA-256 over all that would be decided; a decision must quote it. What waits behind is not in it. */
  readonly digest: string;
}

/** A standing yes, as `[[tools.approval.confirmed]]` has it. */
export interface RememberedRule {
  readonly tool: string;
  /** The agent that it holds for, by its token; absent means all. */
  readonly agent?: string;
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
