import { join } from 'node:path';
import { readRegular } from '../../platform/files/regular-file.js';
import { unpatchedFs } from '../../platform/files/unpatched-fs.js';

const { readdirSync } = unpatchedFs;

const LARGEST_REF = 4096;
const LARGEST_PACKED = 64 * 1024 * 1024;
const MOST_REFS = 20_000;

export interface Refs {
  /** By full name, and `HEAD`. */
  readonly ids: ReadonlyMap<string, string>;
  /** Of the branch that is checked out: `refs/heads/main`; null where none is. */
  readonly branch: string | null;
}

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/u;

/** All that names a commit, as it stands on the disk; null where it is kept in a way that isn't read here. */
export function refsOf(own: string, common: string): Refs | null {
  const ids = new Map<string, string>();
  const packed = readRegular(join(common, 'packed-refs'), LARGEST_PACKED);
  if (packed === null) return null;
  for (const [, id = '', name = ''] of packed === 'absent'
    ? []
    : packed.toString('utf8').matchAll(/^([0-9a-f]{40,64}) (\S.*)$/gmu))
    ids.set(name, id);
  const waiting = ['refs'];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of entriesOf(join(common, folder))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(name);
      else if (ids.size > MOST_REFS) return null;
      else {
        const id = ID.exec(textOf(join(common, name)) ?? '')?.[1];
        if (id !== undefined) ids.set(name, id);
      }
    }
  }
  // All but the last of what was stashed stands there alone.
  const stashed = readRegular(join(common, 'logs/refs/stash'), LARGEST_PACKED);
  if (stashed === null) return null;
  for (const [at, [, id = '']] of stashed === 'absent'
    ? []
    : [...stashed.toString('latin1').matchAll(/^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /gmu)].entries())
    ids.set(`refs/stash@{${at}}`, id);
  const head = textOf(join(own, 'HEAD'));
  if (head === null) return null;
  const branch = /^ref: (refs\/\S+)\s*$/u.exec(head)?.[1] ?? null;
  // Where refs are kept in tables, HEAD leads nowhere.
  if (branch === 'refs/heads/.invalid') return null;
  const at = branch === null ? ID.exec(head)?.[1] : ids.get(branch);
  if (at !== undefined) ids.set('HEAD', at);
  return { ids, branch };
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  const bytes = readRegular(path, LARGEST_REF);
  return bytes === null || bytes === 'absent' ? null : bytes.toString('utf8');
}
