import { SerialQueue } from '../../../platform/serial-queue.js';
import { basename } from 'node:path';
import { DirectoryHandle } from '../../handles/directory-handle.js';
import { type FileStatus, isSameState } from '../../handles/file-status.js';
import { errnoOf, isRefusal } from '../../handles/unsafe-path-error.js';
import { splitLast, walk } from '../../handles/walk.js';
import { forEachConcurrently } from '../../../platform/for-each-concurrently.js';
import { unpatchedFsPromises } from '../../../platform/files/unpatched-fs.js';
import { type ListBounds, listWorkspace, type WorkspaceList } from '../workspace-list.js';
import { type FileCopy, copyFile } from './file-copy.js';
import { isSecretPath } from '../secret-path.js';
import { HeldSnapshot, type MissingReason } from './held-snapshot.js';
import { CopyPack, PackError } from './copy-pack.js';
import { KEPT_FREE, KEPT_OF_A_FILE, MIB } from '../../../domain/size-bounds.js';

export interface SnapshotBounds {
  readonly maxFileBytes: number;
  readonly maxBytes: number;
  /** The space that must stay free on the disk: the journal needs it more. */
  readonly minFreeBytes: number;
  /** How long a command that may start waits for what is not copied yet. */
  readonly catchUpMs: number;
  /** How long one waits that may write only to what is copied. */
  readonly keepMs: number;
  /** The bounds of the walk in the background. */
  readonly list: ListBounds;
}

export const SNAPSHOT_BOUNDS: SnapshotBounds = {
  maxFileBytes: KEPT_OF_A_FILE,
  maxBytes: 64 * MIB,
  minFreeBytes: KEPT_FREE,
  catchUpMs: 50,
  keepMs: 20_000,
  list: { maxFiles: 20_000, maxMs: 30_000 },
};

/** The workspace that commands run in, and what of it is never copied. */
export interface SnapshotPlace {
  readonly root: string;
  readonly isDenied: (relative: string) => boolean;
}

export interface SnapshotOptions {
  /** Private, on the disk that holds what is kept for undo; it stays empty to look at. */
  readonly folder: string;
  readonly hidden: readonly string[];
  readonly log: (message: string) => void;
  readonly bounds?: SnapshotBounds;
  /** Whether a content would be kept for undo. */
  readonly keeps: (content: Uint8Array) => Promise<boolean>;
  /** Tests only: right before a file is opened to be copied. */
  readonly onCopy?: (relative: string) => void | Promise<void>;
}

/**
 * Copies of the workspace's files, made while a command waits for a person's yes, from which comes what the files were
 * before it. What is unchanged is not copied again. One workspace at a time; a change of it begins anew.
 */
export class WorkspaceSnapshot {
  readonly #options: SnapshotOptions;
  readonly #bounds: SnapshotBounds;
  #root: string | null = null;
  #pack: CopyPack | null = null;
  #copies = new Map<string, FileCopy>();
  /** The bytes that `#copies` take of the bound. */
  #bytes = 0;
  #problem: MissingReason | null = null;
  #toldOf: MissingReason | null = null;
  readonly #turns = new SerialQueue();
  #background: AbortController | null = null;
  #isClosed = false;
  /** Whether what was copied would be kept for undo, as far as somebody wanted to know. */
  readonly #keeps = new WeakMap<FileCopy, boolean>();

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? SNAPSHOT_BOUNDS;
  }

  /**
   * Brings the copies up to date in the background; with the present list of files (`known`), if somebody has just made
   * one. `mustKeep`: sees to it, too, which of them would be kept.
   */
  async prepare(place: SnapshotPlace, mustKeep: boolean, known?: WorkspaceList): Promise<void> {
    if (this.#background !== null || this.#isClosed) return;
    const stop = new AbortController();
    this.#background = stop;
    await this.#turns
      .run(async () => {
        if (stop.signal.aborted) return;
        const bounds = { ...this.#bounds.list, signal: stop.signal };
        const list = known ?? (await listWorkspace(place.root, bounds, this.#options.hidden));
        const mayGoOn = (): boolean => !stop.signal.aborted;
        await this.#update(place, list, mayGoOn);
        if (mustKeep) await this.#unkept(mayGoOn);
      })
      .finally(() => {
        if (this.#background === stop) this.#background = null;
      });
  }

  /** A command is about to start: what goes on in the background must not make it wait. */
  pause(): void {
    this.#background?.abort();
  }

  /**
   * Holds the copies of the files in `list` as they are now, whatever is copied later. `mustKeep`: files without a copy
   * can't be written to, so there is time to copy them, and to see whether they would be kept.
   */
  async hold(place: SnapshotPlace, list: WorkspaceList, mustKeep = false): Promise<HeldSnapshot> {
    this.pause();
    return this.#turns.run(async () => {
      const until = performance.now() + (mustKeep ? this.#bounds.keepMs : this.#bounds.catchUpMs);
      const mayGoOn = (): boolean => performance.now() < until;
      await this.#update(place, list, mayGoOn);
      const unkept = mustKeep ? await this.#unkept(mayGoOn) : new Set<FileCopy>();
      this.#pack?.retain();
      const { maxFileBytes, maxBytes } = this.#bounds;
      const problem = this.#problem;
      const room = maxBytes - this.#bytes;
      return new HeldSnapshot({
        copies: new Map(this.#copies),
        pack: this.#pack,
        unkept,
        whyMissing: (path, status) => {
          if (isSecretPath(path, place)) return 'secret';
          if (status.kind === 'other') return 'special';
          if (status.size > maxFileBytes) return 'too-large';
          return problem ?? (status.size > room ? 'full' : 'not-yet');
        },
      });
    });
  }

  /** The copies that would not be kept for undo. A copy that is not checked in time counts as one. */
  async #unkept(mayGoOn: () => boolean): Promise<ReadonlySet<FileCopy>> {
    const unkept = new Set<FileCopy>();
    for (const copy of this.#copies.values()) {
      if (copy.kind === 'link') continue;
      let keeps = this.#keeps.get(copy) ?? null;
      if (keeps === null && mayGoOn()) {
        keeps = await this.#options.keeps(await copy.pack.read(copy.offset, copy.status.size)).catch(() => false);
        this.#keeps.set(copy, keeps);
      }
      if (keeps !== true) unkept.add(copy);
    }
    return unkept;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.pause();
    await this.#turns.run(() => this.#beginAnew(null));
  }

  /** Never throws: a command that can't be undone runs all the same. */
  async #update(place: SnapshotPlace, list: WorkspaceList, mayGoOn: () => boolean): Promise<void> {
    try {
      if (this.#root !== place.root || (this.#pack?.length ?? 0) > 2 * this.#bounds.maxBytes) {
        await this.#beginAnew(place.root);
      }
      this.#problem = null;
      this.#forgetGone(list);
      const missing = [...list.files].filter(([path, status]) => this.#isMissing(path, status, list));
      if (missing.length === 0) return;
      await this.#needRoom();
      this.#pack ??= await CopyPack.open(this.#options.folder);
      await this.#copyAll(place, missing, this.#pack, mayGoOn);
      await this.#pack.flush();
      this.#toldOf = null;
    } catch (error) {
      await this.#giveUp(place, error);
    }
  }

  #isMissing(path: string, status: FileStatus, list: WorkspaceList): boolean {
    if (status.kind === 'other' || status.size > this.#bounds.maxFileBytes || list.unnamable.has(path)) return false;
    const copy = this.#copies.get(path);
    return copy?.settled !== true || !isSameState(copy.status, status);
  }

  async #copyAll(
    place: SnapshotPlace,
    missing: readonly (readonly [string, FileStatus])[],
    pack: CopyPack,
    mayGoOn: () => boolean,
  ): Promise<void> {
    await using root = await DirectoryHandle.openRoot(place.root);
    let looked = 0;
    const copy = async (folder: DirectoryHandle, [path, status]: readonly [string, FileStatus]): Promise<void> => {
      if (!mayGoOn()) return;
      // What is not copied takes no trip to the disk, so nobody else would get a turn.
      if ((looked += 1) % SLICE === 0) await new Promise((resolve) => setImmediate(resolve));
      if (isSecretPath(path, place)) return;
      await this.#options.onCopy?.(path);
      await this.#copy(folder, path, status, pack);
    };
    const folders = Map.groupBy(missing, ([path]) => splitLast(path)?.folder ?? '');
    await forEachConcurrently([...folders], AT_ONCE, async ([folder, files]) => {
      if (!mayGoOn()) return;
      await skippingRefusals(() =>
        walk(root, folder, (handle) => forEachConcurrently(files, AT_ONCE, (file) => copy(handle, file))),
      );
    });
  }

  async #copy(folder: DirectoryHandle, path: string, status: FileStatus, pack: CopyPack): Promise<void> {
    this.#forget(path);
    if (this.#bytes + status.size > this.#bounds.maxBytes) return;
    this.#bytes += status.size;
    const copy = await skippingRefusals(() => copyFile(folder, basename(path), status, pack));
    if (copy === null) this.#bytes -= status.size;
    else this.#copies.set(path, copy);
  }

  #forget(path: string): void {
    const copy = this.#copies.get(path);
    if (copy === undefined) return;
    this.#copies.delete(path);
    this.#bytes -= copy.status.size;
  }

  #forgetGone(list: WorkspaceList): void {
    if (!list.complete) return;
    for (const path of this.#copies.keys()) if (!list.files.has(path)) this.#forget(path);
  }

  async #needRoom(): Promise<void> {
    const { bavail, bsize } = await unpatchedFsPromises.statfs(await this.#folder());
    if (bavail * bsize < this.#bounds.minFreeBytes) throw Object.assign(new Error('almost full'), { code: 'ENOSPC' });
  }

  async #folder(): Promise<string> {
    await unpatchedFsPromises.mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    return this.#options.folder;
  }

  async #beginAnew(root: string | null): Promise<void> {
    const pack = this.#pack;
    this.#root = root;
    this.#pack = null;
    this.#copies = new Map();
    this.#bytes = 0;
    await pack?.release();
  }

  /** Discards all copies: on a full disk others need the room more. */
  async #giveUp(place: SnapshotPlace, error: unknown): Promise<void> {
    await this.#beginAnew(place.root).catch(() => undefined);
    const code = errnoOf(error instanceof PackError ? error.cause : error);
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    this.#problem = full ? 'disk-full' : 'failed';
    if (this.#toldOf === this.#problem) return;
    this.#toldOf = this.#problem;
    const reason = full ? 'the disk is full, or almost' : error instanceof Error ? error.message : String(error);
    this.#options.log(`The workspace could not be copied, so what commands change there can’t be undone: ${reason}.`);
  }
}

/** Looked at so many at a time before other work gets its turn. */
const SLICE = 64;
/** Folders, and files of each, that are read together: waiting for the disk takes longer than reading. */
const AT_ONCE = 4;

/** A file that can't be read, or is not what it was, has no copy. A disk that can't be written to is another matter. */
async function skippingRefusals<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PackError || !isRefusal(error)) throw error;
    return null;
  }
}
