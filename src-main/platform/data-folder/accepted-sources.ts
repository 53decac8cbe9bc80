import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

/** Definitions of hundreds of tools, with their schemas. */
const MAX_BYTES = 128 * 1024 * 1024;

/** Stores the accepted definition of each source, a file each; their names are letters, digits and “-”. */
export function openAcceptedSources(folder: string): {
  readonly find: (name: string) => string | null;
  readonly keep: (name: string, text: string) => void;
  /** Lists the digests in them: of copies that have to stay. */
  readonly digests: () => ReadonlySet<string>;
} {
  const fileOf = (name: string): string => join(folder, `${name}.json`);
  return {
    find: (name) => readSmallFile(fileOf(name), MAX_BYTES),
    keep: (name, text) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceSmallFile(fileOf(name), text);
    },
    digests: () => {
      const names = existsSync(folder) ? readdirSync(folder) : [];
      const texts = names.map((name) => readSmallFile(join(folder, name), MAX_BYTES) ?? '');
      return new Set(
        texts.flatMap((text) => [...text.matchAll(/"([0-9a-f]{64})"/gu)].map(([, digest = '']) => digest)),
      );
    },
  };
}
