import { copyFileSync, mkdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';
import { digestOfFile } from '../reading/file-digest.js';

/** By hook and path; null for one that was not there when it was first looked for. */
type Accepted = Readonly<Record<string, string | null>>;

/** Of files that hooks are made of and tools may change: what the person accepted, and a copy of each as it was then. */
export class HookFiles {
  readonly #folder: string;
  #accepted: Accepted | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where it was never looked for. */
  accepted(hook: string, path: string): string | null | undefined {
    return this.#all()[keyOf(hook, path)];
  }

  /** From now on it is this. False where it is another by now, or gone. */
  accept(hook: string, path: string, digest: string | null): boolean {
    if (digest !== null && !this.#copy(path, digest)) return false;
    const all = { ...this.#all(), [keyOf(hook, path)]: digest };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    replaceSmallFile(this.#list, JSON.stringify(all));
    this.#accepted = all;
    return true;
  }

  /** What runs in its place, where nobody can change it; null where that copy is gone. */
  copyOf(path: string, digest: string): string | null {
    const copy = this.#placeOf(path, digest);
    return digestOfFile(copy) === digest ? copy : null;
  }

  #copy(path: string, digest: string): boolean {
    const place = this.#placeOf(path, digest);
    if (digestOfFile(place) === digest) return true;
    const folder = join(this.#folder, digest);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const fresh = `${place}.new`;
    try {
      copyFileSync(path, fresh);
      // What was copied is what counts, whatever stood there a moment before.
      if (digestOfFile(fresh) !== digest) return false;
      renameSync(fresh, place);
      return true;
    } catch {
      return false;
    } finally {
      rmSync(fresh, { force: true });
    }
  }

  #placeOf = (path: string, digest: string): string => join(this.#folder, digest, basename(path));

  get #list(): string {
    return join(this.#folder, 'accepted.json');
  }

  #all(): Accepted {
    return (this.#accepted ??= read(readSmallFile(this.#list)));
  }
}

/** Where a path really is, and whether a file stands there; null for a folder, and where it leads nowhere. */
export function placeOfFile(path: string): { readonly path: string; readonly digest: string | null } | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? { path: real, digest: digestOfFile(real) } : null;
  } catch {
    try {
      return { path: join(realpathSync(dirname(path)), basename(path)), digest: null };
    } catch {
      return null;
    }
  }
}

/** The folder that a path leads to, by its real path; null where it leads to none. */
export function folderAt(path: string): string | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

const keyOf = (hook: string, path: string): string => `${hook}\n${path}`;

function read(text: string | null): Accepted {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Accepted) : {};
  } catch {
    return {};
  }
}
