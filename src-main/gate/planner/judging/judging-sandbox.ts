import { isAbsolute } from 'node:path';
import type { JudgedFile, JudgedRoot } from '../../../domain/call/judgement.js';
import type { JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import { CallSandbox } from '../../call-sandbox.js';

/**
 * The sandbox as a tool sees it while it is planned: each path that it asks about is noted with where it led. What was not
 * asked about here is not reached when the call runs, so no tool has to say by itself what it was judged on.
 */
export class JudgingSandbox extends CallSandbox {
  /** Whether what stands at a path counts: it does for what changes files. */
  readonly #changes: boolean;
  readonly #files = new Map<string, JudgedFile>();
  readonly #roots: readonly JudgedRoot[];

  constructor(inner: Sandbox, changes: boolean) {
    super(inner);
    this.#roots = inner.inspectRoots();
    this.#changes = changes;
  }

  get files(): readonly JudgedFile[] {
    return [...this.#files.values()];
  }

  /** Names a path that the tool validated, as seen from the workspace; a relative path stays as it was written. */
  named(asked: string): string {
    const file = this.#files.get(asked);
    return file !== undefined && isAbsolute(asked) && file.root === this.workingDirectory
      ? file.relative || '.'
      : asked;
  }

  async validate(asked: string): Promise<JailedPath> {
    const path = await this.inner.validate(asked, this.#roots);
    const { absolute, root, relative } = path;
    const isControlFile = path.isControlFile || (this.#changes && (await this.findObeyedPaths(root))(relative));
    // The first look counts: what it became while it was planned is a change like any later one.
    if (!this.#files.has(asked)) {
      const standing = this.#changes ? await this.inner.inspectPath(path) : null;
      this.#files.set(asked, { asked, path: absolute, root, relative, isControlFile, standing });
    }
    return isControlFile === path.isControlFile ? path : { ...path, isControlFile };
  }

  /** Looked at once, before the first path: all of a call is judged in the same folders. */
  override inspectRoots(): readonly JudgedRoot[] {
    return this.#roots;
  }
}
