import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { unpatchedFs } from '../files/unpatched-fs.js';
import type { GitIgnored } from '../../domain/ports/given-text-log.js';
import { ParsedFileCache } from './parsed-file-cache.js';
import { ExcludeFiles, type PersonGitPlaces } from './exclude-files.js';
import { findRepositories, type Repository } from './repositories.js';

const { lstatSync } = unpatchedFs;

/** The list of a folder, and how deep that folder is below the top. */
interface IgnoreList {
  readonly depth: number;
  readonly list: Ignore;
}

/** A folder by the lists that hold in it; null: all in it is ignored, or a list that could name it can't be read. */
type FolderIgnoreLists = readonly IgnoreList[] | null;

/**
 * Answers by the ignore lists of the repositories that hold a path, as they are on the disk: Git itself is not run. A
 * listed path is ignored, tracked or not, and where a list can't be read, all that it could name is.
 */
export function createGitIgnored(person: PersonGitPlaces): GitIgnored {
  const lists = new ParsedFileCache((text) => ignore({ ignorecase: process.platform !== 'linux' }).add(text));
  const named = new ExcludeFiles(person);
  const treesOf = (root: string): readonly IgnoreTree[] | null => {
    const trees = findRepositories(root)?.map(
      (repository) => new IgnoreTree(repository, lists, named.find(repository)),
    );
    return trees ?? null;
  };
  return {
    isIgnored: async (root, path) =>
      treesOf(root)?.some((tree) => tree.isIgnored(partsOf(tree.top, root, path))) ?? true,
    isInOtherRepository: async (root, path) => {
      let folder = root;
      for (const part of path.split('/')) {
        folder = join(folder, part);
        // A file has nothing below it; what can’t be looked at is no reason to trust it.
        if (part !== '' && part !== '.' && hasRepository(folder)) return true;
      }
      return false;
    },
    hasIgnoredName: async (root, paths) => {
      const trees = treesOf(root);
      if (trees === null) return paths.length > 0;
      return paths.some((path) => trees.some((tree) => tree.namesIgnored(partsOf(tree.top, root, path))));
    },
  };
}

export const gitIgnored = createGitIgnored({
  home: homedir(),
  configHome: process.env['XDG_CONFIG_HOME'],
  global: process.env['GIT_CONFIG_GLOBAL'],
});

function hasRepository(folder: string): boolean {
  try {
    return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOTDIR';
  }
}

const partsOf = (top: string, root: string, path: string): readonly string[] =>
  relative(top, join(root, path))
    .split(sep)
    .filter((part) => part !== '');

/** One working tree, read once: each of its folders once. */
class IgnoreTree {
  readonly top: string;
  readonly #lists: ParsedFileCache<Ignore>;
  readonly #folders = new Map<string, FolderIgnoreLists>();

  constructor({ top, common }: Repository, lists: ParsedFileCache<Ignore>, named: readonly string[] | null) {
    this.top = top;
    this.#lists = lists;
    const ofPerson = named === null ? null : this.#with([], 0, named, 'followed');
    const own = [join(common, 'info', 'exclude'), join(top, '.gitignore')];
    this.#folders.set('', ofPerson === null ? null : this.#with(ofPerson, 0, own));
  }

  isIgnored(parts: readonly string[]): boolean {
    if (parts[0] === '.git') return true;
    const folder = this.#folder(parts.slice(0, -1));
    return folder === null || (parts.length > 0 && testLists(folder, parts, false).ignored);
  }

  /**
   * Whether a pattern ignores the path. A name that a list spells out does not count: it is in that list already, which
   * is not ignored itself.
   */
  namesIgnored(parts: readonly string[]): boolean {
    if (parts[0] === '.git') return parts.length > 1;
    const folder = this.#folder(parts.slice(0, -1));
    if (folder === null) return true;
    return [true, false].some((isFolder) => {
      const { ignored, pattern } = testLists(folder, parts, isFolder);
      return ignored && pattern.replace(/\/$/u, '').split('/').at(-1) !== parts.at(-1);
    });
  }

  #folder(parts: readonly string[]): FolderIgnoreLists {
    const key = parts.join('/');
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const above = this.#folder(parts.slice(0, -1));
    // Nothing below a folder that is ignored can be taken back.
    const folder =
      above === null || testLists(above, parts, true).ignored
        ? null
        : this.#with(above, parts.length, [join(this.top, ...parts, '.gitignore')]);
    this.#folders.set(key, folder);
    return folder;
  }

  #with(before: readonly IgnoreList[], depth: number, files: readonly string[], links?: 'followed'): FolderIgnoreLists {
    const all = [...before];
    for (const file of files) {
      const list = this.#lists.read(file, links);
      if (list === null) return null;
      if (list !== 'absent') all.push({ depth, list });
    }
    return all;
  }
}

/** The nearest list has the last word. */
function testLists(
  folder: readonly IgnoreList[],
  parts: readonly string[],
  isFolder: boolean,
): { readonly ignored: boolean; readonly pattern: string } {
  let last = { ignored: false, pattern: '' };
  for (const { depth, list } of folder) {
    const { ignored, unignored, rule } = list.test(`${parts.slice(depth).join('/')}${isFolder ? '/' : ''}`);
    if (ignored) last = { ignored: true, pattern: rule?.pattern ?? '' };
    else if (unignored) last = { ignored: false, pattern: '' };
  }
  return last;
}
