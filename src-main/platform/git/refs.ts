import { join } from 'node:path';
import { readRegular } from '../files/regular-file.js';
import { readGitText } from './git-file.js';
import { unpatchedFs } from '../files/unpatched-fs.js';

const { lstatSync, readdirSync } = unpatchedFs;

const MAX_PACKED_REFS_BYTES = 64 * 1024 * 1024;
/** The limit of refs that are in a file each. */
const MAX_LOOSE_REFS = 5000;

export interface Refs {
  /** Object ids by full ref name, and `HEAD`. */
  readonly ids: ReadonlyMap<string, string>;
  /** The branch that is checked out: `refs/heads/main`; null where none is. */
  readonly branch: string | null;
  /**
   * A stamp of refs that aren't read here: it is the same as long as none of them changed, '' where nothing tells that.
   * Null where all were read.
   */
  readonly unread: string | null;
}

/** The refs that all working trees of a repository share. */
export type SharedRefs = Pick<Refs, 'ids' | 'unread'>;

const ID = /^([0-9a-f]{40}|[0-9a-f]{64})\s*$/u;

/** Reads the refs of one working tree: what is checked out there. Null where there is no repository. */
export function readRefs(own: string, shared: SharedRefs): Refs | null {
  const head = readGitText(join(own, 'HEAD'));
  if (head === null) return null;
  const branch = /^ref: (refs\/\S+)\s*$/u.exec(head)?.[1] ?? null;
  // Where refs are kept in tables, HEAD leads nowhere, and stands in a table, too.
  if (branch === 'refs/heads/.invalid') {
    const tables = [shared.unread, stampTables(own)].filter((each) => each !== null);
    return { ids: shared.ids, branch: null, unread: tables.includes('') ? '' : tables.join(' ') };
  }
  const at = branch === null ? ID.exec(head)?.[1] : shared.ids.get(branch);
  const ids = at === undefined ? shared.ids : new Map([...shared.ids, ['HEAD', at]]);
  return { ids, branch, unread: shared.unread };
}

/** Reads all else that names a commit, as it is on the disk. */
export function readSharedRefs(common: string): SharedRefs {
  const ids = new Map<string, string>();
  let isWhole = true;
  const packed = readRegular(join(common, 'packed-refs'), MAX_PACKED_REFS_BYTES);
  if (packed === null) isWhole = false;
  else if (packed !== 'absent')
    for (const [, id = '', name = ''] of packed.toString('utf8').matchAll(/^([0-9a-f]{40,64}) (\S.*)$/gmu))
      ids.set(name, id);
  const waiting = ['refs'];
  let loose = 0;
  for (let folder = waiting.pop(); folder !== undefined && loose <= MAX_LOOSE_REFS; folder = waiting.pop()) {
    for (const entry of entriesOf(join(common, folder))) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(name);
      else if ((loose += 1) > MAX_LOOSE_REFS) break;
      else {
        const id = ID.exec(readGitText(join(common, name)) ?? '')?.[1];
        if (id !== undefined) ids.set(name, id);
      }
    }
  }
  if (loose > MAX_LOOSE_REFS) isWhole = false;
  // All but the last of what was stashed stands there alone.
  const stashed = readRegular(join(common, 'logs/refs/stash'), MAX_PACKED_REFS_BYTES);
  if (stashed === null) isWhole = false;
  else if (stashed !== 'absent')
    for (const [at, [, id = '']] of [
      ...stashed.toString('latin1').matchAll(/^[0-9a-f]{40,64} ([0-9a-f]{40,64}) /gmu),
    ].entries())
      ids.set(`refs/stash@{${at}}`, id);
  const tables = stampTables(common);
  return { ids, unread: isWhole ? tables : '' };
}

/** The list of tables is another file after each change. Null where refs are kept in files. */
function stampTables(folder: string): string | null {
  const stats = lstatSync(join(folder, 'reftable/tables.list'), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
