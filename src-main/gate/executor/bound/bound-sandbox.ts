import { movedPathFailure, type JudgedFile, type JudgedRoot } from '../../../domain/call/judgement.js';
import type { JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { CallSandbox } from '../../call-sandbox.js';

interface JudgedReach {
  readonly files: readonly JudgedFile[];
  readonly terms: { readonly roots: readonly JudgedRoot[] };
}

/**
 * The sandbox as a tool has it when it runs: it reaches what was judged, where it led when it was judged, and nothing
 * else. The real one judges each path anew, so what a link leads to now is compared with what it led to then.
 */
export class BoundSandbox extends CallSandbox {
  readonly #files: ReadonlyMap<string, JudgedFile>;
  readonly #roots: readonly JudgedRoot[];

  constructor(inner: Sandbox, { files, terms }: JudgedReach) {
    super(inner);
    this.#files = new Map(files.map((file) => [file.asked, file]));
    this.#roots = terms.roots;
  }

  async validate(asked: string): Promise<JailedPath> {
    const judged = this.#files.get(asked);
    if (judged === undefined) throw new ToolFailure(movedPathFailure(asked, 'it was not judged when this was planned'));
    const path = await this.inner.validate(asked, this.#roots);
    if (path.absolute !== judged.path || path.root !== judged.root) throw new ToolFailure(movedPathFailure(asked));
    // What stands there was noted where it is to be changed.
    const isObeyed = judged.standing !== null && (await this.findObeyedPaths(path.root))(path.relative);
    const isControlFile = path.isControlFile || isObeyed;
    // What was asked about as one, and is none any more, was asked about all the same.
    if (isControlFile && !judged.isControlFile)
      throw new ToolFailure(
        movedPathFailure(asked, 'what other programs make of it is not what it was when this was judged'),
      );
    return judged.isControlFile === path.isControlFile ? path : { ...path, isControlFile: judged.isControlFile };
  }
}
