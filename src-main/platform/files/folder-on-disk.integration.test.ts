import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listMatches } from '../../domain/commands/reading/folder.js';
import { openFolderOnDisk } from './folder-on-disk.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gatehouse-folder-'));
  for (const folder of ['src/deep', 'node_modules/a', '.git/hooks']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['.env', 'src/a.ts', 'src/deep/b.ts', 'node_modules/a/x.js', '.git/config'])
    writeFileSync(join(root, file), file);
  symlinkSync('/etc', join(root, 'link'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('names what is there, and looks into nothing that tools or Git made, nor where links lead', () => {
  const folder = openFolderOnDisk([root]);
  expect(folder.files()?.toSorted()).toEqual(['.env', '.git/', 'link', 'node_modules/', 'src/a.ts', 'src/deep/b.ts']);
  expect(listMatches(folder, 'src/*.ts')).toEqual(['src/a.ts']);
  expect(listMatches(folder, '.e*')).toEqual(['.env']);
  expect(listMatches(folder, '.gi?')).toEqual(['.git']);
  expect(listMatches(folder, 'node_*/*.js')).toBeNull();
});

it('is as it was when it was first asked, and another is as it is then', () => {
  const [folder, later] = [openFolderOnDisk([root]), openFolderOnDisk([root])];
  expect(folder.files()).toHaveLength(6);
  writeFileSync(join(root, 'new'), '');
  expect(folder.files()).toHaveLength(6);
  expect(later.files()).toHaveLength(7);
});

it('gives small texts of the folder, and of the home folder only what says where packages come from', () => {
  const folder = openFolderOnDisk([root]);
  expect(folder.text('.git/config')).toBe('.git/config');
  for (const path of ['missing', 'src', '../x', 'src/../../x', '/etc/hosts', '~/.bashrc', '~/.ssh/config'])
    expect(folder.text(path), path).toBeNull();
  writeFileSync(join(root, 'large'), 'x'.repeat(300_000));
  expect(folder.text('large')).toBeNull();
});

it('gives what a worktree has of Git’s from the repository outside, where that names it back', () => {
  const [outside, tree] = [join(root, 'outside'), join(root, 'tree')];
  const own = join(outside, '.git/worktrees/tree');
  for (const folder of [own, join(outside, '.git/hooks'), tree]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(outside, '.git/hooks/pre-commit'), 'npm test');
  writeFileSync(join(tree, '.git'), `gitdir: ${own}\n`);
  writeFileSync(join(own, 'commondir'), '../..\n');
  expect(openFolderOnDisk([tree]).text('.git/hooks/pre-commit')).toBeNull();
  writeFileSync(join(own, 'gitdir'), `${join(tree, '.git')}\n`);
  expect(openFolderOnDisk([tree]).text('.git/hooks/pre-commit')).toBe('npm test');
  expect(openFolderOnDisk([tree]).text('.git/../../x')).toBeNull();
});

it('is not known where it is not there', () => {
  expect(openFolderOnDisk([join(root, 'nowhere')]).files()).toBeNull();
  expect(openFolderOnDisk([]).files()).toBeNull();
});
