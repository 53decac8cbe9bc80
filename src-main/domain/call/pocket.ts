import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { TraceParent } from './trace-context.js';

/**
 * What a door gives along with a call for the tool that runs it, and what that gives back beside the result. The gate carries it, and looks
 * into nothing of it; it is not recorded, and a call that outlives its asker has none.
 */
export interface Pocket {
  readonly traceId: string;
  /** As it came; null where none did. */
  readonly traceParent: TraceParent | null;
  /** Unix ms; null where the asker said none. */
  readonly deadlineMs: number | null;
  /** Told what the worker answered, without secrets. */
  readonly onAnswer: (answer: WorkerAnswer) => void;
}

/** What a worker said of one run, whole. */
export type WorkerAnswer =
  | { readonly kind: 'output'; readonly output: Json; readonly durationMs: number | null }
  | {
      readonly kind: 'error';
      readonly code: 'UPSTREAM_ERROR' | 'VALIDATION_ERROR' | 'TIMEOUT' | 'INTERNAL';
      readonly message: string;
      readonly retryable: boolean;
      readonly details: JsonObject;
      readonly durationMs: number | null;
    };
