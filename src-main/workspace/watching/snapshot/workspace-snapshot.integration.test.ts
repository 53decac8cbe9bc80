import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync } from 'node:fs';
import { rmdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { UNHURRIED } from '../../../process/process.test-support.js';
import { listWorkspace } from '../workspace-list.js';
import type { HeldSnapshot } from './held-snapshot.js';
import { CopyPack } from './copy-pack.js';
import { SNAPSHOT_BOUNDS, type SnapshotOptions, WorkspaceSnapshot } from './workspace-snapshot.js';

let base: string;
let root: string;
let copied: string[];
let log: string[];
const at = (path: string) => join(root, path);
const roomy = { ...SNAPSHOT_BOUNDS, minFreeBytes: 0, catchUpMs: 10_000 };
/** Bounds under which nothing is caught up with: only what was copied in the background is there. */
const strict = { ...roomy, catchUpMs: -1 };

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-snapshot-')));
  root = join(base, 'workspace');
  mkdirSync(join(root, 'deep/er'), { recursive: true });
  writeFileSync(at('a.txt'), 'a');
  writeFileSync(at('deep/er/b.bin'), Buffer.from([0, 255, 13, 10]));
  copied = [];
  log = [];
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function open(options: Partial<SnapshotOptions> = {}) {
  const snapshot = new WorkspaceSnapshot({
    folder: join(base, 'copies'),
    hidden: [],
    log: (message) => log.push(message),
    keeps: async () => true,
    bounds: roomy,
    onCopy: (path) => void copied.push(path),
    ...options,
  });
  onTestFinished(() => snapshot.close());
  return snapshot;
}

const place = (isDenied: (path: string) => boolean = () => false) => ({ root, isDenied });

/** Long enough ago that a copy made now is of nothing later. */
function settle(): void {
  const until = Date.now() + 70;
  while (Date.now() < until);
}

async function hold(snapshot: WorkspaceSnapshot, where = place()) {
  const list = await listWorkspace(root, UNHURRIED.list);
  const held = await snapshot.hold(where, list);
  onTestFinished(() => held[Symbol.asyncDispose]());
  return { held, before: (path: string) => contentOf(held, path, list) };
}

async function contentOf(held: HeldSnapshot, path: string, list: Awaited<ReturnType<typeof listWorkspace>>) {
  const status = list.files.get(path);
  if (status === undefined) throw new Error(`${path} is not there`);
  const before = await held.before(path, status);
  if (typeof before === 'string') return before;
  return before.kind === 'link' ? `-> ${before.target}` : before.content.toString('latin1');
}

it('the copies hold what every file was: text, bytes, nothing, links, an archive of Electron, names of any kind', async () => {
  writeFileSync(at('empty'), '');
  writeFileSync(at('app.asar'), 'no archive');
  mkdirSync(at('folder.asar'));
  writeFileSync(at('folder.asar/x'), 'x');
  symlinkSync('../outside', at('link'));
  writeFileSync(at('spaces and “ü”\n'), 'odd');
  const snapshot = open({ bounds: strict });
  await snapshot.prepare(place(), false);
  const { before } = await hold(snapshot);
  expect(await before('a.txt')).toBe('a');
  expect(await before('deep/er/b.bin')).toBe('\u0000\u00ff\r\n');
  expect(await before('empty')).toBe('');
  expect(await before('app.asar')).toBe('no archive');
  expect(await before('folder.asar/x')).toBe('x');
  expect(await before('link')).toBe('-> ../outside');
  expect(await before('spaces and “ü”\n')).toBe('odd');
});

it('a file is copied again only where it changed: bytes, rights, another file in its place', async () => {
  writeFileSync(at('c.txt'), 'c');
  writeFileSync(at('d.txt'), 'd');
  settle();
  const snapshot = open();
  await snapshot.prepare(place(), false);
  expect(copied.sort()).toEqual(['a.txt', 'c.txt', 'd.txt', 'deep/er/b.bin']);
  copied = [];
  await snapshot.prepare(place(), false);
  expect(copied).toEqual([]);
  writeFileSync(at('a.txt'), 'b');
  chmodSync(at('c.txt'), 0o600);
  writeFileSync(at('new'), 'd');
  renameSync(at('new'), at('d.txt'));
  settle();
  await snapshot.prepare(place(), false);
  expect(copied.sort()).toEqual(['a.txt', 'c.txt', 'd.txt']);
});

it('the snapshot sees ahead which copies would be kept, for a command that nobody is asked about, and each of them once', async () => {
  settle();
  const asked: string[] = [];
  const keeps = async (content: Uint8Array): Promise<boolean> => {
    asked.push(Buffer.from(content).toString('latin1'));
    return asked.length > 1;
  };
  const snapshot = open({ keeps });
  await snapshot.prepare(place(), false);
  expect(asked).toEqual([]);
  await snapshot.prepare(place(), true);
  expect(asked).toHaveLength(2);
  const list = await listWorkspace(root, UNHURRIED.list);
  await using held = await snapshot.hold(place(), list, true);
  expect(asked).toHaveLength(2);
  expect([...list.files].filter(([path, status]) => held.isKept(path, status))).toHaveLength(1);
});

it('a copy made in the very moment of a change is not trusted, but made anew', async () => {
  const snapshot = open();
  writeFileSync(at('a.txt'), '1');
  // The copy is of that very moment, however long the machine takes to make it.
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(statSync(at('a.txt')).ctimeMs) });
  onTestFinished(() => void vi.useRealTimers());
  await snapshot.prepare(place(), false);
  vi.useRealTimers();
  expect(copied).toContain('a.txt');
  copied = [];
  settle();
  await snapshot.prepare(place(), false);
  expect(copied).toContain('a.txt');
});

it('the copies that a command holds stay as they are, whatever is copied later', async () => {
  const snapshot = open();
  const first = await hold(snapshot);
  writeFileSync(at('a.txt'), 'later');
  rmSync(at('deep'), { recursive: true });
  await snapshot.prepare(place(), false);
  const second = await hold(snapshot);
  await snapshot.close();
  expect(await first.before('a.txt')).toBe('a');
  expect(await first.before('deep/er/b.bin')).toBe('\u0000\u00ff\r\n');
  expect(await second.before('a.txt')).toBe('later');
});

it('no copy is given of a file that changed after it was copied; what there is time for is copied again', async () => {
  const late = open({ bounds: strict, folder: join(base, 'late') });
  await late.prepare(place(), false);
  writeFileSync(at('a.txt'), 'newer');
  const without = await hold(late);
  expect(await without.before('a.txt')).toBe('not-yet');
  expect(await without.before('deep/er/b.bin')).toBe('\u0000\u00ff\r\n');
  const { before } = await hold(open());
  expect(await before('a.txt')).toBe('newer');
});

it('no copy is kept of what is denied, nor of keys by custom, also where that was decided after it was copied', async () => {
  for (const name of ['id_rsa', '.env', '.env.local', '.env.example']) writeFileSync(at(name), 'key');
  const snapshot = open();
  const { before } = await hold(
    snapshot,
    place((path) => path === 'id_rsa'),
  );
  expect(await before('id_rsa')).toBe('secret');
  expect(await before('.env')).toBe('secret');
  expect(await before('.env.local')).toBe('secret');
  expect(await before('.env.example')).toBe('key');
  expect(copied).not.toContain('id_rsa');
  expect(copied).not.toContain('.env');
  const later = await hold(
    snapshot,
    place((path) => path === 'a.txt'),
  );
  expect(await later.before('a.txt')).toBe('secret');
});

it('the copies keep within their bounds: a large file, too much in all, what is no file', async () => {
  const bounds = { ...roomy, maxFileBytes: 100, maxBytes: 150 };
  writeFileSync(at('large'), Buffer.alloc(101));
  writeFileSync(at('z1'), Buffer.alloc(100));
  writeFileSync(at('z2'), Buffer.alloc(100));
  execFileSync('mkfifo', [at('pipe')]);
  const { before } = await hold(open({ bounds }));
  expect(await before('large')).toBe('too-large');
  expect(await before('pipe')).toBe('special');
  const both = [await before('z1'), await before('z2')];
  expect(both.filter((content) => content === 'full')).toHaveLength(1);
});

it('the snapshot begins a new pack when the old one is mostly out of date, and loses nothing that is held', async () => {
  const snapshot = open({ bounds: { ...roomy, maxBytes: 1000 } });
  writeFileSync(at('a.txt'), Buffer.alloc(400, 'x'));
  const first = await hold(snapshot);
  for (let round = 0; round < 10; round += 1) {
    writeFileSync(at('a.txt'), Buffer.alloc(400, String(round)));
    expect(await (await hold(snapshot)).before('a.txt')).toBe(String(round).repeat(400));
  }
  expect(await first.before('a.txt')).toBe('x'.repeat(400));
});

it('the copies leave nothing to look at in their folder, and removes what a crash left there', async () => {
  mkdirSync(join(base, 'copies'));
  writeFileSync(join(base, 'copies/1-dead.copies'), 'left');
  // As the start after a crash does, before anything is copied (gate/recovery).
  await CopyPack.removeStrays(join(base, 'copies'));
  await hold(open());
  expect(readdirSync(join(base, 'copies'))).toEqual([]);
});

it('copying does not follow what is put in the place of a file or its folder while it is copied', async () => {
  const outside = join(base, 'outside');
  mkdirSync(join(outside, 'er'), { recursive: true });
  writeFileSync(join(outside, 'secret'), 'SECRET');
  writeFileSync(join(outside, 'er/b.bin'), 'SECRET');
  writeFileSync(at('other.txt'), 'other');
  const list = await listWorkspace(root, UNHURRIED.list);
  const snapshot = open({
    onCopy: (path) => {
      if (path !== 'a.txt') return;
      renameSync(at('a.txt'), join(base, 'moved'));
      symlinkSync(join(outside, 'secret'), at('a.txt'));
      renameSync(at('deep'), join(base, 'deep'));
      symlinkSync(outside, at('deep'));
    },
  });
  const held = await snapshot.hold(place(), list);
  onTestFinished(() => held[Symbol.asyncDispose]());
  expect(await contentOf(held, 'a.txt', list)).toBe('not-yet');
  expect(['not-yet', '\u0000\u00ff\r\n']).toContain(await contentOf(held, 'deep/er/b.bin', list));
  expect(await contentOf(held, 'other.txt', list)).toBe('other');
});

it('there is no copy of a file that was written while it was copied, nor of one that another took the place of', async () => {
  writeFileSync(at('b.txt'), 'b');
  const list = await listWorkspace(root, UNHURRIED.list);
  settle();
  const snapshot = open({
    onCopy: (path) => {
      if (path === 'a.txt') appendFileSync(at('a.txt'), 'more');
      if (path !== 'b.txt') return;
      writeFileSync(at('new'), 'x');
      renameSync(at('new'), at('b.txt'));
    },
  });
  const held = await snapshot.hold(place(), list);
  onTestFinished(() => held[Symbol.asyncDispose]());
  expect(await contentOf(held, 'a.txt', list)).toBe('not-yet');
  expect(await contentOf(held, 'b.txt', list)).toBe('not-yet');
});

it('the copies leave room on the disk, and says once in the log why there are no copies', async () => {
  const snapshot = open({ bounds: { ...roomy, minFreeBytes: Number.MAX_SAFE_INTEGER } });
  await snapshot.prepare(place(), false);
  const { before } = await hold(snapshot);
  expect(await before('a.txt')).toBe('disk-full');
  expect(copied).toEqual([]);
  expect(log).toEqual([expect.stringMatching(/disk is full/)]);
});

// Only root can mount the small disk.
it.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'a disk that fills up keeps none of the copies, and copying begins again',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-small-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    onTestFinished(() => {
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    });
    for (let file = 0; file < 8; file += 1) writeFileSync(at(`f${file}`), randomBytes(400_000));
    const snapshot = open({ folder });
    const full = await hold(snapshot);
    expect(await full.before('f0')).toBe('disk-full');
    expect(await full.before('a.txt')).toBe('disk-full');
    expect(log).toEqual([expect.stringMatching(/disk is full/)]);
    await full.held[Symbol.asyncDispose]();
    for (let file = 0; file < 8; file += 1) rmSync(at(`f${file}`));
    expect(await (await hold(snapshot)).before('a.txt')).toBe('a');
  },
);

it('copying many files lets others have their turn', async () => {
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(at(`d${folder}`));
    for (let file = 0; file < 50; file += 1) writeFileSync(at(`d${folder}/${file}`), `${folder} ${file}`);
  }
  const snapshot = open({ bounds: strict });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await snapshot.prepare(place(), false);
  delay.disable();
  // How long a turn took depends on the machine; that there were many of them does not.
  expect(delay.count).toBeGreaterThan(5);
  const { before } = await hold(snapshot);
  expect(await before('d99/49')).toBe('99 49');
  expect(copied.length).toBe(5002);
});
