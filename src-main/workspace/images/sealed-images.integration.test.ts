import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testSealing } from './sealing.test-support.js';
import { Bench, treeOf } from '../transaction/transaction.test-support.js';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create({ durable: true });
});
afterEach(async () => {
  await bench.dispose();
});

const canary = `canary-${randomBytes(12).toString('hex')}`;
const secret = (n: number): string => `DB_PASSWORD=${canary}\nline ${n}\n${'filler '.repeat(4000)}\n`;
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Everywhere below the data folder, as it stands and out of what is only compressed. */
async function holdsCanary(): Promise<boolean> {
  for (const content of Object.values(await treeOf(bench.dataDir))) {
    const bytes = Buffer.from(content, 'latin1');
    if (bytes.includes(canary)) return true;
    for (let at = bytes.indexOf(ZSTD); at !== -1; at = bytes.indexOf(ZSTD, at + 1)) {
      try {
        if (zstdDecompressSync(bytes.subarray(at)).includes(canary)) return true;
      } catch {
        // Not a frame of zstd, or one that needs a base.
      }
    }
  }
  return false;
}

test('With a key store images are sealed: undo works over restarts, and nothing of them stands in the clear', async () => {
  bench.sealing = testSealing(Buffer.alloc(32, 7));
  bench.restart();
  await bench.write({ 'a.txt': { content: secret(1), mode: 0o644 } });
  const before = await bench.tree();
  expect(await bench.change('call-1', { 'a.txt': [secret(1), secret(2)] })).toMatchObject([{ undoable: true }]);
  await bench.change('call-2', { 'a.txt': [secret(2), secret(3)] });
  expect(await holdsCanary()).toBe(false);
  bench.sealing = testSealing(Buffer.alloc(32, 7));
  bench.restart();
  await bench.undoCall('undo-2', 'call-2');
  await bench.undoCall('undo-1', 'call-1');
  expect(await bench.tree()).toEqual(before);
  expect(await holdsCanary()).toBe(false);
});

test('What was kept before there was a key store is read as it is', async () => {
  await bench.write({ 'a.txt': { content: 'one', mode: 0o644 } });
  await bench.change('call-1', { 'a.txt': ['one', 'two'] });
  bench.sealing = testSealing(Buffer.alloc(32, 7));
  bench.restart();
  await bench.undoCall('undo-1', 'call-1');
  expect(await readFile(join(bench.workspace, 'a.txt'), 'utf8')).toBe('one');
});

test('Without a key store what holds a secret is not kept, and that is said; the rest is, and a failed change goes back', async () => {
  await bench.write({ 'a.txt': { content: secret(1), mode: 0o644 }, 'b.txt': { content: 'b1', mode: 0o644 } });
  const before = await bench.tree();
  const transaction = await bench.begin('call-1', { 'a.txt': [secret(1), secret(2)], 'b.txt': ['b1', 'b2'] });
  const changed = await transaction.commit();
  expect(changed).toMatchObject([
    { path: 'a.txt', undoable: false, note: expect.stringContaining('no key store') as string },
    { path: 'b.txt', undoable: true, note: null },
  ]);
  expect(await holdsCanary()).toBe(false);
  await transaction.rollback();
  expect(await bench.tree()).toEqual(before);
  await bench.change('call-2', { 'a.txt': [secret(1), secret(2)], 'b.txt': ['b1', 'b2'] });
  expect(await holdsCanary()).toBe(false);
  await bench.undoCall('undo-2', 'call-2', ['b.txt']);
  expect(await bench.pending()).toEqual([]);
});

test('Without a key store a crash amid a change leaves a file with a secret as it is, and says so', async () => {
  await bench.write({ 'a.txt': { content: secret(1), mode: 0o644 }, 'b.txt': { content: 'b1', mode: 0o644 } });
  const transaction = await bench.begin('call-1', { 'a.txt': [secret(1), secret(2)], 'b.txt': ['b1', 'b2'] });
  await transaction.commit();
  expect(await holdsCanary()).toBe(false);
  bench.sealing = testSealing();
  bench.restart();
  await bench.transactions.recover(() => false);
  expect(await readFile(join(bench.workspace, 'a.txt'), 'utf8')).toBe(secret(2));
  expect(await readFile(join(bench.workspace, 'b.txt'), 'utf8')).toBe('b1');
  expect(bench.problems.join(' ')).toContain('a.txt');
  expect(await bench.pending()).toEqual([]);
});
