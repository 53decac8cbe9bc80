import { rmSync } from 'node:fs';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

export interface OpenPaths {
  /** Real paths, in the order of their tabs. */
  readonly open: readonly string[];
  /** The one that the window shows. */
  readonly shown: string | null;
}

/** The open folders, recorded for as long as the app runs: those that a crash leaves are opened again. */
export class OpenWorkspaces {
  readonly #file: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #left: OpenPaths;

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
    this.#left = parse(readSmallFile(file));
  }

  /** Folders that were open when the last run ended other than it should. */
  left(): OpenPaths {
    return this.#left;
  }

  keep(now: OpenPaths): void {
    try {
      replaceSmallFile(this.#file, `${JSON.stringify(now)}\n`);
    } catch (error) {
      this.#onProblem(error);
    }
  }

  /** The app ends as it should. */
  forget(): void {
    rmSync(this.#file, { force: true });
  }
}

function parse(text: string | null): OpenPaths {
  try {
    const { open, shown } = JSON.parse(text ?? '{}') as { readonly open?: unknown; readonly shown?: unknown };
    const paths = Array.isArray(open) ? open.filter((path) => typeof path === 'string') : [];
    return { open: paths, shown: typeof shown === 'string' ? shown : null };
  } catch {
    return { open: [], shown: null };
  }
}
