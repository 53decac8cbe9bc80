import { expect, it } from 'vitest';
import type { ToolTelemetry } from '#contract/vocabulary/telemetry.js';
import { computeLogPosition, computeShares, stackColumns } from './chart-data.js';

it('stacks what happened in each step', () => {
  expect(stackColumns([{ at: 2000, succeeded: 5, failed: 2, denied: 1 }])).toEqual({
    at: [2],
    succeeded: [5],
    failed: [7],
    denied: [8],
  });
});

it('shares out what was settled, also when nothing was', () => {
  const tool = (succeeded: number, failed: number, denied: number) =>
    ({ succeeded, failed, denied }) as unknown as ToolTelemetry;
  expect(computeShares({ tools: [tool(2, 1, 0), tool(0, 0, 1)] }).map(({ part }) => part)).toEqual([0.5, 0.25, 0.25]);
  expect(computeShares({ tools: [] }).every(({ part }) => part === 0)).toBe(true);
});

it('spreads durations so that short and long ones both show', () => {
  expect(computeLogPosition(0, 1000)).toBe(0);
  expect(computeLogPosition(1000, 1000)).toBe(1);
  expect(computeLogPosition(100, 10_000)).toBeCloseTo(0.5);
  expect(computeLogPosition(5, 0)).toBe(0);
});
