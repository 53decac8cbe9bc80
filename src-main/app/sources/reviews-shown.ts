import type { Clock } from '../../domain/ports/clock.js';

/** So long what would be accepted must have stood before the person, as on a sheet (ADR 0021). */
const STOOD_MS = 500;

/** The review that the person was last given to read of each source, and since when. */
export class ReviewsShown {
  readonly #clock: Clock;
  readonly #shown = new Map<string, { readonly digest: string; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  show(source: string, digest: string): void {
    // Read once more as it was, it stands as long as it stood.
    if (this.#shown.get(source)?.digest === digest) return;
    this.#shown.set(source, { digest, at: this.#clock.monotonic() });
  }

  /** Why this can’t be accepted yet; null where it can. */
  notYet(source: string, digest: string): 'never-shown' | 'too-new' | null {
    const shown = this.#shown.get(source);
    if (shown?.digest !== digest) return 'never-shown';
    return this.#clock.monotonic() - shown.at < STOOD_MS ? 'too-new' : null;
  }
}
