import type { DirectoryEntry } from '../../domain/ports.js';

/**
 * One thing to do in a folder, in the order of the paths it gives: to show an entry, or to go into it. Going into `a`
 * comes where `a/` sorts, which is after `a-b` and `a.b`, since `-` and `.` are less than `/`.
 */
export interface Step {
  readonly entry: DirectoryEntry;
  readonly enter: boolean;
  /** UTF-8 of what is shown, and '/' when entering. */
  readonly key: Uint8Array;
}

const SLASH = 0x2f;

export function stepOf(entry: DirectoryEntry, enter: boolean): Step {
  // A name that is not UTF-8 sorts as it is shown.
  const shown = entry.name.includes('\ufffd') ? Buffer.from(entry.name) : entry.nameBytes;
  if (!enter) return { entry, enter, key: shown };
  const key = new Uint8Array(shown.byteLength + 1);
  key.set(shown);
  key[shown.byteLength] = SLASH;
  return { entry, enter, key };
}

/** By what is shown; two names that look the same, by what they are. */
export const compareSteps = (a: Step, b: Step): number =>
  Buffer.compare(a.key, b.key) || Buffer.compare(a.entry.nameBytes, b.entry.nameBytes);

/** Keeps the `room` first of many steps, whatever the order they come in, in memory for twice as many. */
export class FirstSteps {
  readonly #room: number;
  readonly #after: Step | null;
  #kept: Step[] = [];
  #last: Step | null = null;
  /** Whether some that come after those kept were passed over. */
  overflowed = false;

  constructor(room: number, after: Step | null) {
    this.#room = room;
    this.#after = after;
  }

  offer(step: Step): void {
    if (this.#after !== null && compareSteps(step, this.#after) <= 0) return;
    if (this.#last !== null && compareSteps(step, this.#last) > 0) {
      this.overflowed = true;
      return;
    }
    this.#kept.push(step);
    if (this.#kept.length >= this.#room * 2) this.#compact();
  }

  sorted(): readonly Step[] {
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
