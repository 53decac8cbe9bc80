import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { watchFolder } from './watch-folder.js';

it('tells of whatever changes in it, however it is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gh-watched-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manifest = join(folder, 'manifest.yaml');
  writeFileSync(manifest, '1');
  const heard: (() => void)[] = [];
  let told = 0;
  const watched = watchFolder(folder, () => {
    told += 1;
    heard.splice(0).forEach((each) => each());
  });
  onTestFinished(() => watched.close());
  await watched.ready;
  const next = (): Promise<void> => new Promise((resolve) => heard.push(resolve));
  // Once by itself: what changed before it listened.
  await next();
  for (const change of [
    () => writeFileSync(manifest, '2'),
    () => {
      writeFileSync(join(folder, 'sedXYZ'), '3');
      renameSync(join(folder, 'sedXYZ'), manifest);
    },
    () => mkdirSync(join(folder, 'workers')),
    () => writeFileSync(join(folder, 'workers', 'main.mjs'), '4'),
    () => rmSync(join(folder, 'workers'), { recursive: true }),
  ]) {
    const heardOf = next();
    change();
    await heardOf;
  }
  expect(told).toBeGreaterThanOrEqual(6);
});
