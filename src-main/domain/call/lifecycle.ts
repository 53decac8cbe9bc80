import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';

/** What can happen to a call. */
export const LIFECYCLE_STEPS = [
  'validate',
  'authorize',
  'start',
  'complete',
  'fail',
  'deny',
  'abort',
  'roll-back',
] as const;
export type LifecycleStep = (typeof LIFECYCLE_STEPS)[number];

type Row = Readonly<Partial<Record<LifecycleStep, LifecycleState>>>;

// Whatever is not over can fail, be denied or be aborted: bad arguments and a link that appeared are sometimes found late.
const over: Row = {};
const canEnd: Row = { fail: 'FAILED', deny: 'DENIED', abort: 'ABORTED' };

const TABLE: Readonly<Record<LifecycleState, Row>> = {
  DECLARED: { ...canEnd, validate: 'VALIDATED' },
  VALIDATED: { ...canEnd, authorize: 'AUTHORIZED' },
  AUTHORIZED: { ...canEnd, start: 'EXECUTING' },
  EXECUTING: { ...canEnd, complete: 'COMPLETED' },
  // Seed 000 §3.2.8: an aborted call may still have its changes taken back.
  ABORTED: { 'roll-back': 'ROLLED_BACK' },
  COMPLETED: over,
  FAILED: over,
  DENIED: over,
  ROLLED_BACK: over,
};

/** Total: every pair has an answer, and null means that it can't happen. */
export const transition = (state: LifecycleState, step: LifecycleStep): LifecycleState | null =>
  TABLE[state][step] ?? null;
