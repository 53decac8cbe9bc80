import type { Confinement } from '../vocabulary/calls.js';
import type { RuleRemark } from '../vocabulary/rules.js';
import type { PlanPreview } from '../vocabulary/tools/tools.js';
import type { RulePossible } from './approvals.js';

/** A rule that lets calls run now, or would if nothing stood against it. */
export interface RuleView {
  readonly id: string;
  /** In the person's own file, or until Gatehouse quits. */
  readonly kept: 'settings' | 'until-quit';
  readonly tool: string;
  readonly command: string | null;
  readonly prefix: string | null;
  /** By its token; null where it holds for all, or for one session. */
  readonly agent: string | null;
  /** The one session it holds for, by what its client calls itself; null where it holds for more than one. */
  readonly session: string | null;
  /** Null where it holds in every folder. */
  readonly workspace: string | null;
  readonly expires: string | null;
  readonly confinement: Confinement | null;
  /** It holds also after text that the person did not write was read. */
  readonly foreign: boolean;
  readonly used: number;
  /** When the last call was asked for that it let run. */
  readonly lastUsed: number | null;
  readonly remarks: readonly RuleRemark[];
}

/** What the person was asked about again and again, and one rule could answer. */
export interface RuleSuggestion {
  readonly id: string;
  readonly tool: string;
  readonly agent: string | null;
  readonly asked: number;
  /** What it was, each once, the most frequent first. */
  readonly commands: readonly string[];
  readonly rule: RulePossible;
}

/** What would happen to a call, and what was found in it. */
export interface CallTest {
  readonly plan: PlanPreview;
  readonly findings: readonly { readonly words: string; readonly danger: boolean }[];
}
