import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

/** The list that the app told an agent last, in one place. */
export interface StoredToolList {
  /** Where the agent was started; '' where that is not known. */
  readonly place: string;
  readonly tools: readonly object[];
  readonly instructions: string | null;
}

/** So many places of an agent at most. */
const MAX_LISTS = 8;
const MAX_BYTES = 3 * 1024 * 1024;

/** A file an agent in the data folder: a pipe reads it where the app can't answer yet. What can't be kept is not missed. */
export class PipeToolLists {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string, agent: string | null) {
    this.#folder = folder;
    this.#file = join(folder, `${agent ?? '_'}.json`);
  }

  /** There, else its last anywhere; null where it was told of none. */
  find(place: string | null): StoredToolList | null {
    const lists = this.#read();
    return lists.findLast((list) => list.place === (place ?? '')) ?? lists.at(-1) ?? null;
  }

  keep(list: StoredToolList): void {
    const before = this.#read();
    const others = before.filter(({ place }) => place !== list.place);
    const kept = [...others, list].slice(-MAX_LISTS);
    let text = JSON.stringify(kept);
    while (kept.length > 1 && text.length > MAX_BYTES) {
      kept.shift();
      text = JSON.stringify(kept);
    }
    if (text.length > MAX_BYTES || text === JSON.stringify(before)) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      replaceSmallFile(this.#file, text);
    } catch {
      // The next pipe waits for the app, as it would without.
    }
  }

  #read(): readonly StoredToolList[] {
    try {
      const value: unknown = JSON.parse(readSmallFile(this.#file) ?? '[]');
      return Array.isArray(value) ? value.filter(isList) : [];
    } catch {
      return [];
    }
  }
}

function isList(value: unknown): value is StoredToolList {
  const { place, tools, instructions } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const isText = instructions === null || typeof instructions === 'string';
  return typeof place === 'string' && isText && Array.isArray(tools) && tools.every(isNamed);
}

const isNamed = (tool: unknown): boolean =>
  typeof tool === 'object' && tool !== null && typeof (tool as { readonly name?: unknown }).name === 'string';
