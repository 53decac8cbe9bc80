import type { JudgedRoot, PathState } from '../domain/call/judgement.js';
import type {
  FileFacts,
  JailedDirectory,
  JailedFile,
  JailedPath,
  IsObeyedPath,
  Sandbox,
} from '../domain/ports/workspace/sandbox.js';

/** The sandbox as one call has it. Which paths it reaches is what its stages differ in; all else is the real one's word. */
export abstract class CallSandbox implements Sandbox {
  protected readonly inner: Sandbox;
  readonly #obeyed = new Map<string, Promise<IsObeyedPath>>();

  constructor(inner: Sandbox) {
    this.inner = inner;
  }

  abstract validate(asked: string): Promise<JailedPath>;

  /** Looked at once for a call, at each of its stages. */
  findObeyedPaths(root: string): Promise<IsObeyedPath> {
    const known = this.#obeyed.get(root) ?? this.inner.findObeyedPaths(root);
    this.#obeyed.set(root, known);
    return known;
  }

  get workingDirectory(): string {
    return this.inner.workingDirectory;
  }

  get roots(): readonly string[] {
    return this.inner.roots;
  }

  inspectRoots(): readonly JudgedRoot[] {
    return this.inner.inspectRoots();
  }

  openFile(path: JailedPath): Promise<JailedFile> {
    return this.inner.openFile(path);
  }

  openDirectory(path: JailedPath): Promise<JailedDirectory> {
    return this.inner.openDirectory(path);
  }

  openFolderOf(path: JailedPath): Promise<JailedDirectory> {
    return this.inner.openFolderOf(path);
  }

  facts(path: JailedPath): Promise<FileFacts | null> {
    return this.inner.facts(path);
  }

  inspectPath(path: JailedPath): Promise<PathState> {
    return this.inner.inspectPath(path);
  }

  isDenied(relative: string, root?: string): boolean {
    return this.inner.isDenied(relative, root);
  }
}
