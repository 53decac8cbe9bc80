import type { PlaceQueue, PlaceRequest } from '../../domain/ports/gate/place-queue.js';
import type { BoundedQueue } from './bounded-queue.js';

/** The app's own places, and those of the domain's package: neither takes any of the other. */
export class QueuePools implements PlaceQueue {
  readonly #pools: Readonly<Record<PlaceRequest['pool'], BoundedQueue>>;

  constructor(pools: Readonly<Record<PlaceRequest['pool'], BoundedQueue>>) {
    this.#pools = pools;
  }

  ask: PlaceQueue['ask'] = (wanted) => this.#pools[wanted.pool].ask(wanted);

  /** A ticket of the other pool is none there. */
  pass: PlaceQueue['pass'] = (from, wanted) => this.#pools[wanted.pool].pass(from, wanted);

  /** Calls whoever fits now: the limits changed, or somebody was paused or resumed. */
  review(): void {
    for (const places of Object.values(this.#pools)) places.review();
  }
}
