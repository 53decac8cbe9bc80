import { normalize } from 'node:path/posix';
import type { Reading } from '../../../domain/commands/reading/reading.js';

/**
 * The same, where what it names outside is what the person lets commands read: then that is nothing to ask about. By its words alone:
 * where they lead elsewhere, nothing is there when it runs.
 */
export function allowReadableFolders(reading: Reading, readable: readonly string[]): Reading {
  const isReadable = (path: string): boolean => readable.some((folder) => isIn(plain(folder), plain(path)));
  const shown = reading.outside.filter(isReadable);
  if (shown.length === 0) return reading;
  const words = new Set(shown.map((path) => `${path} is outside this folder`));
  const outside = reading.outside.filter((path) => !shown.includes(path));
  return {
    ...reading,
    outside,
    found: reading.found.filter((each) => each.kind !== 'outside' || !words.has(each.words)),
    neverRemembered: reading.neverRemembered.filter((kind) => kind !== 'outside' || outside.length > 0),
  };
}

const plain = (path: string): string => normalize(path.replace(/^\$\{?HOME\}?(?=\/|$)/u, '~')).replace(/\/+$/u, '');

const isIn = (folder: string, path: string): boolean =>
  folder !== '' && /^[/~]/u.test(folder) && (path === folder || path.startsWith(`${folder}/`));
