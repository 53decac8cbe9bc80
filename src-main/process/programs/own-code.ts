import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { JsonObject } from '#contract/vocabulary/json.js';

const CODE = /\.(?:[cm]?[jt]s|py|pyz|rb|sh|jar|php|pl|lua|exe)$/iu;

/**
 * What of a server's words runs and lies in an open folder, by its digest: whoever may write there could put other code in its
 * place. What it loads beside that is not looked at.
 */
export class OwnCode {
  readonly #folders: () => readonly string[];
  readonly #seen = new Map<string, { readonly stood: string; readonly digest: string }>();

  constructor(folders: () => readonly string[]) {
    this.#folders = folders;
  }

  /** By its real path; empty where nothing of it lies there. */
  digests(command: string, args: readonly string[], cwd: string | null): JsonObject {
    const folders = this.#folders();
    if (folders.length === 0) return {};
    const words = [command, ...args].flatMap((word, at) => {
      const path = isAbsolute(word) ? word : cwd === null ? null : resolve(cwd, word);
      return path !== null && (at === 0 ? word.includes('/') : CODE.test(word)) ? [path] : [];
    });
    return Object.fromEntries(words.flatMap((path) => this.#digestIn(folders, path)));
  }

  #digestIn(folders: readonly string[], path: string): readonly (readonly [string, string])[] {
    try {
      const real = realpathSync(path);
      const isInside = [path, real].some((each) => folders.some((folder) => each.startsWith(`${folder}/`)));
      return isInside ? [[real, this.#digestOf(real)]] : [];
    } catch {
      // One that can't be read is not started either, or is another than was accepted.
      return folders.some((folder) => path.startsWith(`${folder}/`)) ? [[path, 'unreadable']] : [];
    }
  }

  /** Read again only where it may have changed: the time of the last change of a file can't be set. */
  #digestOf(real: string): string {
    const { dev, ino, size, ctimeNs } = statSync(real, { bigint: true });
    const stood = [dev, ino, size, ctimeNs].join(' ');
    const known = this.#seen.get(real);
    if (known?.stood === stood) return known.digest;
    const digest = createHash('sha256').update(readFileSync(real)).digest('hex');
    this.#seen.set(real, { stood, digest });
    return digest;
  }
}
