import { buildFolderKey } from '../../../domain/ports/workspace/transaction.js';
import type { ChangesSince } from './bound-transaction.js';

/** How many folders that changes of ours made are remembered; the oldest are forgotten first. */
const FOLDERS_KEPT = 10_000;

/** Folders that changes of ours made, and which they are: a folder that is new where one was judged to be missing may be of these. */
export class MadeFolders {
  readonly #folders = new Map<string, string>();

  add(made: ReadonlyMap<string, string>): void {
    for (const [key, is] of made) {
      this.#folders.delete(key);
      this.#folders.set(key, is);
    }
    for (const key of this.#folders.keys()) {
      if (this.#folders.size <= FOLDERS_KEPT) return;
      this.#folders.delete(key);
    }
  }

  has(key: string, is: string): boolean {
    return this.#folders.get(key) === is;
  }
}

/** The effect of one call of a batch: the files that it changed, or that it may have changed any. */
export type CallEffect = { readonly kind: 'any' } | { readonly kind: 'files'; readonly paths: ReadonlySet<string> };

export function describeChangesSince(acts: readonly CallEffect[], made: MadeFolders): ChangesSince {
  const any = acts.some(({ kind }) => kind === 'any');
  return {
    madeFolder: (root, relative, is) => any || made.has(buildFolderKey(root, relative), is),
    mayHaveChanged: (path) => any || acts.some((act) => act.kind === 'files' && act.paths.has(path)),
  };
}
