import { randomUUID } from 'node:crypto';
import type { PastedReading } from '#contract/window/tools/pasted-sources.js';
import { type PastedRead, type PastedContext, readPasted } from './read-pasted.js';

/** The number of readings that are remembered: a page shows those of a folder and one that was pasted. */
const MAX_READINGS = 40;

export type PastedReadResult =
  { readonly ok: true; readonly read: PastedReading } | { readonly ok: false; readonly problem: string };

/**
 * Holds what was read lately, with the secrets that it contained: these wait here, and the window has their names
 * alone.
 */
export class RecentReadings {
  readonly #values = new Map<string, ReadonlyMap<string, string>>();

  read(text: string, around: PastedContext): PastedReadResult {
    const pasted: PastedRead = readPasted(text, around);
    if (!pasted.ok) return pasted;
    const reading = randomUUID();
    this.#values.set(reading, pasted.values);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MAX_READINGS && oldest !== undefined) this.#values.delete(oldest);
    return { ok: true, read: { reading, sources: pasted.sources, more: pasted.more } };
  }

  /** The values behind these names; null where the reading is no longer remembered. */
  valuesOf(reading: string): ReadonlyMap<string, string> | null {
    return this.#values.get(reading) ?? null;
  }

  forget(reading: string): void {
    this.#values.delete(reading);
  }
}
