import { createHash } from 'node:crypto';
import { sha256 } from '../../platform/digest.js';
import type { FileState, LinkState } from '../../domain/ports/workspace/command-undo.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { type FileStatus, isSameState } from '../handles/file-status.js';
import { isRefusal } from '../handles/unsafe-path-error.js';
import { splitLast, walk } from '../handles/walk.js';
import { readLinkTarget, readUnchanged } from './snapshot/file-copy.js';
import { KEPT_OF_A_FILE, LARGEST_FILE } from '../../domain/size-bounds.js';

/**
 * The content kept of one command's results in all: it is shown, but not taken back, so it must not crowd out older
 * images.
 */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;
/** So much is read after a command, so that its caller is not kept waiting. */
const MAX_READ_BYTES = 128 * 1024 * 1024;
const AT_ONCE = 1024 * 1024;

/** Reads what a command left, as it was listed after it. */
export class AfterReader {
  readonly #root: string;
  readonly #isSecret: (path: string) => boolean;
  /** Whether nobody was asked about the command: then all its results are read, however long that takes. */
  readonly #mustKeep: boolean;
  #left = MAX_READ_BYTES;
  #mayKeep = MAX_KEPT_BYTES;

  constructor(root: string, isSecret: (path: string) => boolean, mustKeep = false) {
    this.#root = root;
    this.#isSecret = isSecret;
    this.#mustKeep = mustKeep;
  }

  /** 'changed' where something else is there by now, 'too-large' where it is too much to be read. */
  async read(path: string, status: FileStatus): Promise<FileState | LinkState | 'changed' | 'too-large'> {
    const most = this.#mustKeep ? Number.POSITIVE_INFINITY : Math.min(LARGEST_FILE, this.#left);
    if (status.kind === 'file' && status.size > most) return 'too-large';
    const place = splitLast(path);
    if (place === null) return 'changed';
    // Of larger contents only the hash: that is enough to take back a file that the command created.
    const keeps = status.size <= Math.min(KEPT_OF_A_FILE, this.#mayKeep) && !this.#isSecret(path);
    if (keeps) this.#mayKeep -= status.size;
    this.#left -= status.size;
    try {
      await using root = await DirectoryHandle.openRoot(this.#root);
      return await walk(root, place.folder, (folder) => readListed(folder, place.name, status, keeps));
    } catch (error) {
      if (isRefusal(error)) return 'changed';
      throw error;
    }
  }
}

async function readListed(
  folder: DirectoryHandle,
  name: string,
  status: FileStatus,
  keeps: boolean,
): Promise<FileState | LinkState | 'changed'> {
  if (status.kind === 'symlink') {
    const target = await readLinkTarget(folder, name, status);
    return target === null ? 'changed' : { kind: 'link', target };
  }
  const { size, mode, uid, gid } = status;
  if (keeps) {
    const content = await readUnchanged(folder, name, status);
    return content === null ? 'changed' : { kind: 'file', sha256: sha256(content), size, mode, uid, gid, content };
  }
  const unchanged = await hashUnchanged(folder, name, status);
  return unchanged === null ? 'changed' : { kind: 'file', sha256: unchanged, size, mode, uid, gid, content: null };
}

async function hashUnchanged(folder: DirectoryHandle, name: string, status: FileStatus): Promise<string | null> {
  await using file = await folder.openKnownFile(name);
  if (!isSameState(file.facts, status)) return null;
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(AT_ONCE);
  for (let position = 0; position < status.size;) {
    const bytes = await file.read(buffer, position);
    if (bytes === 0) return null;
    hash.update(buffer.subarray(0, bytes));
    position += bytes;
  }
  return isSameState(await file.status(), status) ? hash.digest('hex') : null;
}
