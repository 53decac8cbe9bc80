import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { keepPackage, readPackage } from './package-files.js';

function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gh-package-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A test that reads on and on can be ended. */
async function nextReading(folder: string) {
  await setImmediate();
  return readPackage(folder);
}

/** Runs an adversary that does this without an end, as fast as it can. */
async function meanwhile(folder: string, what: string): Promise<void> {
  const words = `
    const fs = require('node:fs'); const { workerData: at, parentPort } = require('node:worker_threads');
    const rest = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    let n = 1;
    for (;;) { ${what}; if (n === 1) parentPort.postMessage('begun'); n += 1; }`;
  const other = new Worker(words, { eval: true, workerData: folder });
  onTestFinished(async () => void (await other.terminate()));
  await new Promise((resolve) => other.once('message', resolve));
}

it('a file and a folder that are swapped with links are never read through them, and the copy is what was read', async () => {
  const [base, outside, copies] = [testFolder(), testFolder(), testFolder()];
  const folder = join(base, 'package');
  mkdirSync(join(folder, 'workers', 'one'), { recursive: true });
  for (const [path, text] of [
    ['manifest.yaml', 'inside'],
    ['workers/one/main.mjs', 'inside'],
  ] as const)
    writeFileSync(join(folder, path), text);
  mkdirSync(join(outside, 'one'));
  for (const path of ['secret', 'one/main.mjs', 'one/key']) writeFileSync(join(outside, path), 'OUTSIDE');
  await meanwhile(
    base,
    `
    fs.symlinkSync(${JSON.stringify(join(outside, 'secret'))}, at + '/link');
    fs.renameSync(at + '/link', at + '/package/manifest.yaml');
    fs.writeFileSync(at + '/file', 'inside');
    fs.renameSync(at + '/file', at + '/package/manifest.yaml');
    fs.renameSync(at + '/package/workers', at + '/real');
    fs.symlinkSync(${JSON.stringify(outside)}, at + '/package/workers');
    fs.unlinkSync(at + '/package/workers');
    fs.renameSync(at + '/real', at + '/package/workers');
    if (n % 20 === 0) rest(300)`,
  );
  for (let taken = 0; taken < 8;) {
    const read = await nextReading(folder);
    if (!read.ok) {
      expect(read.problem).toMatch(/: (?:it is a link, and links|it leads elsewhere|it can’t be read|it was changed)/u);
      continue;
    }
    taken += 1;
    const copy = keepPackage(read.read, copies);
    for (const path of read.read.files.keys()) expect(readFileSync(join(copy, path), 'utf8')).toBe('inside');
    expect(readPackage(copy)).toMatchObject({ ok: true, read: { digest: read.read.digest } });
  }
});

it('what is read is the package as it stood at one time, however it is written meanwhile', async () => {
  const base = testFolder();
  const folder = join(base, 'package');
  mkdirSync(folder);
  writeFileSync(join(folder, 'a-version'), '0');
  writeFileSync(join(folder, 'large'), Buffer.alloc(8 * 2 ** 20));
  writeFileSync(join(folder, 'z-version'), '0');
  await meanwhile(
    base,
    `for (const name of ['a-version', 'z-version']) {
      fs.writeFileSync(at + '/new', String(n));
      fs.renameSync(at + '/new', at + '/package/' + name);
    }
    if (n % 50 === 0) rest(300)`,
  );
  for (let taken = 0; taken < 15;) {
    const read = await nextReading(folder);
    if (!read.ok) continue;
    taken += 1;
    const numberIn = (path: string) => Number(Buffer.from(read.read.files.get(path)?.bytes ?? []).toString());
    // The first is always written before the last.
    expect(numberIn('z-version')).toBeLessThanOrEqual(numberIn('a-version'));
  }
});

it('a file that grows without an end is told, and not taken half', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'manifest.yaml'), '1');
  appendFileSync(join(folder, 'grows'), 'x');
  await meanwhile(folder, `fs.appendFileSync(at + '/grows', 'x'.repeat(100)); rest(1)`);
  let read = await nextReading(folder);
  // The adversary may pause for a while on a busy machine.
  while (read.ok) read = await nextReading(folder);
  expect(read).toEqual({
    ok: false,
    problem: 'grows: it was changed while the package was read. Wait until nothing writes to it',
  });
});
