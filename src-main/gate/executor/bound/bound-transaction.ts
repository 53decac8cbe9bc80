import {
  movedPathFailure,
  type JudgedFile,
  type Judgement,
  changedFileFailure,
} from '../../../domain/call/judgement.js';
import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { JailedPath } from '../../../domain/ports/workspace/sandbox.js';
import type {
  JudgedDestination,
  UnrestoredChange,
  StagedRestore,
  StagedWrite,
  WorkspaceTransaction,
} from '../../../domain/ports/workspace/transaction.js';
import { refuseLargerFile } from '../../../domain/tool/declared-limits.js';
import { type ResourceLimits, ToolFailure } from '../../../domain/tool/tool.js';

/** The changes that may have been made since the call was judged. */
export interface ChangesSince {
  /** Whether a change of ours made that folder there; or a command of the same batch ran, which may have. */
  madeFolder(root: string, relative: string, is: string): boolean;
  /** Whether a call of the same batch may have changed this file. */
  mayHaveChanged(path: string): boolean;
}

/**
 * The transaction as a tool has it when it runs: it changes what was judged, in the folder that was judged, from what was
 * shown, and nothing else.
 */
export class BoundTransaction implements WorkspaceTransaction {
  readonly #inner: WorkspaceTransaction;
  readonly #judgement: Judgement;
  readonly #since: ChangesSince;
  readonly #limits: ResourceLimits;

  constructor(inner: WorkspaceTransaction, judgement: Judgement, since: ChangesSince, limits: ResourceLimits) {
    this.#inner = inner;
    this.#judgement = judgement;
    this.#since = since;
    this.#limits = limits;
  }

  get state(): WorkspaceTransaction['state'] {
    return this.#inner.state;
  }

  get made(): ReadonlyMap<string, string> {
    return this.#inner.made;
  }

  async stageWrite(write: StagedWrite): Promise<void> {
    refuseLargerFile(write.content.byteLength, this.#limits, write.path.asked);
    await this.#inner.stageWrite({ ...write, judged: this.#place(write.path, write.expected) });
  }

  async stageDelete(path: JailedPath, expected: string): Promise<void> {
    await this.#inner.stageDelete(path, expected, this.#place(path, expected));
  }

  async stageRestore(restore: StagedRestore): Promise<void> {
    const { folder, name, asked, expected } = restore;
    if (restore.wanted?.kind === 'file') refuseLargerFile(restore.wanted.content.byteLength, this.#limits, asked);
    const relative = folder.relative === '' ? name : `${folder.relative}/${name}`;
    const { files } = this.#judgement;
    const own = files.find((file) => file.root === folder.root && file.relative === relative);
    if (own !== undefined) this.#refuseUnshown(asked, own.path, expected?.kind === 'file' ? expected.sha256 : null);
    // A link is judged by the folder it is in: following it would judge something else.
    const ofFolder = files.find(({ path }) => path === folder.absolute);
    const judged = own === undefined ? insideOf(ofFolder) : own.standing;
    if (judged === null) throw new ToolFailure(movedPathFailure(asked, 'it was not judged when this was planned'));
    await this.#inner.stageRestore({ ...restore, judged: this.#placed(judged, folder.root, undefined) });
  }

  commit(): Promise<readonly ChangedFile[]> {
    return this.#inner.commit();
  }

  rollback(): Promise<UnrestoredChange | null> {
    return this.#inner.rollback();
  }

  settle(): Promise<void> {
    return this.#inner.settle();
  }

  #place({ absolute, asked, root }: JailedPath, expected: string | null): JudgedDestination {
    this.#refuseUnshown(asked, absolute, expected);
    const file = this.#judgement.files.find(({ path }) => path === absolute);
    const standing = file?.standing ?? null;
    if (standing === null) throw new ToolFailure(movedPathFailure(asked, 'it was not judged when this was planned'));
    // What was shown says more than what was there: its bytes.
    const told = this.#judgement.shown !== null || this.#since.mayHaveChanged(absolute);
    return this.#placed(standing, root, told ? undefined : standing.file);
  }

  #placed(
    { folder, folderIs }: { readonly folder: string; readonly folderIs: string },
    root: string,
    stood: string | null | undefined,
  ): JudgedDestination {
    return { folder, folderIs, madeSince: (path, is) => this.#since.madeFolder(root, path, is), stood };
  }

  #refuseUnshown(asked: string, path: string, expected: string | null): void {
    const { shown } = this.#judgement;
    if (shown === null) return;
    if (!Object.hasOwn(shown, path))
      throw new ToolFailure(changedFileFailure(asked, 'what would become of it was not shown when this was approved'));
    if (shown[path] !== expected)
      throw new ToolFailure(changedFileFailure(asked, 'it is not what it was when this was shown and approved'));
  }
}

function insideOf(folder: JudgedFile | undefined): { readonly folder: string; readonly folderIs: string } | null {
  const standing = folder?.standing ?? null;
  if (folder === undefined || standing === null) return null;
  const { relative } = folder;
  return standing.file === null ? standing : { folder: relative, folderIs: standing.file };
}
