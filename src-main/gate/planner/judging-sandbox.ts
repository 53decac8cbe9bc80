import type { JudgedFile, JudgedRoot, Standing } from '../../domain/call/judgement.js';
import type {
  FileFacts,
  JailedDirectory,
  JailedFile,
  JailedPath,
  ObeyedHere,
  Sandbox,
} from '../../domain/ports/sandbox.js';

/**
 * The sandbox as a tool sees it while it is planned: each path that it asks about is noted with where it led. What was not
 * asked about here is not reached when the call runs, so no tool has to say by itself what it was judged on.
 */
export class JudgingSandbox implements Sandbox {
  readonly #inner: Sandbox;
  /** Whether what stands at a path counts: it does for what changes files. */
  readonly #changes: boolean;
  readonly #files = new Map<string, JudgedFile>();
  readonly #obeyed = new Map<string, Promise<ObeyedHere>>();
  readonly #roots: readonly JudgedRoot[];

  constructor(inner: Sandbox, changes: boolean) {
    this.#inner = inner;
    this.#roots = inner.rootsNow();
    this.#changes = changes;
  }

  get files(): readonly JudgedFile[] {
    return [...this.#files.values()];
  }

  get workingDirectory(): string {
    return this.#inner.workingDirectory;
  }

  get roots(): readonly string[] {
    return this.#inner.roots;
  }

  async validate(asked: string): Promise<JailedPath> {
    const path = await this.#inner.validate(asked, this.#roots);
    const { absolute, root, relative } = path;
    const isControlFile = path.isControlFile || (this.#changes && (await this.obeyedIn(root))(relative));
    // The first look counts: what it became while it was planned is a change like any later one.
    if (!this.#files.has(asked)) {
      const standing = this.#changes ? await this.#inner.standing(path) : null;
      this.#files.set(asked, { asked, path: absolute, root, relative, isControlFile, standing });
    }
    return isControlFile === path.isControlFile ? path : { ...path, isControlFile };
  }

  /** Looked at once for a call. */
  obeyedIn(root: string): Promise<ObeyedHere> {
    const known = this.#obeyed.get(root) ?? this.#inner.obeyedIn(root);
    this.#obeyed.set(root, known);
    return known;
  }

  openFile(path: JailedPath): Promise<JailedFile> {
    return this.#inner.openFile(path);
  }

  openDirectory(path: JailedPath): Promise<JailedDirectory> {
    return this.#inner.openDirectory(path);
  }

  facts(path: JailedPath): Promise<FileFacts | null> {
    return this.#inner.facts(path);
  }

  /** Looked at once, before the first path: all of a call is judged in the same folders. */
  rootsNow(): readonly JudgedRoot[] {
    return this.#roots;
  }

  standing(path: JailedPath): Promise<Standing> {
    return this.#inner.standing(path);
  }

  isDenied(relative: string, root?: string): boolean {
    return this.#inner.isDenied(relative, root);
  }
}
