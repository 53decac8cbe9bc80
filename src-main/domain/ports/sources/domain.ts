import type { JsonObject } from '#contract/vocabulary/json.js';

/** The domain whose package is taken now, as its door serves it. */
export interface ServedDomain {
  readonly domainId: string;
  readonly version: string;
  /** Sorted by id. */
  readonly tools: readonly ServedTool[];
}

export interface ServedTool {
  readonly id: string;
  /** The name that the registry gives it. */
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly capabilities: readonly string[];
  readonly timeoutSec: number;
  readonly egress: readonly string[];
  readonly transportEndpoint: string;
  readonly idempotent: boolean;
  readonly inputSchema: JsonObject | null;
  readonly outputSchema: JsonObject | null;
}

/** The domain, for the door that serves it. */
export interface Domain {
  /** Null without a package. */
  readonly served: () => ServedDomain | null;
}
