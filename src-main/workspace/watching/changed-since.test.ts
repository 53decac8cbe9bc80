import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { changedSince } from './compare-lists.js';

it('a look at a folder tells what changed since a moment, and where it stopped looking', async () => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-since-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'deep'));
  writeFileSync(join(root, 'old.txt'), 'old');
  writeFileSync(join(root, 'deep/changed.txt'), 'old');
  const before = Math.max(statSync(join(root, 'old.txt')).ctimeMs, statSync(join(root, 'deep/changed.txt')).ctimeMs);
  // Until the file system's clock has moved on: what is written then is later than all above.
  do writeFileSync(join(root, 'new.txt'), 'new');
  while (statSync(join(root, 'new.txt')).ctimeMs <= before);
  rmSync(join(root, 'new.txt'));
  const since = before + 0.001;
  writeFileSync(join(root, 'deep/changed.txt'), 'new');
  writeFileSync(join(root, 'new.txt'), 'new');
  mkdirSync(join(root, 'deep/made'));
  const { changed, complete, createdFolders } = await changedSince(root, since, { maxFiles: 100, maxMs: 60_000 });
  expect(complete).toBe(true);
  expect(createdFolders).toEqual(['deep/made']);
  expect(changed.map(({ path, undoable }) => [path, undoable])).toEqual([
    ['deep/changed.txt', false],
    ['new.txt', false],
  ]);
  expect(await changedSince(root, since, { maxFiles: 1, maxMs: 60_000 })).toMatchObject({ complete: false });
});
