import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { TraceParent } from '../../call/trace-context.js';

/** The domain whose package is taken now, as its door serves it. */
export interface ServedDomain {
  readonly domainId: string;
  readonly version: string;
  /** Sorted by id. */
  readonly tools: readonly ServedTool[];
}

export interface ServedTool {
  readonly id: string;
  /** What the registry calls it. */
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

/** What who asks for a run says besides its input. */
export interface RunWishes {
  readonly traceId: string;
  /** As it came; null where none did. */
  readonly traceParent: TraceParent | null;
  /** Unix ms; null where it said none. */
  readonly deadlineMs: number | null;
}

/** What a worker said of one run, for who asked for it over HTTP: whole, and only while it is asked for. */
export type RunSaid =
  | { readonly kind: 'output'; readonly output: Json; readonly durationMs: number | null }
  | {
      readonly kind: 'error';
      readonly code: 'UPSTREAM_ERROR' | 'VALIDATION_ERROR' | 'TIMEOUT' | 'INTERNAL';
      readonly message: string;
      readonly retryable: boolean;
      readonly details: JsonObject;
      readonly durationMs: number | null;
    };

/** The domain, for the door that serves it. */
export interface Domain {
  /** Null without a package. */
  readonly served: () => ServedDomain | null;
  /** Told right after a call was asked for, and before it can run; `end` forgets it. */
  readonly runs: {
    readonly begin: (callId: string, wishes: RunWishes) => void;
    /** Null where no worker was heard. Without secrets. */
    readonly said: (callId: string) => RunSaid | null;
    readonly end: (callId: string) => void;
  };
}
