import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HOME_TOOLS, TOOLS_HOMES } from './home-tools.js';
import { resolvePath } from '../../platform/files/resolve-path.js';

export interface HomeRequest {
  /** The person's home folders, by whatever name: the environment's and the system's may differ. */
  readonly homes: readonly string[];
  readonly workspace: string;
  /** Shown besides the tools: from a home folder (`.config/x`, `~/x`), or absolute. */
  readonly allowlist: readonly string[];
  /** Where programs are looked for. */
  readonly path: string;
  /**
   * Whether a path of the system is seen, where nothing exists but that and what is shown; null: everything but what
   * people keep as their own is seen.
   */
  readonly onlySeen: ((path: string) => boolean) | null;
}

/** A command's view of the folders in which people keep their own. All paths are canonical. */
export interface HomeView {
  /** Folders that are replaced by an empty one. */
  readonly covered: readonly string[];
  /** Folders that have to be there though nothing in them is shown. */
  readonly empty: readonly string[];
  /** Readable, where they are. */
  readonly shown: readonly string[];
  /** Links on the way to what is shown. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
}

/** Where systems keep the folders of people. */
const OF_PEOPLE: readonly string[] = ['/home', '/root'];

/**
 * The other way round than a list of secrets, which never has them all: nothing of a home folder is there but what tools
 * need. So what appears there later (sockets, pipes, keys) is not there either.
 *
 * A home folder that is the workspace, or in it, is the person's choice; what is known to be secret is covered there.
 */
export function buildHomeView(request: HomeRequest): HomeView {
  const homes = unique(request.homes.map(canonical)).filter((home) => home !== '/');
  const mayCover = (folder: string): boolean => !isWithin(request.workspace, folder) && isLasting(folder);
  // Every mount makes every command begin a little later, and only root puts something into one that is empty.
  const ofPeople = OF_PEOPLE.map(canonical).filter((folder) => !isEmpty(folder));
  const covered = outermost(unique([...ofPeople, ...homes]).filter(mayCover));
  const isCovered = (path: string): boolean =>
    !isWithin(request.workspace, path) &&
    (request.onlySeen === null ? covered.some((folder) => isWithin(folder, path)) : !request.onlySeen(path));
  const ways = new LinkWalk(isCovered);
  for (const home of homes.filter(isCovered)) for (const name of HOME_TOOLS) ways.add(name, home);
  for (const path of TOOLS_HOMES) ways.add(path);
  for (const entry of request.allowlist) {
    const below = entry.replace(/^~(?:\/|$)/u, '');
    for (const home of homes) ways.add(resolve(home, below));
  }
  // Programs that are on the way are found; a home folder itself is on it by mistake.
  for (const folder of request.path.split(':')) {
    if (folder.startsWith('/') && !homes.some((home) => isWithin(folder, home))) ways.add(folder);
  }
  const shown = outermost(ways.found);
  const links = [...ways.links].filter(([path]) => !shown.some((folder) => isWithin(folder, path)));
  return {
    covered,
    empty: homes
      .filter((home) => covered.some((folder) => isWithin(folder, home)))
      .filter((home) => !covered.includes(home)),
    shown,
    links: links.map(([path, target]) => ({ path, target })),
  };
}

/** Finds where paths lead, as the system does, and notes what a covered folder lacks on the way. */
class LinkWalk {
  readonly found: string[] = [];
  readonly links = new Map<string, string>();
  readonly #isCovered: (path: string) => boolean;

  constructor(isCovered: (path: string) => boolean) {
    this.#isCovered = isCovered;
  }

  /** Adds the place where a path leads. `from` is canonical. */
  add(path: string, from = '/'): void {
    const links = new Map<string, string>();
    const end = this.#follow(path, from, links);
    if (end === null) return;
    for (const [link, target] of links) this.links.set(link, target);
    if (this.#isCovered(end)) this.found.push(end);
  }

  /** Null where nothing is there. */
  #follow(path: string, from: string, links: Map<string, string>): string | null {
    let at = from;
    const names = path.split('/');
    for (let followed = 0; names.length > 0;) {
      const name = names.shift() ?? '';
      if (name === '') continue;
      const next = join(at, name);
      const facts = factsOf(next);
      if (facts === null) return null;
      if (!facts.isSymbolicLink()) {
        at = next;
        continue;
      }
      const target = readlinkSync(next);
      if ((followed += 1) > MAX_LINKS) return null;
      if (this.#isCovered(next)) links.set(next, target);
      names.unshift(...resolve(dirname(next), target).split('/'));
      at = '/';
    }
    return at;
  }
}

/** The limit of links on a way: as many as the system follows. */
const MAX_LINKS = 40;

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

function factsOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

const canonical = (path: string): string => resolvePath(path) ?? '/';

/** Whether it is the folder or in it. */
export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

const unique = (paths: readonly string[]): string[] => [...new Set(paths)].filter((path) => path !== '/');

const outermost = (paths: readonly string[]): string[] =>
  [...new Set(paths)]
    .toSorted()
    .filter((path, _, all) => !all.some((other) => other !== path && isWithin(other, path)));

/**
 * Whether a folder is lasting. One that is made anew for each command needs no cover; one that the system keeps its
 * programs in can’t have one (`/usr/sbin` is somebody’s home).
 */
const isLasting = (path: string): boolean =>
  !/^\/(?:proc|sys|dev|run|tmp|var\/tmp|usr|etc|bin|sbin|lib\w*|nix\/store)(?:\/|$)/u.test(path) && path !== '/var';
