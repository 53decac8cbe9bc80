import { inflateSync } from 'node:zlib';
import { join } from 'node:path';
import { readRegular } from '../files/regular-file.js';
import { unpatchedFs } from '../files/unpatched-fs.js';
import { type GitObject, MAX_OBJECT_BYTES, GitPack } from './git-pack.js';

const { readdirSync } = unpatchedFs;

export interface GitTreeEntry {
  readonly name: string;
  readonly mode: number;
  readonly id: string;
}

const FOLDER = 0o040000;
export const isFolder = ({ mode }: GitTreeEntry): boolean => mode === FOLDER;

export interface GitCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  /** The committer's time, in seconds. */
  readonly at: number;
}

/**
 * The objects of a repository, as they are on the disk: Git itself is not run, since it would run what the repository's
 * settings say. Null for what can't be read, is too large, or lies in another repository.
 */
export class GitObjects {
  readonly #folder: string;
  readonly #idBytes: number;
  #packs: readonly GitPack[] | null = null;

  /** `common`: the repository's own folder, absolute. */
  constructor(common: string, idBytes: 20 | 32) {
    this.#folder = join(common, 'objects');
    this.#idBytes = idBytes;
  }

  commit(id: string): GitCommit | null {
    const object = this.read(id);
    if (object?.type === 'tag') {
      const named = /^object ([0-9a-f]+)\ntype commit\n/u.exec(object.content.toString('latin1', 0, 200))?.[1];
      return named === undefined ? null : this.commit(named);
    }
    if (object?.type !== 'commit') return null;
    const [head = ''] = object.content.toString('latin1').split('\n\n', 1);
    const tree = /^tree ([0-9a-f]+)$/mu.exec(head)?.[1];
    const at = Number(/^committer .* (\d+) [+-]\d{4}$/mu.exec(head)?.[1] ?? 0);
    const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gmu)].map(([, parent = '']) => parent);
    return tree === undefined ? null : { tree, parents, at };
  }

  tree(id: string): readonly GitTreeEntry[] | null {
    const object = this.read(id);
    if (object?.type !== 'tree') return null;
    const { content } = object;
    const entries: GitTreeEntry[] = [];
    for (let at = 0; at < content.length;) {
      const blank = content.indexOf(0x20, at);
      const end = content.indexOf(0, blank);
      if (blank === -1 || end === -1) return null;
      const next = end + 1 + this.#idBytes;
      entries.push({
        mode: Number.parseInt(content.toString('latin1', at, blank), 8),
        name: content.toString('utf8', blank + 1, end),
        id: content.toString('hex', end + 1, next),
      });
      at = next;
    }
    return entries;
  }

  read(id: string): GitObject | null {
    try {
      return this.#loose(id) ?? this.#packed(id);
    } catch {
      return null;
    }
  }

  #loose(id: string): GitObject | null {
    const bytes = readRegular(join(this.#folder, id.slice(0, 2), id.slice(2)), MAX_OBJECT_BYTES);
    if (bytes === null || bytes === 'absent') return null;
    const whole = inflateSync(bytes, { maxOutputLength: MAX_OBJECT_BYTES });
    const end = whole.indexOf(0);
    const type = whole.toString('latin1', 0, end).split(' ', 1)[0];
    return isType(type) ? { type, content: whole.subarray(end + 1) } : null;
  }

  #packed(id: string): GitObject | null {
    const known = this.#inPacks(id, this.#packs ?? this.#list());
    // A command may have packed anew since they were listed.
    return known ?? this.#inPacks(id, this.#list());
  }

  #inPacks(id: string, packs: readonly GitPack[]): GitObject | null {
    for (const pack of packs) {
      const object = pack.read(id, (base) => this.read(base));
      if (object !== null) return object;
    }
    return null;
  }

  #list(): readonly GitPack[] {
    const folder = join(this.#folder, 'pack');
    let names: readonly string[] = [];
    try {
      names = readdirSync(folder).filter((name) => /^pack-[0-9a-f]+\.idx$/u.test(name));
    } catch {
      // There are no packs.
    }
    const known = new Map(this.#packs?.map((pack) => [pack.path, pack]));
    this.#packs = names.map((name) => {
      const path = join(folder, name.replace(/\.idx$/u, ''));
      return known.get(path) ?? new GitPack(path, this.#idBytes);
    });
    return this.#packs;
  }
}

const isType = (type: string | undefined): type is GitObject['type'] =>
  type === 'commit' || type === 'tree' || type === 'blob' || type === 'tag';
