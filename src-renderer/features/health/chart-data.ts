import type { CallDisplayState } from '#contract/vocabulary/lifecycle.js';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';

export interface StackedColumns {
  /** Unix seconds. */
  readonly at: readonly number[];
  /** The heights of the top edge, for each series, so that drawing them from the last to the first stacks them. */
  readonly succeeded: readonly number[];
  readonly failed: readonly number[];
  readonly denied: readonly number[];
}

export function stackColumns(timeline: TelemetrySnapshot['timeline']): StackedColumns {
  return {
    at: timeline.map((step) => step.at / 1000),
    succeeded: timeline.map((step) => step.succeeded),
    failed: timeline.map((step) => step.succeeded + step.failed),
    denied: timeline.map((step) => step.succeeded + step.failed + step.denied),
  };
}

export interface Share {
  readonly state: Extract<CallDisplayState, 'completed' | 'failed' | 'denied'>;
  readonly count: number;
  /** The part of all, 0 to 1. */
  readonly part: number;
}

export function computeShares(telemetry: Pick<TelemetrySnapshot, 'tools'>): readonly Share[] {
  const sum = (pick: (tool: TelemetrySnapshot['tools'][number]) => number) =>
    telemetry.tools.reduce((total, tool) => total + pick(tool), 0);
  const counts = [
    { state: 'completed', count: sum((tool) => tool.succeeded) },
    { state: 'failed', count: sum((tool) => tool.failed) },
    { state: 'denied', count: sum((tool) => tool.denied) },
  ] as const;
  const total = counts.reduce((all, { count }) => all + count, 0);
  return counts.map((each) => ({ ...each, part: total === 0 ? 0 : each.count / total }));
}

/** Places a duration between 1 ms and `longest`, 0 to 1: on a logarithmic scale a second and a minute both show. */
export function computeLogPosition(ms: number, longest: number): number {
  if (ms <= 1 || longest <= 1) return 0;
  return Math.min(1, Math.log(ms) / Math.log(longest));
}
