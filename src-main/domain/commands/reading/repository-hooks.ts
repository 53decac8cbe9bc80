import { parseGitConfig } from '../../sensitive/git-config.js';
import type { GitCommands } from '../../sensitive/git-work.js';
import type { Folder } from './folder.js';

const OF_COMMITS = 'pre-commit prepare-commit-msg commit-msg post-commit post-rewrite pre-auto-gc'.split(' ');
const OF_MERGES = [...OF_COMMITS, 'pre-merge-commit', 'post-merge'];
const OF_CHECKOUTS = ['post-checkout'];

/** The hooks that each subcommand runs. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  am: [...OF_COMMITS, 'applypatch-msg', 'pre-applypatch', 'post-applypatch'],
  checkout: OF_CHECKOUTS,
  'cherry-pick': OF_COMMITS,
  commit: OF_COMMITS,
  fetch: ['pre-auto-gc'],
  gc: ['pre-auto-gc'],
  merge: OF_MERGES,
  pull: [...OF_MERGES, ...OF_CHECKOUTS, 'pre-rebase'],
  push: ['pre-push'],
  rebase: [...OF_COMMITS, ...OF_CHECKOUTS, 'pre-rebase'],
  revert: OF_COMMITS,
  submodule: OF_CHECKOUTS,
  switch: OF_CHECKOUTS,
  worktree: OF_CHECKOUTS,
};
/** Run whenever a branch moves, and whenever the index is written. */
const RUN_BY_MANY = ['reference-transaction', 'post-index-change'];

/**
 * Finds the hooks of the folder's repository that these commands run, and of those inside it where they may work `elsewhere`.
 * What stands in the folder is most often what a hook runs in its turn, and it may write to all that Git keeps: no copy
 * is kept of that.
 */
export function findHooks(folder: Folder, commands: GitCommands, elsewhere: boolean): readonly string[] {
  const named = [...new Set(commands.flatMap(([subcommand = '']) => RUN_BY[subcommand] ?? []))];
  if (commands.length === 0) return [];
  const inside = elsewhere ? (folder.files() ?? []).filter((path) => path.endsWith('/.git/')) : [];
  const tops = ['', ...inside.map((path) => path.slice(0, -'.git/'.length))];
  return [...new Set(tops.flatMap((top) => hooksAt(folder, top, named)))];
}

function hooksAt(folder: Folder, top: string, named: readonly string[]): readonly string[] {
  const settings = [`${top}.git/config`, '~/.gitconfig', '~/.config/git/config'].map((path) => folder.text(path));
  const set = settings.map(readHooksPath).find((path) => path !== null);
  const place = set ?? '.git/hooks';
  // Husky keeps one for each name beside what they lead to.
  const places = place.endsWith('/_') ? place.slice(0, -2) : place;
  const isUnseen = /^[~/]|(?:^|\/)\.\.(?:\/|$)/u.test(place);
  if (isUnseen) return named.length === 0 ? [] : [place];
  return [...named, ...RUN_BY_MANY].filter((name) => folder.text(`${top}${places}/${name}`) !== null);
}

function readHooksPath(config: string | null): string | null {
  const all = config === null ? null : parseGitConfig(config);
  const set = all?.findLast(({ section, sub, name }) => section === 'core' && sub === null && name === 'hookspath');
  return set?.value?.replace(/^\.\//u, '').replace(/\/+$/u, '') || null;
}
