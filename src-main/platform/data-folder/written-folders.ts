import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

/**
 * The real paths of all folders that tools could write to, now or at any time before: their content may be what an
 * agent left, whether the folder is open or not. None is ever taken out.
 */
export class WrittenFolders {
  readonly #file: string;
  readonly #onProblem: (error: unknown) => void;
  #paths: readonly string[];

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
    this.#paths = parse(readSmallFile(file));
  }

  /** The same list as long as nothing is added. */
  get all(): readonly string[] {
    return this.#paths;
  }

  add(paths: Iterable<string>): void {
    const added = [...new Set(paths)].filter((path) => !this.#paths.includes(path));
    if (added.length === 0) return;
    this.#paths = [...this.#paths, ...added];
    try {
      replaceSmallFile(this.#file, `${JSON.stringify(this.#paths)}\n`);
    } catch (error) {
      this.#onProblem(error);
    }
  }
}

function parse(text: string | null): readonly string[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : [];
  } catch {
    return [];
  }
}
