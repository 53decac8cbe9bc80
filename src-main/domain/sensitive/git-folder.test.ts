import { expect, it } from 'vitest';
import { wouldMakeRepository } from './git-folder.js';

/** `there` are the files that stand. */
const makes = (relative: string, ...there: readonly string[]): boolean =>
  wouldMakeRepository(relative, (path) => there.includes(path));

it.each(['HEAD', 'sub/HEAD', 'a/b/head', 'refs/remotes/origin/HEAD'])('%s makes a repository', (path) => {
  expect(makes(path, '.git')).toBe(true);
});

it.each([
  'config',
  'Config',
  'config.worktree',
  'commondir',
  'gitdir',
  'hooks/pre-commit',
  'hooks/sub/x',
  'info/attributes',
  'rebase-merge/git-rebase-todo',
  'objects/x',
  'refs/heads/main',
])('%s counts beside a HEAD', (path) => {
  expect(makes(`sub/deep/${path}`, '.git', 'sub/deep/HEAD')).toBe(true);
  expect(makes(`sub/deep/${path}`, '.git', 'sub/HEAD', 'HEAD')).toBe(false);
  expect(makes(path, '.git', 'HEAD')).toBe(true);
  expect(makes(path, '.git')).toBe(false);
});

it('at the top of a folder without a repository, what Git would obey counts before there is a HEAD', () => {
  for (const path of ['config', 'commondir', 'config.worktree', 'hooks/x']) expect(makes(path), path).toBe(true);
  for (const path of ['objects/x', 'refs/x', 'config/routes.rb', 'sub/config', 'src/hooks/use-x.ts']) {
    expect(makes(path), path).toBe(false);
  }
});

it('other names make none', () => {
  for (const path of ['a.txt', 'HEADER', 'head.tsx', 'my-config', 'webhooks/x']) {
    expect(makes(path, 'HEAD'), path).toBe(false);
  }
});
