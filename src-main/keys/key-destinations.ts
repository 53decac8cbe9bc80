import Type from 'typebox';
import { keptJson } from '../platform/files/kept-json.js';

/**
 * The places that the person's keys were entered for, by reference. A key without a place is for the first who names
 * it: only the person's own settings do.
 */
export class KeyDestinations {
  readonly #file;
  readonly #places: Map<string, readonly string[]>;

  constructor(file: string) {
    // Where it can't be written it holds until the app quits; then what was allowed is asked about once more.
    this.#file = keptJson(file, Type.Record(Type.String(), Type.Unknown()), { onProblem: () => undefined });
    // An entry that is none takes no other key's places with it: a key without a place is for the first.
    this.#places = new Map(Object.entries(this.#file.read() ?? {}).filter(isEntry));
  }

  of(key: string): readonly string[] {
    return this.#places.get(key) ?? [];
  }

  /** Enters a key for these places and no others from now on. */
  enter(key: string, places: readonly string[]): void {
    if (places.length === 0) this.#places.delete(key);
    else this.#places.set(key, [...new Set(places)]);
    this.#file.write(Object.fromEntries(this.#places));
  }

  /** Adds a place to a key's. */
  add(key: string, place: string): void {
    this.enter(key, [...this.of(key), place]);
  }
}

const isEntry = (entry: readonly [string, unknown]): entry is [string, readonly string[]] =>
  Array.isArray(entry[1]) && entry[1].every((each) => typeof each === 'string');
