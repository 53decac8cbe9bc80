import type { RiskLevel } from '../calls.js';
import type { DecidingRule } from '../rules.js';

export type ToolPolicy = 'allow' | 'ask' | 'deny';

/** The preview of a call's plan, without running it. */
export interface PlanPreview {
  readonly disposition: 'run' | 'ask' | 'settled';
  readonly why: string;
  /** The one rule that decided; null where none had to: the call itself is at fault. */
  readonly rule: DecidingRule | null;
  readonly summary: string | null;
  readonly risk: RiskLevel | null;
  readonly code: string | null;
}
