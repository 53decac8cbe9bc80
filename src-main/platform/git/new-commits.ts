import { type GitCommit, type GitObjects, isFolder, type GitTreeEntry } from './git-objects.js';

const MAX_COMMITS = 5000;
const MAX_TREES = 20_000;

export interface NewCommits {
  readonly commits: ReadonlyMap<string, GitCommit>;
  /** False where there were too many, or one couldn't be read. */
  readonly complete: boolean;
}

/** Commits that lead to `now` and not to `before`: the latest first, as Git looks for them. */
export function findNewCommits(objects: GitObjects, before: ReadonlySet<string>, now: ReadonlySet<string>): NewCommits {
  const commits = new Map<string, GitCommit>();
  const waiting = new Map<string, { readonly commit: GitCommit; isOld: boolean }>();
  const olds = new Set<string>();
  let complete = true;
  const add = (id: string, isOld: boolean): void => {
    const known = waiting.get(id);
    if (isOld) {
      olds.add(id);
      commits.delete(id);
    }
    if (known !== undefined) known.isOld ||= isOld;
    else {
      const commit = objects.commit(id);
      // What isn't here, as in a shallow clone, leads no further.
      if (commit !== null) waiting.set(id, { commit, isOld: isOld || olds.has(id) });
      else if (!isOld) complete = false;
    }
  };
  for (const id of before) add(id, true);
  for (const id of now) if (!olds.has(id)) add(id, false);
  for (let steps = 0; [...waiting.values()].some(({ isOld }) => !isOld); steps += 1) {
    if (steps > MAX_COMMITS) return { commits, complete: false };
    const [id, { commit, isOld }] = findLatest(waiting);
    waiting.delete(id);
    if (!isOld) commits.set(id, commit);
    for (const parent of commit.parents) if (!commits.has(parent) || isOld) add(parent, isOld || olds.has(parent));
  }
  return { commits, complete };
}

function findLatest<T extends { readonly commit: GitCommit }>(waiting: ReadonlyMap<string, T>): readonly [string, T] {
  let found: readonly [string, T] | null = null;
  for (const each of waiting) if (found === null || each[1].commit.at > found[1].commit.at) found = each;
  if (found === null) throw new TypeError('nothing waits');
  return found;
}

/** Files of a tree that another has not, or otherwise. Null where it is too much, or can't be read. */
export class TreeReader {
  readonly #objects: GitObjects;
  #left = MAX_TREES;

  constructor(objects: GitObjects) {
    this.#objects = objects;
  }

  findDiffering(tree: string, other: string | null): readonly (GitTreeEntry & { readonly path: string })[] | null {
    const found: (GitTreeEntry & { readonly path: string })[] = [];
    const waiting = [{ path: '', tree, other }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next.tree === next.other) continue;
      this.#left -= 1;
      const entries = this.#left < 0 ? null : this.#objects.tree(next.tree);
      if (entries === null) return null;
      const others = new Map(
        (next.other === null ? [] : (this.#objects.tree(next.other) ?? [])).map((each) => [each.name, each]),
      );
      for (const entry of entries) {
        const was = others.get(entry.name);
        if (was?.id === entry.id && was.mode === entry.mode) continue;
        const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
        if (!isFolder(entry)) found.push({ ...entry, path });
        else waiting.push({ path, tree: entry.id, other: was !== undefined && isFolder(was) ? was.id : null });
      }
    }
    return found;
  }

  /** The entry at a path; null where there is none. */
  findEntry(tree: string, path: string): GitTreeEntry | null {
    let current: GitTreeEntry | null = null;
    let id = tree;
    for (const name of path.split('/')) {
      if (current !== null && !isFolder(current)) return null;
      current = this.#objects.tree(id)?.find((each) => each.name === name) ?? null;
      if (current === null) return null;
      ({ id } = current);
    }
    return current;
  }
}
