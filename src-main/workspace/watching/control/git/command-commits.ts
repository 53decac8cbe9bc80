import { dirname } from 'node:path';
import { readRegular } from '../../../../platform/files/regular-file.js';
import { unpatchedFs } from '../../../../platform/files/unpatched-fs.js';

const { mkdirSync, renameSync, writeFileSync } = unpatchedFs;

/** The number of commits kept. Ignore lists of the oldest are not asked any more. */
const MAX_COMMITS = 20_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/**
 * Commits that commands made: what they say is nobody's word. A commit has one name wherever it is, so one list is for all
 * repositories; it outlives the app.
 */
export class CommandCommits {
  readonly #file: string;
  /** Null where the list can't be read: then any commit may be one. */
  #ids: Set<string> | null | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  has(id: string): boolean {
    return this.#read()?.has(id) ?? true;
  }

  add(ids: readonly string[]): void {
    const known = this.#read();
    if (known === null || ids.every((id) => known.has(id))) return;
    // The latest first, as Git tells them: they come to the end.
    for (const id of ids.toReversed()) known.add(id);
    for (const id of known) {
      if (known.size <= MAX_COMMITS) break;
      known.delete(id);
    }
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    const written = `${this.#file}.new`;
    writeFileSync(written, [...known].join('\n'), { mode: 0o600 });
    renameSync(written, this.#file);
  }

  #read(): Set<string> | null {
    if (this.#ids === undefined) {
      const bytes = readRegular(this.#file, MAX_LIST_BYTES);
      if (bytes === null) this.#ids = null;
      else this.#ids = new Set(bytes === 'absent' ? [] : bytes.toString('latin1').split('\n').filter(isId));
    }
    return this.#ids;
  }
}

const isId = (line: string): boolean => /^[0-9a-f]{40,64}$/u.test(line);
