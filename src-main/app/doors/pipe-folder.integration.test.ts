import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FolderSurroundings } from '../../domain/policy/work-folders.js';
import { findFolder } from './pipe-folder.js';

let root = '';
const at = (...names: readonly string[]): string => join(root, ...names);
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-work-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['data/in', 'home/repo/packages/a', 'home/plain/sub', 'home/other'])
    mkdirSync(at(name), { recursive: true });
});

const around = (
  open: readonly string[] = [],
  mayUse: FolderSurroundings['mayUse'] = () => true,
): FolderSurroundings => ({
  home: at('home'),
  dataDir: at('data'),
  open,
  mayUse,
});
const git = (folder: string, ...args: readonly string[]): void => {
  const done = spawnSync(
    'git',
    ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...args],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  expect(done.stderr === '' || done.status === 0, done.stderr).toBe(true);
};
const open = (path: string) => ({ kind: 'open', path });
const closed = (path: string) => ({ kind: 'closed', path });
const none = { kind: 'none' };

describe('the folder of who was started in a place', () => {
  it('is the innermost open one, up to the repository’s top', async () => {
    git(at('home/repo'), 'init', '-q');
    const place = at('home/repo/packages/a');
    expect(await findFolder(place, around([at('home/repo')]))).toEqual(open(at('home/repo')));
    expect(await findFolder(place, around([at('home/repo'), at('home/repo/packages')]))).toEqual(
      open(at('home/repo/packages')),
    );
    // What is open above a repository’s top is another project’s.
    expect(await findFolder(place, around([at('home')]))).toEqual(closed(at('home/repo')));
    expect(await findFolder(at('home/plain/sub'), around([at('home')]))).toEqual(open(at('home')));
  });

  it('is asked about as the repository’s top, or as the place itself where there is none', async () => {
    expect(await findFolder(at('home/plain/sub'), around())).toEqual(closed(at('home/plain/sub')));
    git(at('home/repo'), 'init', '-q');
    expect(await findFolder(at('home/repo/packages/a'), around())).toEqual(closed(at('home/repo')));
  });

  it('of a worktree and of a submodule is its own top', async () => {
    const repo = at('home/repo');
    git(repo, 'init', '-q');
    git(repo, 'commit', '-q', '--allow-empty', '-m', 'one');
    git(repo, 'worktree', 'add', '-q', at('home/repo/trees/b'));
    expect(await findFolder(at('home/repo/trees/b'), around())).toEqual(closed(at('home/repo/trees/b')));
    git(at('home/other'), 'init', '-q');
    git(at('home/other'), 'commit', '-q', '--allow-empty', '-m', 'one');
    git(repo, 'submodule', '--quiet', 'add', at('home/other'), 'sub');
    mkdirSync(at('home/repo/sub/deep'));
    expect(await findFolder(at('home/repo/sub/deep'), around())).toEqual(closed(at('home/repo/sub')));
  });

  it('is the highest below the top that may be opened, where the home folder is a repository', async () => {
    git(at('home'), 'init', '-q');
    expect(await findFolder(at('home/plain/sub'), around())).toEqual(closed(at('home/plain')));
    expect(await findFolder(at('home'), around())).toEqual(none);
  });

  it('is by real path: a link says nothing of its own', async () => {
    symlinkSync(at('home/plain'), at('home/other/link'));
    expect(await findFolder(at('home/other/link/sub'), around())).toEqual(closed(at('home/plain/sub')));
  });

  it('is none where nothing may be offered', async () => {
    writeFileSync(at('home/file'), '');
    const places = [
      '/',
      '/usr',
      '/usr/share',
      '/etc',
      '/tmp',
      '/proc/self',
      at('home'),
      root,
      at('data'),
      at('data/in'),
    ];
    for (const place of [...places, at('home/file'), at('home/none'), null])
      expect(await findFolder(place, around()), String(place)).toEqual(none);
    // It holds another open folder.
    expect(await findFolder(at('home/plain'), around([at('home/plain/sub')]))).toEqual(none);
    // What the person limits the agent to.
    const limited = (folder: string): boolean => folder === at('home/other');
    expect(await findFolder(at('home/plain'), around([], limited))).toEqual(none);
    expect(await findFolder(at('home/plain'), around([at('home/plain')], limited))).toEqual(none);
    expect(await findFolder(at('home/other'), around([], limited))).toEqual(closed(at('home/other')));
  });
});
