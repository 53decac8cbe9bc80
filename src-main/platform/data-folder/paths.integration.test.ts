import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDataDir, checkWorkspace } from './paths.js';
import { RecentWorkspaces } from './recent-workspaces.js';
import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-paths-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOBODY = 65_534;

test('A data folder is made where it is missing, at any depth, and left clean', () => {
  const path = join(folder, 'a', 'b', 'c');
  expect(prepareDataDir(path)).toEqual({ ok: true, path });
  expect(readdirSync(path)).toEqual([]);
});

test('A data folder that can’t be is refused with the reason, also where the system answers oddly', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(prepareDataDir(join(folder, 'file'))).toMatchObject({ ok: false });
  expect(prepareDataDir(join(folder, 'file', 'inside'))).toMatchObject({ ok: false });
  expect(prepareDataDir('/proc/nothing')).toMatchObject({ ok: false });
  expect(prepareDataDir('/dev/full')).toMatchObject({ ok: false });
  expect(prepareDataDir(`${folder}/${'x'.repeat(300)}`)).toMatchObject({ ok: false });
  expect(prepareDataDir(`${folder}/a\0b`)).toMatchObject({ ok: false });
});

test('A folder without the right to it is refused', () => {
  prepareDataDir(join(folder, 'closed'));
  chmodSync(join(folder, 'closed'), 0);
  const user = process.geteuid?.();
  // Root may do everything: nobody may not.
  if (user === 0) process.seteuid?.(NOBODY);
  try {
    expect(prepareDataDir(join(folder, 'closed', 'new'))).toMatchObject({ ok: false });
    expect(checkWorkspace(join(folder, 'closed'))).toMatchObject({ ok: false });
  } finally {
    if (user === 0) process.seteuid?.(0);
    // Or nobody but root could clear it away.
    chmodSync(join(folder, 'closed'), 0o700);
  }
});

test('In a data folder that others could write to, they can’t any more, whatever made it so; what they may read stays', () => {
  const path = join(folder, 'loose');
  mkdirSync(join(path, 'run'), { recursive: true });
  writeFileSync(join(path, 'config.toml'), '');
  chmodSync(path, 0o777);
  chmodSync(join(path, 'run'), 0o770);
  chmodSync(join(path, 'config.toml'), 0o664);
  expect(prepareDataDir(path)).toEqual({ ok: true, path });
  const modes = ['', 'run', 'config.toml'].map((name) => statSync(join(path, name)).mode & 0o777);
  expect(modes).toEqual([0o755, 0o750, 0o644]);
});

test('A data folder in which another user may have decided something is refused, and told why', () => {
  const refused = (path: string): string => {
    const answer = prepareDataDir(path);
    return answer.ok ? 'it is not refused' : answer.problem;
  };
  const open = join(folder, 'open');
  mkdirSync(join(open, 'data'), { recursive: true });
  chmodSync(open, 0o777);
  // The folder is used, and the person is told that another could be put in its place.
  expect(prepareDataDir(join(open, 'data'))).toMatchObject({ ok: true, openAbove: open });
  // Sticky, as /tmp is: nobody can move another’s files.
  chmodSync(open, 0o1777);
  expect(prepareDataDir(join(open, 'data'))).toEqual({ ok: true, path: join(open, 'data') });
  expect(refused(open)).toContain('shared with everybody');
  expect(statSync(open).mode & 0o7777).toBe(0o1777);
  // A disk that was just mounted is everybody's, and holds nothing of others: it becomes ours.
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  writeFileSync(join(disk, 'config.toml'), '');
  chmodSync(disk, 0o1777);
  expect(prepareDataDir(disk)).toEqual({ ok: true, path: disk });
  expect(statSync(disk).mode & 0o7777).toBe(0o755);

  if (process.getuid?.() !== 0) return;
  const planted = join(folder, 'planted');
  mkdirSync(planted);
  writeFileSync(join(planted, 'config.toml'), '[tools.approval]\nenabled = false\n');
  chownSync(join(planted, 'config.toml'), NOBODY, NOBODY);
  expect(refused(planted)).toContain('"config.toml" in it belongs to somebody else');
  const theirs = join(folder, 'theirs');
  mkdirSync(theirs);
  chownSync(theirs, NOBODY, NOBODY);
  expect(refused(theirs)).toContain('it belongs to somebody else');
});

test('A workspace is a folder, by its real name', () => {
  const link = join(folder, 'link');
  symlinkSync(folder, link);
  expect(checkWorkspace(link)).toEqual({ ok: true, path: folder });
  writeFileSync(join(folder, 'file'), '');
  expect(checkWorkspace(join(folder, 'file'))).toMatchObject({
    ok: false,
    problem: expect.stringContaining('not a folder'),
  });
  expect(checkWorkspace(join(folder, 'nothing'))).toMatchObject({ ok: false });
});

test('A small file is replaced whole, and one that is too large or missing reads as none', () => {
  const file = join(folder, 'state.json');
  replaceSmallFile(file, 'one');
  replaceSmallFile(file, 'two');
  expect(readSmallFile(file)).toBe('two');
  expect(readdirSync(folder)).toEqual(['state.json']);
  expect(() => replaceSmallFile(join(folder, 'no', 'such'), 'x')).toThrow('ENOENT');
  writeFileSync(file, Buffer.alloc(5 * 1024 * 1024));
  expect(readSmallFile(file)).toBeNull();
  expect(readSmallFile(join(folder, 'nothing'))).toBeNull();
});

test('Recent workspaces: newest first, each once, those that are gone not shown, hostile files none', () => {
  const file = join(folder, 'recent.json');
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  for (const path of [one, two]) prepareDataDir(path);
  const recent = new RecentWorkspaces(file);
  recent.add(one);
  recent.add(two);
  recent.add(one);
  expect(new RecentWorkspaces(file).list()).toEqual([
    { path: one, name: 'one' },
    { path: two, name: 'two' },
  ]);
  rmSync(one, { recursive: true });
  expect(new RecentWorkspaces(file).list().map(({ name }) => name)).toEqual(['two']);
  recent.forget(two);
  expect(recent.list()).toEqual([]);
  writeFileSync(file, '{"length": 3}');
  expect(new RecentWorkspaces(file).list()).toEqual([]);
});
