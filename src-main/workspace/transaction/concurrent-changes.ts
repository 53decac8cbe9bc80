import type { CommandWatch, ToolLeftState } from '../../domain/ports/workspace/command-undo.js';
import type { TransactionManifest, NodeState } from './transaction-manifest.js';

type TouchedFiles = Pick<TransactionManifest, 'files'>;

/**
 * A register of who changes files while commands run. A command's changes are found by comparing the workspace before
 * and after it, so what others did meanwhile must be known, or it would be taken for the command's.
 */
export class ConcurrentChanges {
  readonly #watches = new Set<ConcurrentWatch>();
  readonly #underWay = new Map<TouchedFiles, 'made' | 'taken-back'>();

  /** Changes these files, or puts them back as they were before it changed them. */
  async trackWhile<T>(
    manifest: TouchedFiles,
    work: () => Promise<T>,
    what: 'made' | 'taken-back' = 'made',
  ): Promise<T> {
    for (const watch of this.#watches) watch.saw(manifest, what);
    this.#underWay.set(manifest, what);
    try {
      return await work();
    } finally {
      this.#underWay.delete(manifest);
    }
  }

  /**
   * The state in which a file tool, or an undo, left this file while a command ran that still does. Undefined: none
   * touched it.
   */
  leftByTool(root: string, relative: string): NodeState | null | undefined {
    for (const watch of this.#watches) {
      const left = watch.stateByTool(`${root}/${relative}`);
      if (left !== undefined) return left;
    }
    return undefined;
  }

  watch(root: string): CommandWatch {
    const watch = new ConcurrentWatch(root, () => this.#watches.delete(watch));
    for (const other of this.#watches) {
      if (!isWithin(other.root, root) && !isWithin(root, other.root)) continue;
      other.isSharedWithCommand = true;
      watch.isSharedWithCommand = true;
    }
    for (const [manifest, what] of this.#underWay) watch.saw(manifest, what);
    this.#watches.add(watch);
    return watch;
  }
}

class ConcurrentWatch implements CommandWatch {
  readonly root: string;
  isSharedWithCommand = false;
  readonly #end: () => void;
  readonly #touched = new Set<string>();
  /** The states that tools left, by path, the latest at the end. */
  readonly #left = new Map<string, (NodeState | null)[]>();

  constructor(root: string, end: () => void) {
    this.root = root;
    this.#end = end;
  }

  saw({ files }: TouchedFiles, what: 'made' | 'taken-back'): void {
    for (const { root, relative, before, after } of files) {
      const path = `${root}/${relative}`;
      this.#touched.add(path);
      const left = this.#left.get(path) ?? [];
      if (what === 'made') left.push(sameMode(before, after) ? { ...after, mode: -1 } : after);
      else left.pop();
      this.#left.set(path, left);
    }
  }

  stateByTool(path: string): NodeState | null | undefined {
    return this.#left.get(path)?.at(-1);
  }

  getToolLeftState(relative: string): ToolLeftState | null | undefined {
    const state = this.stateByTool(`${this.root}/${relative}`);
    if (state?.kind !== 'file') return state;
    return { kind: 'file', sha256: state.sha256, mode: state.mode === -1 ? null : state.mode };
  }

  wasChangedByTool(relative: string): boolean {
    return this.#touched.has(`${this.root}/${relative}`);
  }

  [Symbol.dispose](): void {
    this.#end();
  }
}

const isWithin = (folder: string, inner: string): boolean => folder === inner || inner.startsWith(`${folder}/`);

/** Whether the mode is the one from before: then the tool did not set it. */
const sameMode = (before: NodeState | null, after: NodeState | null): after is Extract<NodeState, { kind: 'file' }> =>
  before?.kind === 'file' && after?.kind === 'file' && before.mode === after.mode;
