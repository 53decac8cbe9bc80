import { type FileStatus, isSameState } from '../../handles/file-status.js';
import type { FileCopy } from './file-copy.js';
import type { CopyPack } from './copy-pack.js';

/** Why there is no copy of something. */
export type MissingReason = 'secret' | 'special' | 'too-large' | 'full' | 'disk-full' | 'failed' | 'not-yet';

/** The state of a path before a command: a file's bytes, or a link's target. */
export type StateBefore =
  | { readonly kind: 'file'; readonly content: Buffer; readonly status: FileStatus }
  | { readonly kind: 'link'; readonly target: string; readonly status: FileStatus };

interface HeldSnapshotDeps {
  readonly copies: ReadonlyMap<string, FileCopy>;
  readonly pack: CopyPack | null;
  readonly whyMissing: (path: string, status: FileStatus) => MissingReason;
  /** Copies that would not be kept for undo though they are here. */
  readonly unkept: ReadonlySet<FileCopy>;
}

/** The snapshot as it was when a command began. */
export class HeldSnapshot implements AsyncDisposable {
  readonly #parts: HeldSnapshotDeps;
  #isReleased = false;

  constructor(parts: HeldSnapshotDeps) {
    this.#parts = parts;
  }

  /** The file or link that was listed as `status`, or why there is no copy. */
  async before(path: string, status: FileStatus): Promise<StateBefore | MissingReason> {
    const missing = this.#parts.whyMissing(path, status);
    if (missing === 'secret' || missing === 'special') return missing;
    const copy = this.#parts.copies.get(path);
    if (copy === undefined || !isSameState(copy.status, status)) return missing;
    if (copy.kind === 'link') return { kind: 'link', target: copy.target, status };
    return { kind: 'file', content: await copy.pack.read(copy.offset, status.size), status };
  }

  /** Whether the file or link that was listed as `status` can be put back. */
  isKept(path: string, status: FileStatus): boolean {
    const { copies, unkept, whyMissing } = this.#parts;
    const copy = copies.get(path);
    if (copy === undefined || !isSameState(copy.status, status) || unkept.has(copy)) return false;
    const missing = whyMissing(path, status);
    return missing !== 'secret' && missing !== 'special';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    await this.#parts.pack?.release();
  }
}
