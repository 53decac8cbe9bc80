import type { Confinement } from '../vocabulary/calls.js';
import type { RuleRemark } from '../vocabulary/rules.js';
import type { PlanPreview } from '../vocabulary/tools/tools.js';
import type { RuleOptions } from './approvals.js';

/** A rule that lets calls run now, or would if no remark were against it. */
export interface RuleView {
  readonly id: string;
  /** The lifetime: in the person's own file, or until Gatehouse quits. */
  readonly kept: 'settings' | 'until-quit';
  readonly tool: string;
  readonly command: string | null;
  readonly prefix: string | null;
  /** The agent, by its token; null where it holds for all, or for one session. */
  readonly agent: string | null;
  /** The one session it holds for, by what its client calls itself; null where it holds for more than one. */
  readonly session: string | null;
  /** Null where it holds in every folder. */
  readonly workspace: string | null;
  readonly expires: string | null;
  readonly confinement: Confinement | null;
  /** Whether it holds also after text was read that the person did not write. */
  readonly foreign: boolean;
  /** The places outside its folder that what it lets run may read. */
  readonly readable: readonly string[];
  readonly used: number;
  /** When the last call was asked for that it let run. */
  readonly lastUsed: number | null;
  readonly remarks: readonly RuleRemark[];
}

/** A repeated question to the person that one rule could answer. */
export interface RuleSuggestion {
  readonly id: string;
  readonly tool: string;
  readonly agent: string | null;
  readonly asked: number;
  /** The commands, each once, the most frequent first. */
  readonly commands: readonly string[];
  readonly rule: RuleOptions;
}

/** A test of a call: its plan, and the findings in it. */
export interface CallTest {
  readonly plan: PlanPreview;
  readonly findings: readonly { readonly words: string; readonly danger: boolean }[];
}
