import type { PlaceRequest } from '../../domain/ports/gate/place-queue.js';

/**
 * Counts of the running calls, kept up to date as they come and go: many wait, and each of them asks whether there is
 * room.
 */
export class RunningCounts {
  #calls = 0;
  #memoryBytes = 0;
  readonly #ofTools = new Tally<string>();
  readonly #ofAgents = new Tally<string | null>();
  readonly #ofSessions = new Tally<string>();

  get calls(): number {
    return this.#calls;
  }

  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  ofTool(tool: string): number {
    return this.#ofTools.of(tool);
  }

  ofAgent(agent: string | null): number {
    return this.#ofAgents.of(agent);
  }

  ofSession(session: string): number {
    return this.#ofSessions.of(session);
  }

  add(wanted: PlaceRequest): void {
    this.#count(wanted, 1);
  }

  remove(wanted: PlaceRequest): void {
    this.#count(wanted, -1);
  }

  #count({ tool, agent, session, memoryBytes }: PlaceRequest, by: 1 | -1): void {
    this.#calls += by;
    this.#memoryBytes += by * (memoryBytes ?? 0);
    this.#ofTools.count(tool, by);
    this.#ofAgents.count(agent, by);
    if (session !== null) this.#ofSessions.count(session, by);
  }
}

/** Counts by key; a key whose count is zero takes no memory. */
class Tally<T> {
  readonly #counts = new Map<T, number>();

  of(key: T): number {
    return this.#counts.get(key) ?? 0;
  }

  count(key: T, by: 1 | -1): void {
    const now = this.of(key) + by;
    if (now === 0) this.#counts.delete(key);
    else this.#counts.set(key, now);
  }
}
