import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const PIECE = 2 ** 20;
const MAX_FILE_BYTES = 512 * 2 ** 20;

interface KnownDigest {
  readonly stamp: string;
  readonly digest: string;
}
/** Digests of files: a file is not read again while nothing of it changed. */
const known = new Map<string, KnownDigest>();
const MAX_KNOWN_DIGESTS = 1000;

/** Digests a file's content (SHA-256), links resolved; null where there is no regular file that can be read. */
export function digestFile(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const facts = fstatSync(fd, { bigint: true });
    if (!facts.isFile() || facts.size > MAX_FILE_BYTES) return null;
    const stamp = [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(' ');
    const before = known.get(path);
    if (before?.stamp === stamp) return before.digest;
    const hash = createHash('sha256');
    const piece = Buffer.alloc(PIECE);
    for (let read = readSync(fd, piece); read > 0; read = readSync(fd, piece)) hash.update(piece.subarray(0, read));
    const digest = hash.digest('hex');
    if (known.size >= MAX_KNOWN_DIGESTS) known.clear();
    known.set(path, { stamp, digest });
    return digest;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
