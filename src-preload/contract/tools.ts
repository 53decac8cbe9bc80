import type { RiskLevel } from './calls.js';
import type { JsonObject } from './json.js';

export type ToolPolicy = 'allow' | 'ask' | 'deny';

/** A tool as the Tools page shows it. */
export interface ToolView {
  readonly name: string;
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly requiredCapabilities: readonly string[];
  readonly resourceLimits: JsonObject;
  readonly deterministic: boolean;
  readonly idempotent: boolean;
  readonly sideEffecting: boolean;
  readonly requiresApproval: boolean;
  readonly risk: RiskLevel;
  readonly timeoutMs: number;
  readonly policy: ToolPolicy;
  /** Which rule or setting makes it so. */
  readonly policyReason: string;
}

/** What would happen to a call, without running it. */
export interface PlanPreview {
  readonly disposition: 'run' | 'ask' | 'settled';
  readonly why: string;
  readonly summary: string | null;
  readonly risk: RiskLevel | null;
  readonly code: string | null;
}
