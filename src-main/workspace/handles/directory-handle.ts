import { promisify } from 'node:util';
import type { Dirent } from 'node:fs';
import type { DirectoryEntry, FileFacts } from '../../domain/ports/workspace/sandbox.js';
import { unpatchedFs, unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';
import { type FolderAnchor, type AnchorKind, type FsCallMode, openAnchor } from './anchor.js';
import { checkEntryName, type EntryName, entryNameText } from './entry-name.js';
import { RawDirectoryEntry } from './raw-directory-entry.js';
import { type FileStatus, identityOf, statusOf } from './file-status.js';
import { RefCounted } from './ref-counted.js';
import { SafeFile } from './safe-file.js';
import { errnoOf, UnsafePathError } from './unsafe-path-error.js';

const { closeSync, constants, fstatSync, lstatSync, opendirSync } = unpatchedFs;
const openDescriptor = promisify(unpatchedFs.open) as unknown as (
  path: string | Buffer,
  flags: number,
  mode: number,
) => Promise<number>;
const { link, lstat, mkdir, opendir, readlink, rename, rmdir, symlink, unlink } = unpatchedFsPromises;

const ALWAYS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const LISTING_BUFFER = 1024;
const LISTING_BATCH = 256;

/**
 * An open folder whose children are reached by name, one step at a time, never through a link. Whatever somebody does to
 * the path meanwhile, what is done here is done in the folder that was opened.
 */
export class DirectoryHandle implements AsyncDisposable {
  readonly #anchor: RefCounted<FolderAnchor>;

  private constructor(anchor: FolderAnchor) {
    this.#anchor = new RefCounted(anchor, (open) => open.close(), 'This folder was closed.');
  }

  /** The one place that takes a path: the root, canonical, chosen by the person. */
  static async openRoot(path: string, kind?: AnchorKind): Promise<DirectoryHandle> {
    return new DirectoryHandle(await openAnchor(path, kind));
  }

  /** The same, for a root that was looked at before: another folder by that name, reached through a link perhaps, is refused. */
  static async openKnownRoot(path: string, is: string): Promise<DirectoryHandle> {
    const anchor = await openAnchor(path);
    if (identityOf(anchor.statusNow()) === is) return new DirectoryHandle(anchor);
    anchor.close();
    throw new UnsafePathError('changed', path, `The folder “${path}” was replaced by something else.`);
  }

  /** The status of the folder itself. */
  async status(): Promise<FileStatus> {
    return this.#anchor.use((anchor) => anchor.status());
  }

  async openChild(name: EntryName, how: FsCallMode = 'in-pool'): Promise<DirectoryHandle> {
    checkEntryName(name);
    return this.#anchor.use(async (anchor) => new DirectoryHandle(await anchor.child(name, how)));
  }

  /**
   * Opens a regular file. Links, folders and special files are refused before they are opened, so that no device ever
   * is, and checked again after, so that a swap in between is noticed before a byte moves. Never waits for a FIFO. To
   * create, give O_CREAT | O_EXCL: creating through an existing name is not offered.
   */
  async openFile(name: EntryName, flags: number = constants.O_RDONLY, mode = 0o600): Promise<SafeFile> {
    checkEntryName(name);
    const creating = (flags & constants.O_CREAT) !== 0;
    if (creating && (flags & constants.O_EXCL) === 0) throw new TypeError('O_CREAT needs O_EXCL here');
    if ((flags & constants.O_TRUNC) !== 0) throw new TypeError('O_TRUNC would write before the file was looked at');
    return this.#anchor.use(async (anchor) => {
      if (!creating) refuseIrregular((await this.#seen(anchor.reach(name))).kind, name);
      return openIn(anchor, name, flags, mode);
    });
  }

  /** Opens a file whose status the caller has just read: only a swap since then could make this open a device. */
  async openKnownFile(name: EntryName): Promise<SafeFile> {
    checkEntryName(name);
    return this.#anchor.use((anchor) => openIn(anchor, name, constants.O_RDONLY, 0));
  }

  /** Reads the status of the name itself: a link is reported as a link. */
  async lstat(name: EntryName): Promise<FileStatus> {
    checkEntryName(name);
    return this.#anchor.use(async (anchor) => {
      const status = await this.#seen(anchor.reach(name));
      await anchor.confirm();
      return status;
    });
  }

  /**
   * Reads the status of a few names at once; null where nothing exists any more. The system knows what it has just
   * listed, so asking takes far less time than waiting for the thread pool once for each: give it no more than one
   * batch of a listing.
   */
  async lstatMany(names: readonly EntryName[]): Promise<readonly (FileStatus | null)[]> {
    for (const name of names) checkEntryName(name);
    return this.#anchor.use(async (anchor) => {
      const seen = names.map((name) => statusNow(anchor.reach(name)));
      await anchor.confirm();
      return seen;
    });
  }

  async mkdir(name: EntryName, mode = 0o777): Promise<void> {
    checkEntryName(name);
    await this.#act((anchor) => mkdir(anchor.reach(name), { mode }));
  }

  /** Replaces what is at `toName`, as rename(2) does; a link there is replaced, not followed. */
  async rename(fromName: EntryName, toDirectory: DirectoryHandle, toName: EntryName): Promise<void> {
    checkEntryName(fromName);
    checkEntryName(toName);
    await this.#act((from) => toDirectory.#act((to) => rename(from.reach(fromName), to.reach(toName))));
  }

  /**
   * Gives the file a second name, and fails with EEXIST where something exists already: a rename that never replaces.
   */
  async link(fromName: EntryName, toDirectory: DirectoryHandle, toName: EntryName): Promise<void> {
    checkEntryName(fromName);
    checkEntryName(toName);
    await this.#act((from) => toDirectory.#act((to) => link(from.reach(fromName), to.reach(toName))));
  }

  async unlink(name: EntryName): Promise<void> {
    checkEntryName(name);
    await this.#act((anchor) => unlink(anchor.reach(name)));
  }

  async rmdir(name: EntryName): Promise<void> {
    checkEntryName(name);
    await this.#act((anchor) => rmdir(anchor.reach(name)));
  }

  async readlink(name: EntryName): Promise<Uint8Array> {
    checkEntryName(name);
    return this.#anchor.use(async (anchor) => {
      const target = await readlink(anchor.reach(name), { encoding: 'buffer' });
      await anchor.confirm();
      return target;
    });
  }

  async symlink(target: Uint8Array, name: EntryName): Promise<void> {
    checkEntryName(name);
    await this.#act((anchor) => symlink(Buffer.from(target), anchor.reach(name)));
  }

  /**
   * Streams the names as they come from the system, unsorted, in handfuls. `now` asks the system directly, as `lstatMany`
   * does: five times as fast through many small folders, for who lets others have their turn between handfuls.
   */
  async *entries(how: FsCallMode = 'in-pool'): AsyncGenerator<readonly DirectoryEntry[]> {
    const now = how === 'now';
    const directory = await this.#anchor.use(async (anchor) => {
      // Latin-1 keeps every byte as one character, whatever the name is made of, and costs the least.
      const options = { encoding: 'latin1', bufferSize: LISTING_BUFFER } as const;
      const opened = now ? opendirSync(anchor.here(), options) : await opendir(anchor.here(), options);
      try {
        await anchor.confirm();
      } catch (error) {
        await opened.close();
        throw error;
      }
      return opened;
    });
    try {
      let batch: DirectoryEntry[] = [];
      const next = () => (now ? directory.readSync() : directory.read());
      for (let entry = await next(); entry !== null; entry = await next()) {
        batch.push(new RawDirectoryEntry(entry.name, kindOfEntry(entry)));
        if (batch.length < LISTING_BATCH) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    } finally {
      if (now) directory.closeSync();
      else await directory.close();
    }
  }

  /** Names that were created, renamed or removed here are on the disk when this resolves. */
  async sync(): Promise<void> {
    await this.#anchor.use((anchor) => anchor.sync());
  }

  close(): Promise<void> {
    return this.#anchor.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /**
   * Runs work that changes names. The folder is compared before and after, so that the caller at least learns of a
   * swap.
   */
  async #act(work: (anchor: FolderAnchor) => Promise<void>): Promise<void> {
    await this.#anchor.use(async (anchor) => {
      await anchor.confirm();
      await work(anchor);
      await anchor.confirm();
    });
  }

  async #seen(path: string | Buffer): Promise<FileStatus> {
    return statusOf(await lstat(path, { bigint: true }));
  }
}

async function openIn(anchor: FolderAnchor, name: EntryName, flags: number, mode: number): Promise<SafeFile> {
  await anchor.confirm();
  const descriptor = await openDescriptor(anchor.reach(name), flags | ALWAYS, mode).catch((error: unknown) =>
    refuseSwapped(error, name),
  );
  try {
    // What is open is known to the system: asking takes less time than waiting for the thread pool.
    const opened = statusOf(fstatSync(descriptor, { bigint: true }));
    refuseIrregular(opened.kind, name);
    await anchor.confirmFile(name, opened);
    return new SafeFile(descriptor, opened);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function statusNow(path: string | Buffer): FileStatus | null {
  try {
    return statusOf(lstatSync(path, { bigint: true }));
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return null;
    throw error;
  }
}

function kindOfEntry(entry: Dirent): FileFacts['kind'] | null {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'dir';
  if (entry.isSymbolicLink()) return 'symlink';
  const special = entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();
  return special ? 'other' : null;
}

function refuseIrregular(kind: FileFacts['kind'], name: EntryName): void {
  if (kind === 'file') return;
  const shown = entryNameText(name);
  if (kind === 'dir') throw new UnsafePathError('is-a-directory', shown, `“${shown}” is a folder, not a file.`);
  if (kind === 'symlink')
    throw new UnsafePathError('link', shown, `“${shown}” is a link; links are not followed here.`);
  throw new UnsafePathError('special', shown, `“${shown}” is a device, pipe or socket, not a regular file.`);
}

function swapped(name: EntryName): UnsafePathError {
  const shown = entryNameText(name);
  return new UnsafePathError('changed', shown, `“${shown}” was replaced by something else while it was opened.`);
}

/** Explains the errors of open(2) when the name became a link or a special file after its status was read. */
function refuseSwapped(error: unknown, name: EntryName): never {
  const code = errnoOf(error);
  if (code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR') throw swapped(name);
  throw error;
}
