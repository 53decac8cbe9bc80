import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { MAX_CONFIG_BYTES } from './parse.js';

export type ConfigFileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads a settings file safely: a file that comes with a folder may be a link to elsewhere, a pipe that never ends, or
 * a device. `own` is the person's, who may link to it as they like.
 */
export function readConfigFile(path: string, own: boolean): ConfigFileText {
  const unreadable = (reason: string): ConfigFileText => ({ kind: 'unreadable', reason });
  let handle: number | undefined;
  try {
    if (!own && lstatSync(dirname(path)).isSymbolicLink())
      return unreadable('Its folder is a link, which is not followed.');
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | (own ? 0 : constants.O_NOFOLLOW);
    handle = openSync(path, flags);
    const facts = fstatSync(handle);
    if (!facts.isFile()) return unreadable('It is not a file.');
    if (facts.size > MAX_CONFIG_BYTES) {
      return unreadable(`It is larger than ${MAX_CONFIG_BYTES / 1024} KiB, which no settings are.`);
    }
    // The size may be a lie by now: never more than the limit is read.
    const buffer = Buffer.alloc(MAX_CONFIG_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(handle, buffer, length, buffer.length - length, null);
    }
    const bytes = buffer.subarray(0, length);
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    if (code === 'ELOOP') return unreadable('It is a link, which is not followed.');
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return unreadable('It is not UTF-8 text.');
    return unreadable(error instanceof Error ? error.message : String(error));
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
