import { compileGlob } from '../../domain/commands/reading/folder.js';
import type { NamedFile } from '../../domain/commands/reading/reading.js';
import { foldersAbove } from './workspace-list.js';

/** The paths that a command's own words name: changes to these are its own, whoever else was at work. */
export class NamedPaths {
  readonly #files = new Map<string, NamedFile['does']>();
  readonly #patterns: readonly ((path: string) => boolean)[];

  constructor(names: readonly NamedFile[]) {
    for (const { path, does } of names) if (!isPattern(path)) this.#files.set(path, does);
    this.#patterns = names.filter(({ path }) => isPattern(path)).map(({ path }) => compileGlob(path));
    // Where it writes into a folder it writes what it names besides: `mv a.txt b`.
    const last = names.map(({ path }) => path.split('/').at(-1) ?? path);
    for (const { path, does } of names)
      if (does === 'writes')
        for (const name of last) {
          const inside = path === '' ? name : `${path}/${name}`;
          if (!this.#files.has(inside)) this.#files.set(inside, 'writes');
        }
  }

  /** Whether the command names the path; a path that is gone also counts through the folder that was to be deleted. */
  has(path: string, isGone: boolean): boolean {
    if (this.#files.has(path) || this.#patterns.some((test) => test(path))) return true;
    return isGone && foldersAbove(path).some((folder) => this.#files.get(folder) === 'deletes');
  }
}

const isPattern = (path: string): boolean => /[*?[\]]/u.test(path);
