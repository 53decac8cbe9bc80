import type { RiskLevel } from './calls.js';

export type ToolPolicy = 'allow' | 'ask' | 'deny';

/** What would happen to a call, without running it. */
export interface PlanPreview {
  readonly disposition: 'run' | 'ask' | 'settled';
  readonly why: string;
  readonly summary: string | null;
  readonly risk: RiskLevel | null;
  readonly code: string | null;
}
