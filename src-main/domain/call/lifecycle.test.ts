import { describe, expect, it } from 'vitest';
import { LIFECYCLE_STATES, type LifecycleState } from '#contract/vocabulary/lifecycle.js';
import { LIFECYCLE_STEPS, type LifecycleStep, findNextState } from './lifecycle.js';

// Written out by hand from seed 000 §3, not derived from the table: a slip in either shows.
const ALLOWED: ReadonlyArray<readonly [LifecycleState, LifecycleStep, LifecycleState]> = [
  ['DECLARED', 'validate', 'VALIDATED'],
  ['DECLARED', 'fail', 'FAILED'],
  ['DECLARED', 'deny', 'DENIED'],
  ['DECLARED', 'abort', 'ABORTED'],
  ['VALIDATED', 'judge', 'VALIDATED'],
  ['VALIDATED', 'wait', 'VALIDATED'],
  ['VALIDATED', 'edit', 'VALIDATED'],
  ['VALIDATED', 'authorize', 'AUTHORIZED'],
  ['VALIDATED', 'fail', 'FAILED'],
  ['VALIDATED', 'deny', 'DENIED'],
  ['VALIDATED', 'abort', 'ABORTED'],
  ['AUTHORIZED', 'judge', 'AUTHORIZED'],
  ['AUTHORIZED', 'queue', 'AUTHORIZED'],
  ['AUTHORIZED', 'start', 'EXECUTING'],
  ['AUTHORIZED', 'fail', 'FAILED'],
  ['AUTHORIZED', 'wait', 'VALIDATED'],
  ['AUTHORIZED', 'deny', 'DENIED'],
  ['AUTHORIZED', 'abort', 'ABORTED'],
  ['EXECUTING', 'judge', 'EXECUTING'],
  ['EXECUTING', 'begin-process', 'EXECUTING'],
  ['EXECUTING', 'fail-once', 'EXECUTING'],
  ['EXECUTING', 'start-again', 'EXECUTING'],
  ['EXECUTING', 'complete', 'COMPLETED'],
  ['EXECUTING', 'fail', 'FAILED'],
  ['EXECUTING', 'deny', 'DENIED'],
  ['EXECUTING', 'abort', 'ABORTED'],
  ['ABORTED', 'roll-back', 'ROLLED_BACK'],
];

describe('the lifecycle, over the whole matrix', () => {
  for (const state of LIFECYCLE_STATES) {
    for (const step of LIFECYCLE_STEPS) {
      const expected = ALLOWED.find(([from, by]) => from === state && by === step)?.[2] ?? null;
      it(`${state} + ${step} → ${expected ?? 'nothing'}`, () => {
        expect(findNextState(state, step)).toBe(expected);
      });
    }
  }

  it('never leaves an end', () => {
    for (const end of ['COMPLETED', 'FAILED', 'DENIED', 'ROLLED_BACK'] as const) {
      expect(LIFECYCLE_STEPS.map((step) => findNextState(end, step)).every((next) => next === null)).toBe(true);
    }
  });
});
