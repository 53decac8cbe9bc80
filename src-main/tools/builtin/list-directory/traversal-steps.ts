import type { DirectoryEntry } from '../../../domain/ports/workspace/sandbox.js';

/**
 * One step of listing a folder, in the order of the paths it gives: to show an entry, or to go into it. Going into `a`
 * comes where `a/` sorts, which is after `a-b` and `a.b`, since `-` and `.` are less than `/`.
 */
export interface TraversalStep {
  readonly entry: DirectoryEntry;
  readonly enter: boolean;
  /** UTF-8 of what is shown, one character a byte, and '/' when entering. */
  readonly key: string;
}

/** A name that is not UTF-8 sorts as it is shown. */
function sortKey(entry: DirectoryEntry, enter: boolean): string {
  const shown = entry.name.includes('\ufffd') ? Buffer.from(entry.name).toString('latin1') : entry.raw;
  return enter ? `${shown}/` : shown;
}

export const createStep = (entry: DirectoryEntry, enter: boolean): TraversalStep => ({
  entry,
  enter,
  key: sortKey(entry, enter),
});

/** Orders steps by what is shown; two names that look the same, by what they are. */
export function compareSteps(a: TraversalStep, b: TraversalStep): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  if (a.entry.raw === b.entry.raw) return 0;
  return a.entry.raw < b.entry.raw ? -1 : 1;
}

/** Keeps the `room` first of many steps, whatever the order they come in, in memory for twice as many. */
export class FirstSteps {
  readonly #room: number;
  readonly #after: TraversalStep | null;
  #kept: TraversalStep[] = [];
  #last: TraversalStep | null = null;
  /** Whether some that come after those kept were passed over. */
  overflowed = false;

  constructor(room: number, after: TraversalStep | null) {
    this.#room = room;
    this.#after = after;
  }

  offer(entry: DirectoryEntry, enter: boolean): void {
    const step = createStep(entry, enter);
    if (this.#after !== null && compareSteps(step, this.#after) <= 0) return;
    if (this.#last !== null && compareSteps(step, this.#last) > 0) {
      this.overflowed = true;
      return;
    }
    this.#kept.push(step);
    if (this.#kept.length >= this.#room * 2) this.#compact();
  }

  sorted(): readonly TraversalStep[] {
    this.#compact();
    return this.#kept;
  }

  #compact(): void {
    this.#kept.sort(compareSteps);
    if (this.#kept.length <= this.#room) return;
    this.#kept = this.#kept.slice(0, this.#room);
    this.#last = this.#kept.at(-1) ?? null;
    this.overflowed = true;
  }
}
