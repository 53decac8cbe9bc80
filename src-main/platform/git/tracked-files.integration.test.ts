import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readTrackedFiles } from './tracked-files.js';

const ENV = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, env: ENV, encoding: 'utf8' });

const NAMES = [
  '.env',
  'README.md',
  'conf/server.key',
  'deep/down/a b.txt',
  'deep/down/ä.txt',
  `long/${'n'.repeat(200)}`,
];

function repository(...options: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-tracked-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  git(folder, 'init', '-q', ...options);
  for (const name of NAMES) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  return folder;
}

const known = (folder: string): readonly string[] => git(folder, 'ls-files', '-z').split('\0').filter(Boolean);

it.each([
  ['as it is made', [], []],
  ['with hashes of 256 bits', ['--object-format=sha256'], []],
  ['of the fourth version', [], ['update-index', '--index-version', '4']],
  ['with what is only intended', [], ['add', '-N', 'later.txt']],
  ['in two files', [], ['update-index', '--split-index']],
] as const)('an index %s', (_what, options, then) => {
  const folder = repository(...options);
  expect(readTrackedFiles(folder, '')).toEqual({ top: '', files: [] });
  git(folder, 'add', '.');
  writeFileSync(join(folder, 'later.txt'), 'later');
  if (then.length > 0) git(folder, ...then);
  expect(readTrackedFiles(folder, '')).toEqual({ top: '', files: known(folder) });
  writeFileSync(join(folder, 'one-more.txt'), 'more');
  git(folder, 'add', 'one-more.txt');
  git(folder, 'rm', '-q', '--cached', 'README.md');
  const files = readTrackedFiles(folder, 'deep')?.files;
  expect(files).toEqual(expect.arrayContaining([...known(folder)]));
  expect(files).toContain('one-more.txt');
});

it('from a folder in it, above it, and in a working tree of its own', () => {
  const folder = repository();
  git(folder, 'add', '.');
  expect(readTrackedFiles(join(folder, 'conf'), '')).toEqual({
    top: '..',
    files: known(folder).map((name) => (name.startsWith('conf/') ? name.slice('conf/'.length) : `../${name}`)),
  });
  const [above, name] = [dirname(folder), folder.slice(dirname(folder).length + 1)];
  expect(readTrackedFiles(above, name)).toEqual({ top: name, files: known(folder).map((each) => `${name}/${each}`) });
  git(folder, 'commit', '-qm', 'all');
  git(folder, 'worktree', 'add', '-q', 'beside');
  expect(readTrackedFiles(join(folder, 'beside'), '')?.files).toEqual(known(join(folder, 'beside')));
});

it('what is no index is told', () => {
  const folder = repository();
  git(folder, 'add', '.');
  for (const text of ['', 'DIRC', `DIRC\0\0\0\x02\0\0\0\x05${'x'.repeat(100)}`]) {
    writeFileSync(join(folder, '.git/index'), text);
    expect(readTrackedFiles(folder, '')).toBeNull();
  }
});
