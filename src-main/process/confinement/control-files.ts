import { lstatSync, opendirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Inside the workspace: files that make other programs run something. Readable there, not writable. */
const CONTROL_FILES: readonly string[] = [
  '.gatehouse',
  '.gitmodules',
  '.gitconfig',
  '.husky',
  '.vscode',
  '.idea',
  '.mcp.json',
  '.claude',
  '.cursor',
  '.envrc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
];

/** In each folder that Git takes for a repository's own. `commondir` says where its settings and hooks are read from. */
const IN_GIT: readonly string[] = ['hooks', 'config', 'config.worktree', 'commondir', 'info/attributes'];

/** Every repository takes some mounts, and each mount makes every command begin a little later. */
const MOST_REPOSITORIES = 40;
const MOST_LOOKED_AT = 20_000;

/** Whatever of it exists may be a link: what is to be protected is decided where it leads. */
export function controlFiles(workspace: string): readonly string[] {
  const git = `${workspace}/.git`;
  return [
    ...CONTROL_FILES.map((name) => `${workspace}/${name}`),
    // In a worktree or a submodule it is a file that says where the repository is: another one there, and Git runs what
    // that says.
    ...(kindOf(git) === 'file' ? [git] : []),
    ...IN_GIT.map((name) => `${git}/${name}`),
    ...innerRepositories(git),
  ];
}

/** Of submodules and worktrees. Where there are too many to be told one by one, all of them are. */
function innerRepositories(git: string): readonly string[] {
  const found: string[] = [];
  const left = { repositories: MOST_REPOSITORIES, entries: MOST_LOOKED_AT };
  // A submodule's name may have slashes in it, and a command can make anything look like a repository or like none:
  // so every folder is entered, but for those in which Git keeps its objects.
  const enter = (folder: string): void => {
    const inside = IN_GIT.map((name) => `${folder}/${name}`).filter(exists);
    if (inside.length > 0) left.repositories -= 1;
    found.push(...inside, ...checkedOutAs(folder));
    for (const name of foldersIn(folder, left)) {
      if (left.repositories < 0 || left.entries < 0) return;
      if (!(folder.endsWith('/objects') && OF_OBJECTS.test(name))) enter(`${folder}/${name}`);
    }
  };
  const places = [`${git}/modules`, `${git}/worktrees`].filter((path) => kindOf(path) === 'folder');
  for (const place of places) enter(place);
  return left.repositories < 0 || left.entries < 0 ? places : found;
}

const OF_OBJECTS = /^(?:[0-9a-f]{2}|pack|info)$/u;

/** The submodule's own `.git` file, which leads to the repository. */
function checkedOutAs(repository: string): readonly string[] {
  const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/mu.exec(textIn(`${repository}/config`))?.[1];
  return worktree === undefined ? [] : [`${resolve(repository, worktree.replace(/^"(.*)"$/u, '$1'))}/.git`];
}

export type Kind = 'folder' | 'file';

/** Of the path itself: a link is none. */
export function kindOf(path: string): Kind | null {
  try {
    const facts = lstatSync(path);
    if (facts.isSymbolicLink()) return null;
    return facts.isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function foldersIn(path: string, left: { entries: number }): readonly string[] {
  const names: string[] = [];
  try {
    using folder = opendirSync(path);
    for (let entry = folder.readSync(); entry !== null && left.entries >= 0; entry = folder.readSync()) {
      left.entries -= 1;
      if (entry.isDirectory()) names.push(entry.name);
    }
  } catch {
    // What can't be listed by us can't be entered by a command either.
  }
  return names;
}

function textIn(path: string): string {
  try {
    return kindOf(path) === 'file' && lstatSync(path).size < MOST_READ ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

const MOST_READ = 1024 * 1024;

/** The folders between the two, outermost first. */
export function foldersBetween(outer: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder.startsWith(`${outer}/`); folder = dirname(folder)) folders.unshift(folder);
  return folders;
}
