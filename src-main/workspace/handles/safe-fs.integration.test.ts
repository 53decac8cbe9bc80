import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { link, lstat, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DirectoryHandle } from './directory-handle.js';
import { errnoOf, UnsafePathError } from './unsafe-path-error.js';
import { walk, walkTo } from './walk.js';

let base: string;
let inside: string;
let outside: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'safe-fs-'));
  inside = join(base, 'root');
  outside = join(base, 'outside');
  await mkdir(join(inside, 'a/b'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'secret');
  await writeFile(join(inside, 'a/b/file'), 'hello');
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

const reasonOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof UnsafePathError ? error.reason : (errnoOf(error) ?? String(error));
  }
};

const namesIn = async (directory: DirectoryHandle): Promise<string[]> => {
  const names: string[] = [];
  for await (const batch of directory.entries()) names.push(...batch.map(({ name, kind }) => `${name}:${kind}`));
  return names.toSorted();
};

const CREATE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;

// Both ways of holding a folder, whatever this machine would choose by itself.
describe.each(['descriptor', 'path'] as const)('a folder held by %s', (kind) => {
  let root: DirectoryHandle;
  beforeEach(async () => {
    root = await DirectoryHandle.openRoot(inside, kind);
  });
  afterEach(async () => {
    await root.close();
  });

  it('reads, creates, renames, lists and removes', async () => {
    await using directory = await walkTo(root, 'a/b');
    await using file = await directory.openFile('file');
    const buffer = Buffer.alloc(16);
    expect(buffer.subarray(0, await file.read(buffer, 0)).toString()).toBe('hello');
    expect(file.facts).toMatchObject({ kind: 'file', size: 5, links: 1 });

    await using made = await directory.openFile('new', CREATE, 0o640);
    await made.write(Buffer.from('abc'), 0);
    await made.chmod(0o600);
    await made.sync();
    expect(await made.status()).toMatchObject({ size: 3, mode: 0o600 });
    await directory.mkdir('sub', 0o700);
    await directory.rename('new', root, 'moved');
    await directory.symlink(Buffer.from('../nowhere'), 'pointer');
    await directory.sync();

    expect(await readFile(join(inside, 'moved'), 'utf8')).toBe('abc');
    expect(await namesIn(directory)).toEqual(['file:file', 'pointer:symlink', 'sub:dir']);
    expect(Buffer.from(await directory.readlink('pointer')).toString()).toBe('../nowhere');
    await directory.unlink('pointer');
    await directory.rmdir('sub');
    expect(await namesIn(directory)).toEqual(['file:file']);
  });

  it('refuses links at every place in a path', async () => {
    await symlink(outside, join(inside, 'a/out'));
    await symlink(join(outside, 'secret'), join(inside, 'a/leak'));
    expect(await reasonOf(walkTo(root, 'a/out'))).toBe('link');
    expect(await reasonOf(walk(root, 'a', (directory) => directory.openFile('leak')))).toBe('link');
    expect(await reasonOf(walk(root, 'a', (directory) => directory.openFile('leak', CREATE)))).toBe('EEXIST');
    expect(await reasonOf(walk(root, 'a/b/file', async () => {}))).toBe('not-a-directory');
    expect(await reasonOf(walk(root, 'a', (directory) => directory.openFile('b')))).toBe('is-a-directory');
    expect(await reasonOf(walkTo(root, 'a/none'))).toBe('ENOENT');
    await symlink(inside, join(base, 'root-link'));
    expect(await reasonOf(DirectoryHandle.openRoot(join(base, 'root-link'), kind))).toBe('link');
  });

  it('refuses FIFOs, sockets and devices at once, without opening them', async () => {
    execFileSync('mkfifo', [join(inside, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(inside, 'socket'), resolve));
    try {
      expect(await reasonOf(root.openFile('pipe'))).toBe('special');
      expect(await reasonOf(root.openFile('pipe', constants.O_WRONLY))).toBe('special');
      expect(await reasonOf(root.openFile('socket'))).toBe('special');
      await using devices = await DirectoryHandle.openRoot('/dev', kind);
      expect(await reasonOf(devices.openFile('null'))).toBe('special');
      expect(await reasonOf(devices.openFile('tty'))).toBe('special');
    } finally {
      server.close();
    }
  });

  it('takes only the names of children', async () => {
    for (const name of ['', '.', '..', 'a/b', '/etc', 'a\0b', Buffer.from('..'), Buffer.from('a/b')]) {
      expect(await reasonOf(root.openChild(name))).toBe('bad-name');
      expect(await reasonOf(root.unlink(name))).toBe('bad-name');
    }
    expect(await reasonOf(root.openFile('x'.repeat(5000)))).toBe('ENAMETOOLONG');
  });

  it('creates missing folders, and says which', async () => {
    const created: string[] = [];
    await walk(root, 'a/x/y', (directory) => directory.mkdir('z'), {
      create: 0o755,
      onCreated: (relative) => created.push(relative),
    });
    expect(created).toEqual(['a/x', 'a/x/y']);
    expect((await lstat(join(inside, 'a/x/y/z'))).isDirectory()).toBe(true);
    await symlink(outside, join(inside, 'door'));
    expect(await reasonOf(walkTo(root, 'door/made', { create: 0o755 }))).toBe('link');
    expect(await reasonOf(lstat(join(outside, 'made')))).toBe('ENOENT');
  });

  it('tells hard links by their count', async () => {
    await link(join(outside, 'secret'), join(inside, 'hard'));
    expect(await root.lstat('hard')).toMatchObject({ kind: 'file', links: 2 });
  });

  it('never acts in a folder that replaced the one it opened', async () => {
    await using directory = await walkTo(root, 'a/b');
    await rename(join(inside, 'a'), join(inside, 'a-moved'));
    await symlink(outside, join(inside, 'a'));
    await mkdir(join(outside, 'b'));
    await writeFile(join(outside, 'b/file'), 'secret');
    const content = async () => {
      await using file = await directory.openFile('file');
      const buffer = Buffer.alloc(16);
      return buffer.subarray(0, await file.read(buffer, 0)).toString();
    };
    if (kind === 'descriptor') {
      expect(await content()).toBe('hello');
      await directory.unlink('file');
      await (await directory.openFile('made', CREATE)).close();
      expect(await readFile(join(inside, 'a-moved/b/made'), 'utf8')).toBe('');
    } else {
      expect(await reasonOf(content())).toBe('changed');
      expect(await reasonOf(directory.unlink('file'))).toBe('changed');
      expect(await reasonOf(directory.openFile('made', CREATE))).toBe('changed');
      expect(await reasonOf(namesIn(directory))).toBe('changed');
    }
    expect(await readFile(join(outside, 'b/file'), 'utf8')).toBe('secret');
    expect(await reasonOf(lstat(join(outside, 'b/made')))).toBe('ENOENT');
  });

  it('gives names that are not UTF-8 as the bytes they are', async () => {
    const raw = Buffer.from([0x66, 0xff, 0x6f]);
    await writeFile(Buffer.concat([Buffer.from(`${inside}/a/`), raw]), 'x');
    await using directory = await walkTo(root, 'a');
    const names: Uint8Array[] = [];
    for await (const batch of directory.entries()) names.push(...batch.map((entry) => entry.nameBytes));
    expect(names.some((name) => Buffer.compare(name, raw) === 0)).toBe(true);
    if (kind === 'descriptor') expect(await directory.lstat(raw)).toMatchObject({ kind: 'file', size: 1 });
  });

  it('closes only when nothing is under way, and then does nothing more', async () => {
    const directory = await walkTo(root, 'a/b');
    const under = Array.from({ length: 8 }, () => directory.openFile('file'));
    await directory.close();
    const files = await Promise.all(under);
    await Promise.all(files.map((file) => file.close()));
    await expect(directory.openFile('file')).rejects.toThrow('closed');
    await directory.close();
  });
});
