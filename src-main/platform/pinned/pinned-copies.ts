import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { unpatchedFs, unpatchedFsPromises } from '../files/unpatched-fs.js';
import { type KnownFiles, readTree, type PinnedTree } from './tree.js';

const { existsSync, readdirSync, rmSync } = unpatchedFs;
const { copyFile, chmod, mkdir, rename, rm, symlink } = unpatchedFsPromises;

/**
 * Copies of programs, by the digest of all that is in them: what was accepted is what runs, whatever is at its path by
 * now.
 */
export class PinnedCopies {
  readonly #folder: string;
  readonly #known: KnownFiles = new Map();
  readonly #making = new Map<string, Promise<string>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where the copy of it is. Throws where it is another by now. */
  async of(place: string, tree: PinnedTree): Promise<string> {
    const copy = this.placeOf(place, tree.digest);
    if (this.has(place, tree.digest)) return copy;
    const making = this.#making.get(copy) ?? this.#make(place, tree, copy);
    this.#making.set(copy, making);
    try {
      return await making;
    } finally {
      this.#making.delete(copy);
    }
  }

  /** Whether it is there, whole. */
  has(place: string, digest: string): boolean {
    const copy = this.placeOf(place, digest);
    if (!existsSync(copy)) return false;
    const read = readTree(copy, this.#known);
    return read.ok && read.tree.digest === digest;
  }

  placeOf(place: string, digest: string): string {
    return join(this.#folder, digest, basename(place) === '' ? 'root' : basename(place));
  }

  /** Deletes at a start, before anything runs, copies that nobody accepts any more. */
  forgetAllBut(digests: ReadonlySet<string>): void {
    if (!existsSync(this.#folder)) return;
    for (const name of readdirSync(this.#folder))
      if (!digests.has(name)) rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  async #make(place: string, tree: PinnedTree, copy: string): Promise<string> {
    const fresh = join(this.#folder, `.${randomBytes(8).toString('hex')}`);
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    const made = join(fresh, basename(copy));
    try {
      for (const { path, kind, executable, content } of tree.entries) {
        const [from, to] = path === '' ? [place, made] : [join(place, path), join(made, path)];
        if (kind === 'folder') await mkdir(to, { mode: 0o700 });
        else if (kind === 'link') await symlink(content, to);
        else {
          await copyFile(from, to, unpatchedFs.constants.COPYFILE_FICLONE | unpatchedFs.constants.COPYFILE_EXCL);
          await chmod(to, executable ? 0o700 : 0o600);
        }
      }
      // The copy is what counts, whatever was there a moment before.
      const read = readTree(made, new Map());
      if (!read.ok || read.tree.digest !== tree.digest) throw new Error(`${place} changed while it was copied.`);
      await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
      await rm(copy, { recursive: true, force: true });
      await rename(made, copy);
      return copy;
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }
}
