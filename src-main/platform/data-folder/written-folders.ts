import Type from 'typebox';
import { keptJson } from '../files/kept-json.js';

/**
 * The real paths of all folders that tools could write to, now or at any time before: their content may be what an
 * agent left, whether the folder is open or not. None is ever taken out.
 */
export class WrittenFolders {
  readonly #file;
  #paths: readonly string[];

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = keptJson(file, Type.Array(Type.String()), { onProblem });
    this.#paths = this.#file.read() ?? [];
  }

  /** The same list as long as nothing is added. */
  get all(): readonly string[] {
    return this.#paths;
  }

  add(paths: Iterable<string>): void {
    const added = [...new Set(paths)].filter((path) => !this.#paths.includes(path));
    if (added.length === 0) return;
    this.#paths = [...this.#paths, ...added];
    this.#file.write(this.#paths);
  }
}
