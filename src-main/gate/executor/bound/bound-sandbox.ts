import { elsewhere, type JudgedFile, type JudgedRoot, type Standing } from '../../../domain/call/judgement.js';
import type {
  FileFacts,
  JailedDirectory,
  JailedFile,
  JailedPath,
  ObeyedHere,
  Sandbox,
} from '../../../domain/ports/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';

interface Judged {
  readonly files: readonly JudgedFile[];
  readonly terms: { readonly roots: readonly JudgedRoot[] };
}

/**
 * The sandbox as a tool has it when it runs: it reaches what was judged, where it led when it was judged, and nothing
 * else. The real one judges each path anew, so what a link leads to now is compared with what it led to then.
 */
export class BoundSandbox implements Sandbox {
  readonly #inner: Sandbox;
  readonly #files: ReadonlyMap<string, JudgedFile>;
  readonly #roots: readonly JudgedRoot[];
  readonly #obeyed = new Map<string, Promise<ObeyedHere>>();

  constructor(inner: Sandbox, { files, terms }: Judged) {
    this.#inner = inner;
    this.#files = new Map(files.map((file) => [file.asked, file]));
    this.#roots = terms.roots;
  }

  get workingDirectory(): string {
    return this.#inner.workingDirectory;
  }

  get roots(): readonly string[] {
    return this.#inner.roots;
  }

  async validate(asked: string): Promise<JailedPath> {
    const judged = this.#files.get(asked);
    if (judged === undefined) throw new ToolFailure(elsewhere(asked, 'it was not judged when this was planned'));
    const path = await this.#inner.validate(asked, this.#roots);
    if (path.absolute !== judged.path || path.root !== judged.root) throw new ToolFailure(elsewhere(asked));
    // What stands there was noted where it is to be changed.
    const isObeyed = judged.standing !== null && (await this.obeyedIn(path.root))(path.relative);
    const isControlFile = path.isControlFile || isObeyed;
    if (isControlFile !== judged.isControlFile)
      throw new ToolFailure(elsewhere(asked, 'what other programs make of it is not what it was when this was judged'));
    return isControlFile === path.isControlFile ? path : { ...path, isControlFile };
  }

  /** Looked at once while it runs. */
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

  rootsNow(): readonly JudgedRoot[] {
    return this.#inner.rootsNow();
  }

  standing(path: JailedPath): Promise<Standing> {
    return this.#inner.standing(path);
  }

  isDenied(relative: string, root?: string): boolean {
    return this.#inner.isDenied(relative, root);
  }
}
