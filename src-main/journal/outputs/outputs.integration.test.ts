import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutputWindow } from '#contract/window/channels.js';
import type { StoredOutput } from '../../domain/call/outputs.js';
import { openTestJournal, openTestReader, testFolder } from '../writing/journal.test-support.js';
import { batchReceived, settled, started } from '../writing/journal-samples.test-support.js';
import { storedFile } from './output-places.js';
import { pruneOutputs } from './output-pruning.js';
import { createSealer } from '../../keys/sealing.js';
import { FileOutputStore } from './output-store.js';

const MEGA = 2 ** 20;

function opened() {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const reader = openTestReader(folder);
  const store = new FileOutputStore(folder, createSealer(null));
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  journal.append([batchReceived('b'), ...started({ callId: 'c', batchId: 'b', tool: 'run_command' })]);
  const settle = (output: StoredOutput): void => void journal.append([settled('c', { storedOutputs: [output] })]);
  return { folder, journal, reader, store, settle };
}

/** Puts a finished output in place, as large as wanted. */
function place(folder: string, sha256: string, content: string | number): void {
  const file = storedFile(folder, sha256);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : '');
  if (typeof content === 'number') truncateSync(file, content);
}

/** So many letters without a line break, in place under their hash. */
async function placeLetters(folder: string, bytes: number): Promise<string> {
  const letters = Buffer.alloc(MEGA, 'x');
  const file = join(folder, 'letters');
  const hash = createHash('sha256');
  for (let at = 0; at < bytes; at += MEGA) {
    hash.update(letters);
    appendFileSync(file, letters);
  }
  const sha256 = hash.digest('hex');
  mkdirSync(dirname(storedFile(folder, sha256)), { recursive: true });
  renameSync(file, storedFile(folder, sha256));
  return sha256;
}

const textOf = (window: OutputWindow | null): string => window?.rows.map(({ text }) => text).join('') ?? '';

const OUT = { callId: 'c', stream: 'stdout' } as const;

describe('stored output', () => {
  it('is kept byte for byte under its hash, for this person only', async () => {
    const { folder, store, reader, settle } = opened();
    const sink = store.open('c', 'stdout', 10 * MEGA);
    const pieces = Array.from({ length: 200 }, (_, n) => Buffer.from(`line ${n} \u{1f600}\0\x1b[31m\n`));
    const accepted = await Promise.all(pieces.map((piece) => sink.write(piece)));
    expect(accepted.every(Boolean)).toBe(true);
    const stored = await sink.finish();
    const whole = Buffer.concat(pieces);
    expect(stored).toEqual({
      stream: 'stdout',
      sha256: createHash('sha256').update(whole).digest('hex'),
      bytes: whole.length,
    });
    const file = storedFile(folder, stored.sha256);
    expect(readFileSync(file).equals(whole)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'outputs', 'incoming'))).toEqual([]);
    settle(stored);
    expect((await reader.page({ limit: 1, before: null, filter: {} })).calls[0]).toMatchObject({ hasOutput: true });
    // It is red from line 0 on, but for what stands before that.
    expect(await reader.outputWindow(OUT, 198, 5)).toEqual({
      rows: [198, 199].map((n) => ({ text: `line ${n} \u{1f600}\n`, looks: [11, 2 << 7] })),
      fromLine: 198,
      totalLines: 200,
      totalBytes: whole.length,
    });
  });

  it('that can’t be put in its place, or is given up, leaves nothing behind: no file, nothing open', async () => {
    const { folder, store } = opened();
    const bytes = Buffer.from('hello\n');
    // Something else has the place of its folder.
    const inTheWay = dirname(storedFile(folder, createHash('sha256').update(bytes).digest('hex')));
    writeFileSync(inTheWay, '');
    const stuck = store.open('c', 'stdout', MEGA);
    await stuck.write(bytes);
    await expect(stuck.finish()).rejects.toThrow('EEXIST');
    await stuck.abandon();
    const dropped = store.open('c', 'stderr', MEGA);
    await dropped.write(bytes);
    await dropped.abandon();
    expect(readdirSync(join(folder, 'outputs', 'incoming'))).toEqual([]);
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)];
      } catch {
        return [];
      }
    });
    expect(open.filter((path) => path.includes('incoming'))).toEqual([]);
  });

  it('stops at the command’s quota and says so', async () => {
    const { store } = opened();
    const sink = store.open('c', 'stderr', 10);
    expect(await sink.write(Buffer.from('12345678'))).toBe(true);
    expect(await sink.write(Buffer.from('90abc'))).toBe(false);
    expect(await sink.write(Buffer.from('d'))).toBe(false);
    const hash = createHash('sha256').update('1234567890').digest('hex');
    expect(await sink.finish()).toEqual({ stream: 'stderr', bytes: 10, sha256: hash });
  });

  it('copies what it is given: the caller may reuse its buffer', async () => {
    const { store, folder } = opened();
    const sink = store.open('c', 'stdout', 100);
    const buffer = Buffer.from('first');
    const written = sink.write(buffer);
    buffer.fill('x');
    await written;
    const { sha256 } = await sink.finish();
    expect(readFileSync(storedFile(folder, sha256), 'utf8')).toBe('first');
  });

  it('can be read while it grows, and after a crash', async () => {
    const { store, reader } = opened();
    const sink = store.open('c', 'stdout', 100);
    await sink.write(Buffer.from('one\ntwo\nthr'));
    expect(await reader.outputWindow(OUT, 1, 5)).toEqual({
      rows: [
        { text: 'two\n', looks: [] },
        { text: 'thr', looks: [] },
      ],
      fromLine: 1,
      totalLines: null,
      totalBytes: 11,
    });
    await sink.write(Buffer.from('ee\nfour\n'));
    expect(textOf(await reader.outputWindow(OUT, 2, 5))).toBe('three\nfour\n');
    expect(await reader.searchOutput(OUT, 'FOUR', 0)).toEqual({
      places: [{ line: 3, at: 0 }],
      total: 1,
      complete: false,
    });
    expect(await reader.outputWindow({ callId: 'unknown', stream: 'stdout' }, 0, 1)).toBeNull();
    await sink.finish();
  });

  it('opens a gigabyte at once, at its beginning and its end', async () => {
    const { folder, reader, settle } = opened();
    const sha256 = await placeLetters(folder, 2 ** 30);
    settle({ stream: 'stdout', sha256, bytes: 2 ** 30 });
    const first = await reader.outputWindow(OUT, 0, 10);
    expect(first).toMatchObject({ totalLines: null, totalBytes: 2 ** 30 });
    expect(textOf(first)).toHaveLength(10 * 16 * 1024);
    // A line that never ends is in pieces.
    const last = await reader.outputWindow(OUT, 65_535, 10);
    expect(last).toMatchObject({ totalLines: 65_536 });
    expect(textOf(last)).toHaveLength(16 * 1024);
  });

  it('finds lines far inside, in any case', async () => {
    const { folder, reader, settle } = opened();
    const text = Array.from({ length: 300_000 }, (_, n) => (n % 100_000 === 7 ? `Größe Needle ${n}` : `line ${n}`));
    const sha256 = createHash('sha256').update(text.join('\n')).digest('hex');
    place(folder, sha256, text.join('\n'));
    settle({ stream: 'stdout', sha256, bytes: 1 });
    expect(await reader.searchOutput(OUT, 'nEEdle', 0)).toEqual({
      places: [7, 100_007, 200_007].map((line) => ({ line, at: 6 })),
      total: 3,
      complete: true,
    });
    expect(await reader.searchOutput(OUT, 'Größe', 8)).toEqual({
      places: [100_007, 200_007].map((line) => ({ line, at: 0 })),
      total: 2,
      complete: true,
    });
    const many = await reader.searchOutput(OUT, 'line', 10);
    expect(many?.places).toHaveLength(20_000);
    expect(many).toMatchObject({ total: 299_988, complete: false });
    expect(textOf(await reader.outputWindow(OUT, 200_007, 1))).toBe('Größe Needle 200007\n');
    const end = await reader.outputWindow(OUT, 299_999, 5);
    expect([textOf(end), end?.totalLines]).toEqual(['line 299999', 300_000]);
    expect(await reader.outputWindow(OUT, 400_000, 5)).toMatchObject({ rows: [], totalLines: 300_000 });
  });
});

describe('an output whose file was changed', () => {
  it('is not shown as what was recorded, nor searched', async () => {
    const { folder, store, reader, settle } = opened();
    const sink = store.open('c', 'stdout', MEGA);
    await sink.write(Buffer.from('rm -rf /\nremoved\n'));
    const stored = await sink.finish();
    settle(stored);
    writeFileSync(storedFile(folder, stored.sha256), 'npm test\nall well\n');
    const window = await reader.outputWindow(OUT, 0, 10);
    expect(textOf(window)).toContain('not the output that was recorded');
    expect(textOf(window)).not.toContain('all well');
    expect(await reader.searchOutput(OUT, 'well', 0)).toEqual({ places: [], total: 0, complete: true });
  });

  it('is seen once it was read, however large it is', async () => {
    const { folder, reader, settle } = opened();
    const sha256 = 'c'.repeat(64);
    place(folder, sha256, 64 * MEGA);
    settle({ stream: 'stdout', sha256, bytes: 64 * MEGA });
    await expect
      .poll(async () => textOf(await reader.outputWindow(OUT, 0, 1)), { timeout: 60_000 })
      .toContain('not the output');
  });
});

describe('the outputs’ quota', () => {
  it('lets the oldest go first, and what is past its time; never what still grows', async () => {
    const { folder, store } = opened();
    const now = Date.now();
    for (const [n, name] of ['1', '2', '3', '4'].entries()) {
      place(folder, name.repeat(64), 'x'.repeat(1000));
      utimesSync(storedFile(folder, name.repeat(64)), 1, (now - (4 - n) * 60_000) / 1000);
    }
    const sink = store.open('growing', 'stdout', MEGA);
    await sink.write(Buffer.alloc(5000));
    const kept = (): string[] => ['1', '2', '3', '4'].filter((name) => existsSync(storedFile(folder, name.repeat(64))));
    expect(await pruneOutputs(folder, 10 * MEGA, 0)).toBe(0);
    expect(await pruneOutputs(folder, 10 * MEGA, now - 200_000)).toBe(1000);
    expect(kept()).toEqual(['2', '3', '4']);
    expect(await pruneOutputs(folder, 2500, 0)).toBe(1000);
    expect(kept()).toEqual(['3', '4']);
    expect((await sink.finish()).bytes).toBe(5000);
  });
});
