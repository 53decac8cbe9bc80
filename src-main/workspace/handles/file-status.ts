import type { BigIntStats } from 'node:fs';
import type { FileFacts } from '../../domain/ports/workspace/sandbox.js';

/** Facts, and what is needed to put a file back as it was. */
export interface FileStatus extends FileFacts {
  readonly uid: number;
  readonly gid: number;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
  /** 0 where the file system keeps none. */
  readonly bornNs: bigint;
  /** Bytes allocated on the disk; far less than the size when the file is sparse. */
  readonly allocatedBytes: number;
}

function kindOf(stats: BigIntStats): FileFacts['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'dir';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

export function statusOf(stats: BigIntStats): FileStatus {
  return {
    kind: kindOf(stats),
    size: Number(stats.size),
    mode: Number(stats.mode & 0o7777n),
    modifiedMs: Number(stats.mtimeMs),
    links: Number(stats.nlink),
    device: stats.dev,
    inode: stats.ino,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    modifiedNs: stats.mtimeNs,
    changedNs: stats.ctimeNs,
    bornNs: stats.birthtimeNs,
    allocatedBytes: Number(stats.blocks) * 512,
  };
}

export const isSameFile = (a: FileFacts, b: FileFacts): boolean => a.device === b.device && a.inode === b.inode;

/**
 * Whether a name holds what it held, as far as can be told without reading it. The time of change can't be set by who
 * changes; the rest tells apart what happens within one tick of it.
 */
export const isSameState = (a: FileStatus, b: FileStatus): boolean =>
  isSameFile(a, b) &&
  a.kind === b.kind &&
  a.size === b.size &&
  a.mode === b.mode &&
  a.modifiedNs === b.modifiedNs &&
  a.changedNs === b.changedNs;

/**
 * The identity of a file or folder, whatever it is called: as text, to be kept and compared. Inode numbers are reused
 * once their file is gone, often by the next one that is made; the time of birth tells the two apart.
 */
export const identityOf = ({ device, inode, bornNs }: Pick<FileStatus, 'device' | 'inode' | 'bornNs'>): string =>
  `${device}:${inode}:${bornNs}`;

/**
 * The identity and the state of a file, as text. The time of change can't be set by whoever changes the file. A folder
 * is the same whatever is in it.
 */
export const stateKey = (status: FileStatus): string =>
  status.kind === 'dir'
    ? identityOf(status)
    : `${identityOf(status)} ${status.kind} ${status.size} ${status.changedNs}`;
