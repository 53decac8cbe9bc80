import { unpatchedFs } from './unpatched-fs.js';

const { closeSync, constants, fstatSync, openSync, readSync } = unpatchedFs;

/** A regular file, not through a link at its end, and never waited for. */
export function readRegular(path: string, most: number): Buffer | 'absent' | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'absent' : null;
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile() || facts.size > most) return null;
    const bytes = Buffer.alloc(facts.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      if (read === 0) return null;
      length += read;
    }
    return bytes;
  } finally {
    closeSync(fd);
  }
}
