import { UnsafePathError } from './unsafe-path-error.js';

/** The name of one entry of a folder. Bytes, since on Linux a name need not be UTF-8. */
export type EntryName = string | Uint8Array;

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const onWindows = process.platform === 'win32';

export function entryNameText(name: EntryName): string {
  return typeof name === 'string' ? name : Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString('utf8');
}

/** A name that could lead anywhere but to one child never reaches the system. */
export function checkEntryName(name: EntryName): void {
  const text = entryNameText(name);
  const separated =
    typeof name === 'string'
      ? name.includes('/') || name.includes('\0') || (onWindows && name.includes('\\'))
      : name.includes(SLASH) || name.includes(0) || (onWindows && name.includes(BACKSLASH));
  if (text === '' || text === '.' || text === '..' || separated) {
    throw new UnsafePathError('bad-name', text, `${JSON.stringify(text)} is not the name of a file or folder.`);
  }
}
