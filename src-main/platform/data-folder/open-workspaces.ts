import Type, { type Static } from 'typebox';
import { type Frozen, keptJson } from '../files/kept-json.js';

const OpenPathsSchema = Type.Object({
  /** Real paths, in the order of their tabs. */
  open: Type.Array(Type.String()),
  /** The one that the window shows. */
  shown: Type.Union([Type.String(), Type.Null()]),
});
export type OpenPaths = Frozen<Static<typeof OpenPathsSchema>>;

/** The open folders, recorded for as long as the app runs: those that a crash leaves are opened again. */
export class OpenWorkspaces {
  readonly #file;
  readonly #left: OpenPaths;

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = keptJson(file, OpenPathsSchema, { onProblem });
    this.#left = this.#file.read() ?? { open: [], shown: null };
  }

  /** Folders that were open when the last run ended other than it should. */
  left(): OpenPaths {
    return this.#left;
  }

  keep(now: OpenPaths): void {
    this.#file.write(now);
  }

  /** The app ends as it should. */
  forget(): void {
    this.#file.remove();
  }
}
