import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrackedTest } from './tracked-files.js';

let root = '';
const at = (path: string): string => join(root, path);
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], { cwd: root, stdio: 'pipe' });
const tracked = (...paths: string[]) => paths.filter((path) => createTrackedTest()(at(path)));
const FILES = ['a.txt', 'src/b.txt', 'src/deep/ü and spaces.txt', `long/${'x'.repeat(200)}.txt`];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-index-')));
  git('init', '-q');
  for (const folder of ['src/deep', 'long']) mkdirSync(at(folder), { recursive: true });
  for (const file of [...FILES, 'untracked.txt', 'src/untracked.txt']) writeFileSync(at(file), file);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('what Git tracks, read from its index', () => {
  it.each(['2', '3', '4'])('version %s', (version) => {
    git('add', ...FILES);
    if (version === '3') git('add', '-N', 'src/untracked.txt');
    git('update-index', '--index-version', version);
    const known = version === '3' ? [...FILES, 'src/untracked.txt'] : FILES;
    expect(tracked(...FILES, 'untracked.txt', 'src/untracked.txt', 'src', 'nothing')).toEqual(known);
  });

  it('with its extensions, after commits and merges', () => {
    git('add', ...FILES);
    git('commit', '-qm', 'one');
    git('update-index', '--untracked-cache', '--force-untracked-cache');
    git('status');
    expect(tracked(...FILES, 'untracked.txt')).toEqual(FILES);
  });

  it('of the repository that holds a file: a nested one, a worktree, one above', () => {
    git('add', 'a.txt');
    git('commit', '-qm', 'one');
    git('worktree', 'add', '-q', at('tree'));
    mkdirSync(at('inner'));
    execFileSync('git', ['init', '-q', at('inner')]);
    writeFileSync(at('inner/c.txt'), 'c');
    writeFileSync(at('inner/d.txt'), 'd');
    execFileSync('git', ['add', 'c.txt'], { cwd: at('inner') });
    expect(tracked('tree/a.txt', 'tree/b.txt', 'inner/c.txt', 'inner/d.txt', 'a.txt')).toEqual([
      'tree/a.txt',
      'inner/c.txt',
      'a.txt',
    ]);
  });

  it('nothing where nothing was added, and nothing without a repository', () => {
    expect(tracked(...FILES)).toEqual([]);
    rmSync(at('.git'), { recursive: true });
    expect(createTrackedTest()('/tmp/x')).toBe(false);
  });

  it.each<[string, () => void]>([
    ['it is split', () => void git('update-index', '--split-index')],
    ['it is cut short', () => writeFileSync(at('.git/index'), readFileSync(at('.git/index')).subarray(0, 100))],
    ['it is something else', () => writeFileSync(at('.git/index'), 'what is this')],
    [
      'it is a link',
      () => {
        writeFileSync(at('elsewhere'), readFileSync(at('.git/index')));
        rmSync(at('.git/index'));
        symlinkSync('../elsewhere', at('.git/index'));
      },
    ],
    [
      'it is a pipe',
      () => {
        rmSync(at('.git/index'));
        execFileSync('mkfifo', [at('.git/index')]);
      },
    ],
    [
      'what leads to it is no text',
      () => {
        rmSync(at('.git'), { recursive: true });
        writeFileSync(at('.git'), 'elsewhere');
      },
    ],
  ])('everything where %s', (_what, change) => {
    git('add', 'a.txt');
    change();
    expect(tracked('a.txt', 'untracked.txt')).toEqual(['a.txt', 'untracked.txt']);
  });
});
