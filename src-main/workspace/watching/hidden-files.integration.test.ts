import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import type * as fileSystem from '../../platform/files/unpatched-fs.js';
import { HiddenFiles } from './hidden-files.js';

/** The file system, with a clock that goes in steps as that of many does: the newest kernels have finer ones. */
vi.mock('../../platform/files/unpatched-fs.js', async (load) => {
  const { unpatchedFs, ...others } = await load<typeof fileSystem>();
  const lstatSync = (path: string, options: { readonly bigint: true }) => {
    const status = unpatchedFs.lstatSync(path, options);
    for (const time of ['mtimeNs', 'ctimeNs'] as const) status[time] -= status[time] % 40_000_000n;
    return status;
  };
  return { ...others, unpatchedFs: { ...unpatchedFs, lstatSync } };
});

let root: string;
beforeEach(() => (root = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-hidden-')))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('a file of secrets that comes right after a look, within one tick of the file system’s clock, is found by the next', () => {
  const hidden = new HiddenFiles();
  const config = defaultConfig();
  for (let at = 0; at < 200; at += 1) {
    const folder = join(root, String(at));
    mkdirSync(folder);
    expect(hidden.find(folder, config, false)).toEqual([]);
    writeFileSync(join(folder, '.env'), 'KEY=1\n');
    expect(hidden.find(folder, config, false)).toEqual(['.env']);
  }
});
