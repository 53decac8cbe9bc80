import { createHash } from 'node:crypto';
import ignore from 'ignore';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { CarriedCommit, CarriedByGit } from '../../../../domain/ports/workspace/carried-by-git.js';
import { parseGitConfig } from '../../../../domain/sensitive/git-config.js';
import { beginsQuarantinedPlace, isControlFile } from '../../../../domain/sensitive/sensitive-places.js';
import { findUnknownDot } from '../../../../domain/sensitive/unknown-dot-files.js';
import { foldPath } from '../../../../domain/sensitive/name-folding.js';
import { findOutsideRepository } from '../../../../platform/git/outside-repository.js';
import { unpatchedFs } from '../../../../platform/files/unpatched-fs.js';
import { type IndexEntry, readIndex } from '../../../../platform/git/git-index.js';
import { writeIndex } from './write-index.js';
import { findNewCommits, type NewCommits, TreeReader } from '../../../../platform/git/new-commits.js';
import { type GitCommit, GitObjects, type GitTreeEntry } from '../../../../platform/git/git-objects.js';
import { type Refs, readRefs, type SharedRefs, readSharedRefs } from '../../../../platform/git/refs.js';
import { type Holding, type Holdings, stagedKey } from './git-holdings.js';
import type { CommandCommits } from './command-commits.js';
import { isWorktree } from './repository-kinds.js';
import { toRawPath, systemPath } from '../raw-path.js';
import { readSmall } from '../read-state.js';
import { listNames } from '../../../../platform/files/resolve-path.js';

const { lstatSync, readlinkSync } = unpatchedFs;

export const NOTHING_CARRIED: CarriedByGit = { index: [], commits: [], made: [], complete: true };

const LINK = 0o120000;
/** The number of refs of a new repository whose commits are inspected. */
const MAX_TIPS = 200;

/**
 * Git carries files past the working tree: by its index and by commits, from where the next checkout, clone or push takes
 * them. Of each repository of a workspace, by its folder from the root, and of the one outside that the workspace is a working
 * tree of, with all that share it, by their paths.
 */
export class GitCarriedCheck {
  readonly #root: string;
  readonly #made: CommandCommits;
  readonly #indexes = new Map<string, { readonly stamp: string; readonly entries: readonly IndexEntry[] | null }>();

  constructor(root: string, made: CommandCommits) {
    this.#root = root;
    this.#made = made;
  }

  readHoldings(repositories: Iterable<string>): Holdings {
    const found = new Map<string, Holding>();
    const shared = new Map<string, SharedRefs>();
    for (const own of new Set([...repositories, ...this.#outside()])) {
      const top = this.#topOf(own);
      if (top === null) continue;
      const common = this.#commonOf(own);
      const all = shared.get(common) ?? readSharedRefs(common);
      shared.set(common, all);
      const refs = readRefs(this.#at(own), all);
      if (refs === null) continue;
      const entries = this.#entriesOf(own);
      const steering = (entries ?? []).filter(maySteer);
      found.set(own, { refs, top, entries, steering: new Map(steering.map((each) => [stagedKey(each), each])) });
    }
    return found;
  }

  /** The repository outside, and those of its working trees: what Git runs in one of them may write to all. */
  #outside(): readonly string[] {
    const outside = findOutsideRepository(this.#root);
    if (outside === null) return [];
    const trees = join(outside.common, 'worktrees');
    return [outside.own, outside.common, ...listNames(trees).map((name) => join(trees, name))];
  }

  /**
   * Takes what commands added since out of the index, and reports their commits. Paths that were `named` and approved
   * stay. `repositories`: those that exist now.
   */
  async removeCarried(
    before: Holdings,
    named: readonly string[],
    repositories: ReadonlySet<string>,
  ): Promise<CarriedByGit> {
    const index: string[] = [];
    const commits = new Map<string, CarriedCommit>();
    const made: string[] = [];
    let complete = true;
    const now = this.readHoldings(new Set([...before.keys(), ...repositories]));
    for (const [own, is] of now) {
      const was = before.get(own) ?? this.#beforeWorktree(own, is, before);
      if (was !== null && isSameRefs(was.refs, is.refs) && was.entries === is.entries) continue;
      const looked = this.#look(own, was ?? emptyHolding(is), is, named, was === null);
      complete &&= looked.complete;
      for (const commit of looked.commits) if (!commits.has(commit.id)) commits.set(commit.id, commit);
      made.push(...looked.made);
      this.#made.add(looked.made);
      if (looked.index.length === 0) continue;
      const isOut = await this.#restore(own, was ?? emptyHolding(is), looked.index);
      if (isOut) index.push(...looked.index.map(({ path }) => this.#shown(is.top, path)));
      else complete = false;
    }
    return { index: [...new Set(index)].toSorted(), commits: [...commits.values()], made, complete };
  }

  /**
   * Whether the ignore lists of the last commit that no command is known to have made ignore the path; without such a
   * commit, nothing is ignored.
   */
  isIgnoredAtHead(before: Holdings, path: string): boolean {
    const [own = '.git', { refs } = { refs: undefined }] =
      [...before].find(([each]) => each === '.git' || isAbsolute(each)) ?? [];
    const head = refs?.ids.get('HEAD');
    if (refs === undefined || head === undefined) return false;
    const objects = this.#objectsOf(own, refs);
    let last: string | undefined = head;
    while (last !== undefined && this.#made.has(last)) last = objects.commit(last)?.parents[0];
    const tree = last === undefined ? undefined : objects.commit(last)?.tree;
    if (tree === undefined) return false;
    const trees = new TreeReader(objects);
    const names = path.split('/');
    let ignored = false;
    for (let depth = 0; depth < names.length && !ignored; depth += 1) {
      const isLast = depth === names.length - 1;
      for (let from = 0; from <= depth; from += 1) {
        const entry = trees.findEntry(tree, [...names.slice(0, from), '.gitignore'].join('/'));
        const text = entry === null ? null : objects.read(entry.id)?.content.toString('utf8');
        if (text === null || text === undefined) continue;
        const said = ignore()
          .add(text)
          .test(`${names.slice(from, depth + 1).join('/')}${isLast ? '' : '/'}`);
        if (said.ignored) ignored = true;
        else if (said.unignored) ignored = false;
      }
    }
    return ignored;
  }

  /** `isNew`: of a repository that was not there what its names lead to is looked at, and not all that led there. */
  #look(own: string, was: Holding, is: Holding, named: readonly string[], isNew: boolean) {
    const objects = this.#objectsOf(own, is.refs);
    const trees = new TreeReader(objects);
    const [before, now] = [new Set(was.refs.ids.values()), new Set(is.refs.ids.values())];
    const fresh = isNew ? readTips(objects, is.refs) : findNewCommits(objects, before, now);
    let { complete } = fresh;
    // What refs lead to that can't be read is not known; as long as they are the same nothing is new on them.
    if (was.refs.unread !== is.refs.unread || is.refs.unread === '') complete = false;
    const treeOf = (id: string | undefined): string | null =>
      id === undefined ? null : (objects.commit(id)?.tree ?? null);
    const headBefore = treeOf(was.refs.ids.get('HEAD'));
    const headNow = is.refs.ids.get('HEAD');
    // What was on a branch before is nobody's new work, whoever checks it out.
    const headOld = headNow !== undefined && !fresh.commits.has(headNow) ? treeOf(headNow) : null;
    const isRight = (path: string, entry: Pick<GitTreeEntry, 'id' | 'mode'>, stage = 0): boolean => {
      if (!maySteer({ path, mode: entry.mode }) || isNamed(this.#shown(is.top, path), named)) return true;
      const dot = isControlFile(path) ? null : findUnknownDot(path);
      // A dot name that no list knows counts only where it is new.
      if (dot !== null && [headBefore, headOld].some((tree) => tree !== null && trees.findEntry(tree, dot) !== null))
        return true;
      const known = was.steering.get(stagedKey({ path, stage })) ?? was.steering.get(stagedKey({ path, stage: 0 }));
      return (
        known?.id === entry.id ||
        [headBefore, headOld].some((tree) => tree !== null && trees.findEntry(tree, path)?.id === entry.id) ||
        matchesWorkingTree(`${is.top}/${path}`, entry)
      );
    };
    const index = [...is.steering.values()].filter((entry) => !isRight(entry.path, entry, entry.stage));
    if (is.entries === null && was.entries !== null) complete = false;
    const commits: CarriedCommit[] = [];
    for (const [id, { tree, parents }] of fresh.commits) {
      const parentTrees = parents.map(treeOf);
      const differing = trees.findDiffering(tree, parentTrees[0] ?? null);
      if (differing === null) complete = false;
      const others = parentTrees.slice(1).filter((each) => each !== null);
      const paths = (differing ?? [])
        .filter(({ path, ...entry }) => !isRight(path, entry))
        .filter(({ path, id: blob }) => !others.some((other) => trees.findEntry(other, path)?.id === blob))
        .map(({ path }) => this.#shown(is.top, path));
      if (paths.length > 0) commits.push({ id, parent: parents[0] ?? null, paths });
    }
    const tip = new Set(headNow === undefined ? [] : [headNow]);
    // No list of a repository inside another is ever asked.
    const asksItsLists = !isNew || own === '.git';
    const made = asksItsLists ? [...findNewCommits(objects, before, tip).commits.keys()] : [];
    return { index, commits, made, complete };
  }

  async #restore(own: string, was: Holding, out: readonly IndexEntry[]): Promise<boolean> {
    const entries = this.#entriesOf(own);
    if (entries === null || was.entries === null) return false;
    const paths = new Set(out.map(({ path }) => path));
    const before = [...was.steering.values()].filter(({ path }) => paths.has(path));
    const left = [...entries.filter(({ path }) => !paths.has(path)), ...before];
    return isAbsolute(own) ? writeIndex(own, '', left) : writeIndex(this.#root, own, left);
  }

  /**
   * The state before for a working tree that is new: what its repository held, and nothing of its own. Null for all
   * that is not one.
   */
  #beforeWorktree(own: string, { top }: Holding, before: Holdings): Holding | null {
    if (!isWorktree(own)) return null;
    const common = this.#commonOf(own);
    const [, known] = [...before].find(([each]) => this.#commonOf(each) === common) ?? [];
    return known === undefined ? null : { ...emptyHolding({ top }), refs: known.refs };
  }

  #entriesOf(own: string): readonly IndexEntry[] | null {
    const stats = lstatSync(join(this.#at(own), 'index'), { bigint: true, throwIfNoEntry: false });
    const stamp = stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    const known = this.#indexes.get(own);
    if (known?.stamp === stamp) return known.entries;
    const entries = readIndex(this.#at(own));
    this.#indexes.set(own, { stamp, entries });
    return entries;
  }

  #objectsOf(own: string, { ids }: Refs): GitObjects {
    const isLong = [...ids.values()].some((id) => id.length === 64);
    return new GitObjects(this.#commonOf(own), isLong ? 32 : 20);
  }

  #at(own: string): string {
    if (isAbsolute(own)) return own;
    return own === '' ? this.#root : join(this.#root, own);
  }

  /** Null for one without a working tree. */
  #topOf(own: string): string | null {
    const at = this.#at(own);
    if (own === findOutsideRepository(this.#root)?.own) return this.#root;
    if (basename(at) === '.git') return dirname(at);
    const said = isWorktree(at)
      ? textOf(join(at, 'gitdir'))
          .trim()
          .replace(/\/\.git$/u, '')
      : parseGitConfig(textOf(join(at, 'config')))?.find(
          ({ section, sub, name }) => section === 'core' && sub === null && name === 'worktree',
        )?.value;
    if (said === undefined || said === null || said === '') return null;
    const top = resolve(at, said);
    // What one inside says of itself leads nowhere else.
    return isAbsolute(own) || top === this.#root || top.startsWith(`${this.#root}/`) ? top : null;
  }

  /** The path from the root; an absolute one for what lies outside. */
  #shown(top: string, path: string): string {
    const place = `${top}/${path}`;
    return place.startsWith(`${this.#root}/`) ? place.slice(this.#root.length + 1) : place;
  }

  #commonOf(own: string): string {
    const text = textOf(join(this.#at(own), 'commondir')).trim();
    const common = text === '' ? this.#at(own) : join(this.#at(own), text);
    // A repository outside was found to be the worktree's own before.
    return isAbsolute(own) || common.startsWith(`${this.#root}/`) || common === this.#root ? common : this.#at(own);
  }
}

/** A repository that is new held nothing. */
const emptyHolding = ({ top }: Pick<Holding, 'top'>): Holding => ({
  refs: { ids: new Map(), branch: null, unread: null },
  top,
  entries: [],
  steering: new Map(),
});

/** The commits that refs name: what is checked out first, then branches. */
function readTips(objects: GitObjects, { ids }: Refs): NewCommits {
  const order = (name: string): number => (name === 'HEAD' ? 0 : name.startsWith('refs/heads/') ? 1 : 2);
  const named = [...ids].toSorted(([one], [other]) => order(one) - order(other)).map(([, id]) => id);
  const commits = new Map<string, GitCommit>();
  const tips = [...new Set(named)];
  for (const id of tips.slice(0, MAX_TIPS)) {
    const commit = objects.commit(id);
    if (commit !== null) commits.set(id, { ...commit, parents: [] });
  }
  return { commits, complete: tips.length <= MAX_TIPS };
}

/** Whether the working tree holds the same content: there it is judged by itself. */
function matchesWorkingTree(path: string, { id, mode }: Pick<GitTreeEntry, 'id' | 'mode'>): boolean {
  const place = systemPath(toRawPath(path));
  const content = (mode & 0o170000) === LINK ? targetOf(place) : readSmall(place);
  if (content === null) return false;
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1').update(`blob ${content.length}\0`);
  return hash.update(content).digest('hex') === id;
}

const textOf = (path: string): string => readSmall(path)?.toString('utf8') ?? '';

/**
 * Whether the path may steer other programs, by the rules for folders: a control path, a link where one begins, a dot
 * name that no list knows.
 */
const maySteer = ({ path, mode }: { readonly path: string; readonly mode: number }): boolean =>
  isControlFile(path) ||
  ((mode & 0o170000) === LINK && beginsQuarantinedPlace(path)) ||
  (/(?:^|\/)\./u.test(path) && findUnknownDot(path) !== null);

const isSameRefs = (one: Refs, other: Refs): boolean =>
  one.unread === other.unread &&
  one.unread !== '' &&
  one.ids.size === other.ids.size &&
  [...one.ids].every(([name, id]) => other.ids.get(name) === id);

const isNamed = (path: string, named: readonly string[]): boolean =>
  named.map(foldPath).some((each) => foldPath(path) === each || foldPath(path).startsWith(`${each}/`));

function targetOf(place: string | Buffer): Buffer | null {
  try {
    return readlinkSync(place, 'buffer');
  } catch {
    return null;
  }
}
