import { isUtf8 } from 'node:buffer';
import { sha256 } from '../../../platform/digest.js';
import type { KnownState } from '../../../domain/ports/workspace/quarantine-store.js';
import type { FileStatus } from '../../handles/file-status.js';
import { unpatchedFs } from '../../../platform/files/unpatched-fs.js';
import { toRawPath, systemPath } from './raw-path.js';
import { KEPT_OF_A_FILE } from '../../../domain/size-bounds.js';

const { constants, closeSync, fstatSync, openSync, readlinkSync, readSync } = unpatchedFs;

/**
 * Reads the file or link at a path of the workspace whose status was read as `status`. What is something else by now is
 * not kept.
 */
export function readState(root: string, path: string, status: FileStatus): KnownState {
  if (status.kind === 'symlink') {
    const target = linkTarget(root, path);
    return target === null ? { kind: 'unkept' } : { kind: 'link', target };
  }
  const content = status.kind === 'file' ? readSmall(systemPath(toRawPath(`${root}/${path}`))) : null;
  if (content === null) return { kind: 'unkept' };
  return { kind: 'file', sha256: sha256(content), mode: status.mode };
}

export const readSmallText = (root: string, path: string): string | null =>
  readSmall(systemPath(toRawPath(`${root}/${path}`)))?.toString('utf8') ?? null;

function linkTarget(root: string, path: string): string | null {
  try {
    const target = readlinkSync(systemPath(toRawPath(`${root}/${path}`)), 'buffer');
    // A target that is no text is kept by nobody, and so is never the same.
    return isUtf8(target) ? target.toString('utf8') : null;
  } catch {
    return null;
  }
}

/** Null for what is no file, too large or gone. A pipe is not waited for, and no link is followed at its end. */
export function readSmall(path: string | Buffer, following = false): Buffer | null {
  let descriptor: number;
  try {
    const nofollow = following ? 0 : constants.O_NOFOLLOW;
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | nofollow);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > KEPT_OF_A_FILE) return null;
    const buffer = Buffer.alloc(stats.size);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, stats.size, 0));
  } catch {
    return null;
  } finally {
    closeSync(descriptor);
  }
}
