import type { ToolPolicy } from '../vocabulary/tools.js';
import type { RiskLevel } from '../vocabulary/calls.js';
import type { JsonObject } from '../vocabulary/json.js';

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
