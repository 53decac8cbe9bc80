import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

/**
 * The places that the person's keys were entered for, by reference. A key without a place is for the first who names
 * it: only the person's own settings do.
 */
export class KeyDestinations {
  readonly #file: string;
  readonly #places: Map<string, readonly string[]>;

  constructor(file: string) {
    this.#file = file;
    this.#places = new Map(parse(readSmallFile(file)));
  }

  of(key: string): readonly string[] {
    return this.#places.get(key) ?? [];
  }

  /** Enters a key for these places and no others from now on. */
  enter(key: string, places: readonly string[]): void {
    if (places.length === 0) this.#places.delete(key);
    else this.#places.set(key, [...new Set(places)]);
    this.#write();
  }

  /** Adds a place to a key's. */
  add(key: string, place: string): void {
    this.enter(key, [...this.of(key), place]);
  }

  /** Where that can't be written it holds until the app quits; then what was allowed is asked about once more. */
  #write(): void {
    try {
      replaceSmallFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#places), null, 2)}\n`);
    } catch {
      return;
    }
  }
}

function parse(text: string | null): readonly (readonly [string, readonly string[]])[] {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).filter(
      (entry): entry is [string, string[]] =>
        Array.isArray(entry[1]) && entry[1].every((each) => typeof each === 'string'),
    );
  } catch {
    return [];
  }
}
