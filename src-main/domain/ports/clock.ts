export interface Clock {
  /** Unix ms, for people. */
  now(): number;
  /** Monotonic ms, for durations and time-outs. */
  monotonic(): number;
}
