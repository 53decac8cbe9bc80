import type { ToolPolicy } from '../../vocabulary/tools/tools.js';
import type { RiskLevel } from '../../vocabulary/calls.js';
import type { JsonObject } from '../../vocabulary/json.js';

/** The results of a search on the Tools page, best first. */
export interface ToolSearchResult {
  readonly tools: readonly {
    readonly name: string;
    readonly toolId: string;
    readonly source: string;
    readonly title: string;
    /** 0–1. */
    readonly score: number;
  }[];
  readonly search: 'meaning' | 'words';
  /** Why only words were compared where meaning was to count; null where nothing went wrong. */
  readonly warning: string | null;
}

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
  /** The rule or setting that makes it so. */
  readonly policyReason: string;
  /** Whether “Ask” would make it ask. */
  readonly canAsk: boolean;
}
