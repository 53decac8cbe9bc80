import type { BigIntStats } from 'node:fs';
import { sep } from 'node:path';
import { unpatchedFs } from '../../platform/files/unpatched-fs.js';
import { foldPath } from '../../domain/sensitive/name-folding.js';

/**
 * The app's own folder: its settings, tokens, keys and record. No tool touches it, whatever the roots are: by where it is,
 * and by which folder it is, should it be mounted somewhere else as well.
 */
export class OwnData {
  readonly #place: string;
  readonly #seen: BigIntStats | null;

  /** Canonical. */
  constructor(folder: string) {
    this.#place = folded(folder);
    this.#seen = at(folder);
  }

  /** `absolute` is canonical. */
  holds(absolute: string): boolean {
    const path = folded(absolute);
    return path === this.#place || path.startsWith(`${this.#place}/`) || this.#isWithin(absolute);
  }

  /** Whether `relative` below `root` lies in it, by name alone: asked for every entry of a listing. */
  isBelow(root: string): ((relative: string) => boolean) | null {
    const top = folded(root);
    if (!this.#place.startsWith(top === '' ? '/' : `${top}/`)) return null;
    const way = this.#place.slice(top === '' ? 1 : top.length + 1);
    return (relative) => {
      const path = foldPath(relative);
      return path === way || path.startsWith(`${way}/`);
    };
  }

  /** Mounted elsewhere, it is the same folder by another name: each folder above is looked at. */
  #isWithin(absolute: string): boolean {
    if (this.#seen === null) return false;
    for (let path = absolute; ;) {
      if (isSame(at(path), this.#seen)) return true;
      const above = path.slice(0, path.lastIndexOf(sep));
      if (above === '' || above === path) return false;
      path = above;
    }
  }
}

const folded = (path: string): string => foldPath(path.replaceAll('\\', '/')).replace(/\/$/, '');

/**
 * Whether both are the same folder, as `identityOf` tells folders apart, but without building its text: each folder of
 * each path that a tool names is compared.
 */
const isSame = (one: BigIntStats | null, other: BigIntStats): boolean =>
  one !== null && one.ino === other.ino && one.dev === other.dev && one.birthtimeNs === other.birthtimeNs;

function at(path: string): BigIntStats | null {
  try {
    return unpatchedFs.lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}
