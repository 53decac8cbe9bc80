import type { Confinement } from '#contract/vocabulary/calls.js';
import type { NetworkUse } from '#contract/vocabulary/calls.js';
import type { RunningWorker, WorkerIsolation } from '../../../domain/ports/sources/worker.js';

/** A worker for one call. */
export interface PlacedWorker {
  readonly running: RunningWorker;
  /** What it reached and was refused since this call has it. */
  readonly traffic: () => NetworkUse;
  /** It answered, whatever it said. */
  readonly answered: () => void;
  /** The call is done with it. */
  readonly done: () => Promise<void>;
}

/** In the words that calls are recorded with. */
export const confinementOf = ({ by }: WorkerIsolation, egress: readonly string[]): Confinement =>
  by === 'none' ? 'unconfined' : egress.length === 0 ? 'confined' : 'network';
