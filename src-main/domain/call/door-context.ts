import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { TraceParent } from './trace-context.js';

/**
 * Values that a door gives along with a call for the tool that runs it, and that come back beside the result. The gate
 * carries them, and looks into none of them; they are not recorded, and a call that outlives its asker has none.
 */
export interface DoorContext {
  readonly traceId: string;
  /** The trace parent as it came; null where none did. */
  readonly traceParent: TraceParent | null;
  /** Unix ms; null where the asker said none. */
  readonly deadlineMs: number | null;
  /** Hears the worker's answer, without secrets. */
  readonly onAnswer: (answer: WorkerAnswer) => void;
}

/** A worker's answer to one run, whole. */
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
