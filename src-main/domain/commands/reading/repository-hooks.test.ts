import { describe, expect, it } from 'vitest';
import { readAlone } from './reading.test-support.js';

const read = (command: string, texts: Readonly<Record<string, string>>) =>
  readAlone(command, {
    roots: ['/work'],
    files: () => ['sub/.git/'],
    text: (path) => texts[path] ?? null,
    tracked: () => null,
  })
    .found.filter(({ kind }) => kind === 'unseen-program')
    .map(({ words }) => words);

const HOOK = { '.git/hooks/pre-commit': '#!/bin/sh\nnpm test\n' };
const HUSKY = {
  '.git/config': '[core]\n\thooksPath = .husky/_\n',
  '.husky/pre-commit': 'npm test\n',
  '.husky/_/h': '',
};

describe('Git that runs hooks of the repository, which may run what stands in the folder', () => {
  it.each([
    ['git commit -m x', HOOK, 'pre-commit'],
    ['git add . && git -C src commit -qm x', HOOK, 'pre-commit'],
    ['git rebase main; git revert HEAD', HOOK, 'pre-commit'],
    ['git commit -m x', HUSKY, 'pre-commit'],
    ['git -C sub commit -m x', { 'sub/.git/hooks/pre-commit': 'x' }, 'pre-commit'],
    ['cd sub; git commit -m x', { 'sub/.git/hooks/pre-commit': 'x' }, 'pre-commit'],
    ['git checkout -b x', { '.git/hooks/post-checkout': 'x' }, 'post-checkout'],
    ['git commit -m x', { '.git/hooks/reference-transaction': 'x' }, 'reference-transaction'],
    ['git tag x', { '.git/hooks/reference-transaction': 'x' }, 'reference-transaction'],
    ['git add a', { '.git/hooks/post-index-change': 'x' }, 'post-index-change'],
    ['git commit -m x', { '~/.gitconfig': '[core]\nhooksPath = ~/hooks\n' }, '~/hooks'],
  ])('%s with %j asks', (command, texts, hook) =>
    expect(read(command, texts)).toEqual([
      `runs hooks of this repository (${hook}), which can change all that Git keeps`,
    ]),
  );

  it.each([
    ['git commit -m x', {}],
    ['git commit -m x', { '.git/hooks/pre-commit.sample': 'x', '.git/config': '[core]\n\tbare = false\n' }],
    ['git add . && git status && git log', HOOK],
    ['git checkout -b x', HUSKY],
    ['git status', { '~/.gitconfig': '[core]\nhooksPath = ~/hooks\n' }],
    ['git commit -m x', { 'sub/.git/hooks/pre-commit': 'x' }],
    ['npm test', HOOK],
  ])('%s with %j does not', (command, texts) => expect(read(command, texts)).toEqual([]));
});
