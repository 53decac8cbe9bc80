import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import type { CallFact } from './journal-events.js';

/** The steps that can happen to a call. */
export const LIFECYCLE_STEPS = [
  'validate',
  'judge',
  'wait',
  'edit',
  'authorize',
  'queue',
  'start',
  'begin-process',
  'fail-once',
  'start-again',
  'complete',
  'fail',
  'deny',
  'abort',
  'roll-back',
] as const;
export type LifecycleStep = (typeof LIFECYCLE_STEPS)[number];

type Transitions = Readonly<Partial<Record<LifecycleStep, LifecycleState>>>;

// Whatever is not over can fail, be denied or be aborted: bad arguments and a link that appeared are sometimes found late.
const NO_TRANSITIONS: Transitions = {};
const END_TRANSITIONS: Transitions = { fail: 'FAILED', deny: 'DENIED', abort: 'ABORTED' };

const TABLE: Readonly<Record<LifecycleState, Transitions>> = {
  DECLARED: { ...END_TRANSITIONS, validate: 'VALIDATED' },
  VALIDATED: { ...END_TRANSITIONS, judge: 'VALIDATED', wait: 'VALIDATED', edit: 'VALIDATED', authorize: 'AUTHORIZED' },
  // A call that had not begun when the app died is judged anew, and may have to be asked about again.
  AUTHORIZED: { ...END_TRANSITIONS, judge: 'AUTHORIZED', wait: 'VALIDATED', queue: 'AUTHORIZED', start: 'EXECUTING' },
  EXECUTING: {
    ...END_TRANSITIONS,
    // The start may be recorded before the call is judged for the last time.
    judge: 'EXECUTING',
    'begin-process': 'EXECUTING',
    'fail-once': 'EXECUTING',
    'start-again': 'EXECUTING',
    complete: 'COMPLETED',
  },
  // Seed 000 §3.2.8: an aborted call may still have its changes taken back.
  ABORTED: { 'roll-back': 'ROLLED_BACK' },
  COMPLETED: NO_TRANSITIONS,
  FAILED: NO_TRANSITIONS,
  DENIED: NO_TRANSITIONS,
  ROLLED_BACK: NO_TRANSITIONS,
};

/** The state after a step. Total: every pair has an answer, and null means that it can't happen. */
export const findNextState = (state: LifecycleState, step: LifecycleStep): LifecycleState | null =>
  TABLE[state][step] ?? null;

/** The state of a call after one more fact about it; null where that can't follow. The journal takes nothing else. */
export const applyFact = (state: LifecycleState, fact: CallFact): LifecycleState | null =>
  listSteps(fact).reduce<LifecycleState | null>((at, step) => (at === null ? null : findNextState(at, step)), state);

function listSteps(fact: CallFact): readonly LifecycleStep[] {
  switch (fact.type) {
    case 'call-validated':
      return ['validate'];
    case 'call-hook':
      return ['judge'];
    case 'call-awaiting':
      return ['wait'];
    case 'call-edited':
      return ['edit'];
    case 'call-authorized':
      return ['authorize'];
    case 'call-queued':
      return ['queue'];
    case 'call-executing':
      return [fact.attempt === 1 ? 'start' : 'start-again'];
    case 'call-process':
      return ['begin-process'];
    case 'call-retrying':
      return ['fail-once'];
    case 'call-settled':
      return ENDS[fact.state];
  }
}

const ENDS = {
  COMPLETED: ['complete'],
  FAILED: ['fail'],
  DENIED: ['deny'],
  ABORTED: ['abort'],
  ROLLED_BACK: ['abort', 'roll-back'],
} as const;
