import { expect, it } from 'vitest';
import type { Folder, TrackedFiles } from '../../../../domain/commands/reading/folder.js';
import { createCommandReader } from './command-reader.js';

const FILES = ['.env', '.gitignore', 'README.md', 'deploy/server.key', 'docs/guide.md', 'src/a.ts', 'src/.env.local'];
const TRACKED: TrackedFiles = { top: '', files: FILES };

const readerOf = (tracked: TrackedFiles | null) =>
  createCommandReader(undefined, undefined, (roots): Folder => ({
    roots,
    files: () => FILES,
    text: () => null,
    tracked: () => tracked,
  }));
const reader = readerOf(TRACKED);
const secretsOf = async (command: string): Promise<readonly string[]> =>
  (await reader.read(command, ['/home/me/project'])).analysis.secrets;

const ALL = ['.env', 'deploy/server.key', 'src/.env.local'];

it.each([
  'git log -p',
  'git log --patch -5',
  'git log --pat',
  'git log -U3 main..HEAD',
  'git log --stat -p',
  'git log -c',
  'git show',
  'git show HEAD~2',
  'git show 1a2b3c4',
  'git diff',
  'git diff --cached',
  'git diff HEAD~1 HEAD',
  'git diff --check',
  'git diff | head -50',
  'git diff .',
  'git diff -- .',
  "git diff -- ':(icase)docs'",
  'git whatchanged -p',
  'git diff-tree -p HEAD',
  'git diff-index --patch HEAD',
  'git stash show',
  'git stash show -p stash@{1}',
  'git stash list -p',
  'git reflog -p',
  'git range-diff a b c',
  'git grep PASSWORD',
  'git grep -n -e x',
  'git grep x HEAD~1',
  'git cat-file -p 1a2b3c4d',
  'git cat-file blob 1a2b3c4d',
  'git cat-file --batch',
  'git status -v',
  'git archive HEAD',
  'git format-patch --stdout HEAD~2',
  'git -C src log -p',
  'git --no-pager log -p',
  'cd docs && git diff',
  'true && git show | cat',
])('%s shows what is in files that Git knows, secrets among them', async (command) => {
  expect(await secretsOf(command)).toEqual(ALL);
});

it.each([
  'git log',
  'git log --oneline --stat',
  'git log -5 --name-only',
  'git log -S PASSWORD --oneline',
  'git show --stat',
  'git show -s HEAD',
  'git show --name-only HEAD',
  'git show HEAD:src/a.ts',
  'git diff --stat',
  'git diff --name-status main',
  'git diff --quiet',
  'git diff -- docs',
  'git diff src/a.ts',
  'git diff HEAD -- src/a.ts README.md',
  "git log -p -- 'docs/*.md'",
  'cd docs && git diff -- .',
  "git diff -- . ':!.env' ':(exclude)deploy' ':^*.local'",
  'git stash list',
  'git stash',
  'git stash show --stat',
  'git grep -l PASSWORD',
  'git grep -c x',
  'git grep x -- docs',
  'git cat-file -t 1a2b3c4d',
  'git cat-file -p HEAD',
  'git cat-file -p HEAD:src/a.ts',
  'git blame src/a.ts',
  'git status',
  'git status --short',
  'git ls-files',
  'git reflog',
  'git shortlog -sn',
])('%s shows none of a file of secrets', async (command) => {
  expect(await secretsOf(command)).toEqual([]);
});

it.each([
  ['git diff -- src', ['src/.env.local']],
  ["git diff -- '*.key'", ['*.key', 'deploy/server.key']],
  ["git diff -- ':!.env'", ['deploy/server.key', 'src/.env.local']],
  ["git diff -- . ':!*]' ':!*-}x' ':!*.(key'", ALL],
  ["git diff -- . ':!deploy/*.ke?'", ['.env', 'src/.env.local']],
  ['git log -p -- src docs', ['src/.env.local']],
  ['git blame .env', ['.env']],
  ['git show HEAD:.env', ['.env']],
  ['git log -L1,5:.env', ['.env']],
  ['git log -L:word:.env -L1,5:README.md', ['.env']],
  ['git log -L 1,5:.env -- README.md', ['.env']],
])('%s shows %j', async (command, secrets) => {
  expect(await secretsOf(command)).toEqual(secrets);
});

it('nothing asks where Git knows no file of secrets', async () => {
  const ordinary = readerOf({ top: '', files: ['README.md', 'src/a.ts', '.env.example'] });
  for (const command of ['git diff', 'git log -p', 'git show', 'git grep x', 'git stash show -p']) {
    const { secrets, onlyReads, notWhole } = (await ordinary.read(command, ['/home/me/project'])).analysis;
    expect({ secrets, onlyReads, notWhole }).toEqual({ secrets: [], onlyReads: true, notWhole: null });
  }
});

it('the reason to ask says so where it can’t be told what Git knows', async () => {
  const { analysis } = await readerOf(null).read('git diff', ['/home/me/project']);
  expect(analysis.notWhole).toContain('Git knows');
  expect((await readerOf(null).read('git status', ['/home/me/project'])).analysis.notWhole).toBeNull();
});
