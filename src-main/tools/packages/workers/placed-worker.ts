import type { Confinement } from '#contract/vocabulary/calls.js';
import type { NetworkUse } from '#contract/vocabulary/calls.js';
import type { RunningWorker, WorkerIsolation } from '../../../domain/ports/sources/worker.js';

/** A worker for one call. */
export interface PlacedWorker {
  readonly running: RunningWorker;
  /** The hosts that it reached, and those that it was refused, since this call began. */
  readonly traffic: () => NetworkUse;
  /** Called when the worker answered, whatever it said. */
  readonly answered: () => void;
  /** Called when the call no longer needs the worker. */
  readonly done: () => Promise<void>;
}

/** The isolation of a worker in the words that calls are recorded with. */
export const toConfinement = ({ by }: WorkerIsolation, egress: readonly string[]): Confinement =>
  by === 'none' ? 'unconfined' : egress.length === 0 ? 'confined' : 'network';
