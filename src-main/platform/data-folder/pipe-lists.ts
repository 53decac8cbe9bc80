import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Type, { type Static } from 'typebox';
import { type Frozen, keptJson } from '../files/kept-json.js';

/** The list that the app told an agent last, in one place. */
const StoredToolListSchema = Type.Object({
  /** Where the agent was started; '' where that is not known. */
  place: Type.String(),
  tools: Type.Array(Type.Object({ name: Type.String() })),
  instructions: Type.Union([Type.String(), Type.Null()]),
});
export type StoredToolList = Frozen<Static<typeof StoredToolListSchema>>;

/** So many places of an agent at most. */
const MAX_LISTS = 8;
const MAX_BYTES = 3 * 1024 * 1024;

/** A file an agent in the data folder: a pipe reads it where the app can't answer yet. What can't be kept is not missed. */
export class PipeToolLists {
  readonly #folder: string;
  readonly #file;

  constructor(folder: string, agent: string | null) {
    this.#folder = folder;
    // The next pipe waits for the app where it can't be written, as it would without.
    this.#file = keptJson(join(folder, `${agent ?? '_'}.json`), Type.Array(StoredToolListSchema), {
      onProblem: () => undefined,
    });
  }

  /** There, else its last anywhere; null where it was told of none. */
  find(place: string | null): StoredToolList | null {
    const lists = this.#file.read() ?? [];
    return lists.findLast((list) => list.place === (place ?? '')) ?? lists.at(-1) ?? null;
  }

  keep(list: StoredToolList): void {
    const before = this.#file.read() ?? [];
    const others = before.filter(({ place }) => place !== list.place);
    const kept = [...others, list].slice(-MAX_LISTS);
    while (kept.length > 1 && JSON.stringify(kept).length > MAX_BYTES) kept.shift();
    if (JSON.stringify(kept).length > MAX_BYTES || isDeepStrictEqual(kept, before)) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#file.write(kept);
  }
}
