/** Seed 000's lifecycle states, as they appear on the wire and in the journal. */
export const LIFECYCLE_STATES = [
  'DECLARED',
  'VALIDATED',
  'AUTHORIZED',
  'EXECUTING',
  'COMPLETED',
  'FAILED',
  'DENIED',
  'ABORTED',
  'ROLLED_BACK',
] as const;
export type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** ABORTED is final unless a rollback follows it (seed 000 §3.2.8). */
export type SettledState = 'COMPLETED' | 'FAILED' | 'DENIED' | 'ABORTED' | 'ROLLED_BACK';

/** The state of a call as a person sees it: `data-state` in the window. */
export type CallDisplayState = 'pending' | 'executing' | 'completed' | 'failed' | 'denied' | 'cancelled';
