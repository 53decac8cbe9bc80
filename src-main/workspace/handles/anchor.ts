import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpatchedFs, unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';
import { bytesOfText } from './byte-name.js';
import { type EntryName, entryNameText } from './entry-name.js';
import { type FileStatus, isSameFile, statusOf } from './file-status.js';
import { errnoOf, UnsafePathError } from './unsafe-path-error.js';

/**
 * How a folder is held while its children are reached.
 *
 * Node has no openat. On Linux `/proc/self/fd/N/name` is the same thing: the kernel goes from the open folder, whatever
 * became of the path it was opened by. Elsewhere there is only the path; then the whole chain of folders is compared with
 * what was first seen, before and after each step, and no byte is read or written until it was.
 */
export interface FolderAnchor {
  /** The status of the folder that is held. */
  status(): Promise<FileStatus>;
  /** The same at once: what is open is known to the system, and asking takes less time than waiting for the thread pool. */
  statusNow(): FileStatus;
  /** The path that leads to a child. */
  reach(name: EntryName): string | Buffer;
  /** The path that leads to the folder itself. */
  here(): string;
  child(name: EntryName, how: FsCallMode): Promise<FolderAnchor>;
  /** Throws when the folder is no longer the one that was opened. */
  confirm(): Promise<void>;
  /** Throws when a file that was opened as `name` is not the one of that name in this folder. */
  confirmFile(name: EntryName, opened: FileStatus): Promise<void>;
  sync(): Promise<void>;
  close(): void;
}

/** 'now' asks the system directly instead of waiting for the thread pool, which takes longer than the asking. */
export type FsCallMode = 'in-pool' | 'now';

const { closeSync, constants, fstat, fstatSync, fsync, open, openSync } = unpatchedFs;
const { access, lstat } = unpatchedFsPromises;

// Descriptors rather than FileHandles: closing a folder takes no time and can't fail, so it need not wait its turn in the
// thread pool behind real work. A walk closes as many folders as it opens.
const openDescriptor = promisify(open);
const statDescriptor = promisify(fstat) as unknown as (fd: number, options: { bigint: true }) => Promise<BigIntStats>;
const syncDescriptor = promisify(fsync);

const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const OPEN_DIRECTORY = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NOFOLLOW | (constants.O_NONBLOCK ?? 0);

const lstatStatus = async (path: string | Buffer): Promise<FileStatus> => statusOf(await lstat(path, { bigint: true }));

function refuseNonDirectory(kind: FileStatus['kind'], shown: string): void {
  if (kind === 'dir') return;
  if (kind === 'symlink')
    throw new UnsafePathError('link', shown, `“${shown}” is a link; links are not followed here.`);
  throw new UnsafePathError('not-a-directory', shown, `“${shown}” is not a folder.`);
}

/** Opens a folder; says plainly why when it isn't one. */
async function openDirectory(path: string | Buffer, shown: string, how: FsCallMode = 'in-pool'): Promise<number> {
  try {
    return how === 'now' ? openSync(path, OPEN_DIRECTORY) : await openDescriptor(path, OPEN_DIRECTORY);
  } catch (error) {
    // ENOTDIR and ELOOP both stand for “a link” or “a file”, depending on the system.
    const code = errnoOf(error);
    if (code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENXIO') {
      refuseNonDirectory((await lstatStatus(path)).kind, shown);
    }
    throw error;
  }
}

class DescriptorAnchor implements FolderAnchor {
  readonly #fd: number;

  private constructor(fd: number) {
    this.#fd = fd;
  }

  static async open(path: string | Buffer, shown: string, how?: FsCallMode): Promise<DescriptorAnchor> {
    return new DescriptorAnchor(await openDirectory(path, shown, how));
  }

  async status(): Promise<FileStatus> {
    return statusOf(await statDescriptor(this.#fd, { bigint: true }));
  }

  statusNow(): FileStatus {
    return statusOf(fstatSync(this.#fd, { bigint: true }));
  }

  reach(name: EntryName): string | Buffer {
    const prefix = `/proc/self/fd/${this.#fd}/`;
    const exact = typeof name === 'string' ? bytesOfText(name) : name;
    return typeof exact === 'string' ? prefix + exact : Buffer.concat([Buffer.from(prefix), exact]);
  }

  here(): string {
    return `/proc/self/fd/${this.#fd}`;
  }

  async child(name: EntryName, how: FsCallMode): Promise<FolderAnchor> {
    return DescriptorAnchor.open(this.reach(name), entryNameText(name), how);
  }

  async confirm(): Promise<void> {
    // The descriptor is the folder.
  }

  async confirmFile(): Promise<void> {
    // The file was opened in this folder; that an editor has put a newer one in its place since then is no harm.
  }

  async sync(): Promise<void> {
    await syncDescriptor(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

class PathAnchor implements FolderAnchor {
  readonly #path: string;
  readonly #parent: PathAnchor | null;
  readonly #seen: FileStatus;

  private constructor(path: string, seen: FileStatus, parent: PathAnchor | null) {
    this.#path = path;
    this.#seen = seen;
    this.#parent = parent;
  }

  static async open(path: string, shown: string, parent: PathAnchor | null): Promise<PathAnchor> {
    const status = await lstatStatus(path);
    refuseNonDirectory(status.kind, shown);
    const anchor = new PathAnchor(path, status, parent);
    await anchor.confirm();
    return anchor;
  }

  async status(): Promise<FileStatus> {
    await this.confirm();
    return lstatStatus(this.#path);
  }

  statusNow(): FileStatus {
    return this.#seen;
  }

  reach(name: EntryName): string {
    return join(this.#path, entryNameText(name));
  }

  here(): string {
    return this.#path;
  }

  async child(name: EntryName): Promise<FolderAnchor> {
    return PathAnchor.open(this.reach(name), entryNameText(name), this);
  }

  async confirm(): Promise<void> {
    await this.#parent?.confirm();
    const now = await lstatStatus(this.#path);
    if (now.kind !== 'dir' || !isSameFile(now, this.#seen)) {
      throw new UnsafePathError('changed', this.#path, `The folder “${this.#path}” was replaced by something else.`);
    }
  }

  async confirmFile(name: EntryName, opened: FileStatus): Promise<void> {
    await this.confirm();
    if (!isSameFile(opened, await lstatStatus(this.reach(name)))) {
      const shown = entryNameText(name);
      throw new UnsafePathError('changed', shown, `“${shown}” was replaced by something else while it was opened.`);
    }
  }

  async sync(): Promise<void> {
    if (process.platform === 'win32') return; // Windows has no fsync of folders; NTFS journals names itself.
    const fd = await openDirectory(this.#path, this.#path);
    try {
      await syncDescriptor(fd);
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    // Holds nothing open.
  }
}

export type AnchorKind = 'descriptor' | 'path';

let bestAnchor: Promise<AnchorKind> | null = null;

/** Descriptors where /proc is there to be used; a container may lack it. */
async function chooseAnchor(): Promise<AnchorKind> {
  if (process.platform !== 'linux') return 'path';
  return access('/proc/self/fd').then(
    () => 'descriptor',
    () => 'path',
  );
}

export async function openAnchor(path: string, kind?: AnchorKind): Promise<FolderAnchor> {
  bestAnchor ??= chooseAnchor();
  return (kind ?? (await bestAnchor)) === 'descriptor'
    ? DescriptorAnchor.open(path, path)
    : PathAnchor.open(path, path, null);
}
