import type { CommandWatch } from '../domain/command-undo.js';
import type { Manifest } from './manifest.js';

type Touched = Pick<Manifest, 'files'>;

/**
 * Who changes files while commands run. A command's changes are found by looking at the workspace before and after it, so
 * what others did meanwhile must be known, or it would be taken for the command's.
 */
export class Meanwhile {
  readonly #watches = new Set<Watch>();
  readonly #underWay = new Set<Touched>();

  /** Changes these files. */
  async touching<T>(manifest: Touched, work: () => Promise<T>): Promise<T> {
    for (const watch of this.#watches) watch.saw(manifest);
    this.#underWay.add(manifest);
    try {
      return await work();
    } finally {
      this.#underWay.delete(manifest);
    }
  }

  watch(root: string): CommandWatch {
    const watch = new Watch(root, () => this.#watches.delete(watch));
    for (const other of this.#watches) {
      if (!isWithin(other.root, root) && !isWithin(root, other.root)) continue;
      other.sharedWithCommand = true;
      watch.sharedWithCommand = true;
    }
    for (const manifest of this.#underWay) watch.saw(manifest);
    this.#watches.add(watch);
    return watch;
  }
}

class Watch implements CommandWatch {
  readonly root: string;
  sharedWithCommand = false;
  readonly #end: () => void;
  readonly #touched = new Set<string>();

  constructor(root: string, end: () => void) {
    this.root = root;
    this.#end = end;
  }

  saw({ files }: Touched): void {
    for (const { root, relative } of files) this.#touched.add(`${root}/${relative}`);
  }

  wasChangedByTool(relative: string): boolean {
    return this.#touched.has(`${this.root}/${relative}`);
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

const isWithin = (folder: string, inner: string): boolean => folder === inner || inner.startsWith(`${folder}/`);
