import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular } from '../files/regular-file.js';

export type TextFileReading =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** A file of the person's that defines something: regular, not through a link at its end, UTF-8, and no longer than `most` bytes. */
export function readTextFile(path: string, most: number): TextFileReading {
  const bytes = readRegular(path, most);
  if (bytes === 'absent') return { ok: false, problem: 'There is no such file.' };
  if (bytes === null)
    return {
      ok: false,
      problem: `It is no regular file (links are not followed), can’t be read, or is over ${formatMegabytes(most)} MB.`,
    };
  try {
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, problem: 'It is not text in UTF-8.' };
  }
}

const formatMegabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Lists the regular files in a folder, sorted; links are left out and named. A path of a file is a list of one. */
export function listRegularFiles(
  path: string,
  most: number,
): { readonly files: readonly string[]; readonly links: readonly string[] } | null {
  try {
    if (lstatSync(path).isFile()) return { files: [path], links: [] };
    const entries = readdirSync(path, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'));
    if (entries.length > most) return null;
    const named = (those: typeof entries): readonly string[] => those.map(({ name }) => join(path, name)).toSorted();
    return {
      files: named(entries.filter((entry) => entry.isFile())),
      links: named(entries.filter((entry) => entry.isSymbolicLink())),
    };
  } catch {
    return null;
  }
}
