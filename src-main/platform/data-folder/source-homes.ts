import { lstat, readdir } from 'node:fs/promises';
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** The folder for removed homes, beside the sources, at a name that no source can have. */
const REMOVED = '.removed';

/** So many files are counted: of more it is said that there are more. */
const MAX_COUNTED_FILES = 100_000;

export interface HomeSize {
  readonly bytes: number;
  /** False where there is more than was counted. */
  readonly complete: boolean;
}

/**
 * The home of each source that runs here: a folder for its own data. It goes with its source: the home of a source that
 * is gone is set aside, comes back with the very same source (an undone removal), and is removed at the next start.
 */
export class SourceHomes {
  readonly #folder: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #gone = new Map<string, unknown>();
  #settings: Readonly<Record<string, unknown>> = {};

  constructor(folder: string, onProblem: (error: unknown) => void) {
    this.#folder = folder;
    this.#onProblem = onProblem;
    this.#tryTo(() => rmSync(join(folder, REMOVED), { recursive: true, force: true }));
  }

  /** The home's real path; made where there is none. */
  readonly of = (name: string): string => {
    const home = this.at(name);
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return realpathSync.native(home);
  };

  at(name: string): string {
    return join(this.#folder, name, 'home');
  }

  /** Measures a home's content, as the disk counts it; null where there is none. */
  async measureHome(name: string): Promise<HomeSize | null> {
    const home = this.at(name);
    return existsSync(home) ? await measureFolder(home) : null;
  }

  /** Removes a home. Nothing of that source may run. Throws where it can’t be removed. */
  clear(name: string): void {
    rmSync(this.at(name), { recursive: true, force: true });
  }

  /** Follows the present sources, each with its settings. */
  follow(settings: Readonly<Record<string, unknown>>): void {
    for (const name of this.#names) if (!Object.hasOwn(settings, name)) this.#tryTo(() => this.#setAside(name));
    for (const [name, was] of this.#gone)
      if (Object.hasOwn(settings, name)) {
        this.#gone.delete(name);
        if (isDeepStrictEqual(settings[name], was)) this.#tryTo(() => this.#restore(name));
      }
    this.#settings = { ...settings };
  }

  get #names(): readonly string[] {
    return existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => name !== REMOVED) : [];
  }

  #setAside(name: string): void {
    const aside = join(this.#folder, REMOVED);
    mkdirSync(aside, { recursive: true, mode: 0o700 });
    rmSync(join(aside, name), { recursive: true, force: true });
    renameSync(join(this.#folder, name), join(aside, name));
    this.#gone.set(name, this.#settings[name]);
  }

  #restore(name: string): void {
    if (!existsSync(join(this.#folder, name))) renameSync(join(this.#folder, REMOVED, name), join(this.#folder, name));
  }

  #tryTo(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onProblem(error);
    }
  }
}

/**
 * Measures a folder. Links are not followed: their targets are somebody else’s. Files that vanish meanwhile count as
 * nothing.
 */
async function measureFolder(home: string): Promise<HomeSize> {
  let bytes = 0;
  let seen = 0;
  const waiting = [home];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const names = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of names) {
      if ((seen += 1) > MAX_COUNTED_FILES) return { bytes, complete: false };
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else bytes += ((await lstat(path).catch(() => null))?.blocks ?? 0) * OF_A_BLOCK;
    }
  }
  return { bytes, complete: true };
}

/** `stat` counts so, whatever the disk does. */
const OF_A_BLOCK = 512;
