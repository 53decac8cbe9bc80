import { UnsafePathError } from './unsafe-path-error.js';

/**
 * Names of the system are bytes, and need not be text. Each byte that is none is written as half of a surrogate pair,
 * which no text has by itself, so that a name can go wherever a string goes and still leads back to the very same
 * bytes.
 */
const FIRST = 0xdc00;

export function textOfBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (Buffer.from(text).equals(bytes)) return text;
  let found = '';
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((each) => isText(bytes.subarray(at, at + each)));
    found +=
      length === undefined ? String.fromCharCode(FIRST + (bytes[at] ?? 0)) : bytes.toString('utf8', at, at + length);
    at += length ?? 1;
  }
  return found;
}

const isText = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8')).equals(bytes);

/** The string itself where it is text. Throws for what `textOfBytes` would not have given: it leads to no certain name. */
export function bytesOfText(text: string): string | Buffer {
  if (text.isWellFormed()) return text;
  const parts = Array.from(text, (each) => {
    const code = each.charCodeAt(0) - FIRST;
    return each.length === 1 && code >= 0x80 && code <= 0xff ? Buffer.from([code]) : Buffer.from(each);
  });
  const bytes = Buffer.concat(parts);
  if (textOfBytes(bytes) === text) return bytes;
  throw new UnsafePathError('bad-name', text.toWellFormed(), 'It is not the name of a file or folder.');
}
