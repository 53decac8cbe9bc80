import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareLists } from './compare-lists.js';
import { UNHURRIED } from '../../process/process.test-support.js';
import { listWorkspace } from './workspace-list.js';

describe('what a command changed', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'gatehouse-changes-'));
    writeFileSync(join(root, 'a'), 'a');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const changesOf = async (act: () => void) => {
    const before = await listWorkspace(root, UNHURRIED.list);
    act();
    const { changed, complete } = compareLists(before, await listWorkspace(root, UNHURRIED.list));
    return { changed: changed.map(({ path, change }) => `${change} ${path}`), complete };
  };

  it('is found though size and time of modification are put back', async () => {
    const past = new Date(1000);
    utimesSync(join(root, 'a'), past, past);
    // Until the file system's clock has moved on: some count by several milliseconds.
    const changedAt = (name: string) => lstatSync(join(root, name), { bigint: true }).ctimeNs;
    do writeFileSync(join(root, 'tick'), '');
    while (changedAt('tick') <= changedAt('a'));
    rmSync(join(root, 'tick'));
    const { changed } = await changesOf(() => {
      writeFileSync(join(root, 'a'), 'b');
      utimesSync(join(root, 'a'), past, past);
    });
    expect(changed).toEqual(['modified a']);
  });

  it('includes rights, links and what makes Git run something, but not what tools keep', async () => {
    for (const folder of ['.git/hooks', '.git/objects', 'node_modules/x'])
      mkdirSync(join(root, folder), { recursive: true });
    const { changed } = await changesOf(() => {
      chmodSync(join(root, 'a'), 0o700);
      symlinkSync('/etc', join(root, 'link'));
      for (const file of ['.git/hooks/pre-commit', '.git/config', '.git/objects/o', 'node_modules/x/y']) {
        writeFileSync(join(root, file), '');
      }
    });
    expect(changed).toEqual(['created .git/config', 'created .git/hooks/pre-commit', 'modified a', 'created link']);
  });

  it('does not follow links, nor end in circles', async () => {
    symlinkSync('.', join(root, 'self'));
    const { files, complete } = await listWorkspace(root, UNHURRIED.list);
    expect([...files.keys()].sort()).toEqual(['a', 'self']);
    expect(complete).toBe(true);
  });

  it('says that it is incomplete past its bounds, and then claims nothing it does not know', async () => {
    for (let file = 0; file < 50; file += 1) writeFileSync(join(root, `f${file}`), '');
    const bounds = { maxFiles: 10, maxMs: 10_000 };
    const before = await listWorkspace(root, bounds);
    rmSync(join(root, 'a'));
    writeFileSync(join(root, 'zz'), '');
    const { changed, complete } = compareLists(before, await listWorkspace(root, bounds));
    expect(complete).toBe(false);
    expect(changed.filter(({ change }) => change !== 'modified')).toEqual([]);
    expect((await listWorkspace(root, { maxFiles: 1000, maxMs: -1 })).complete).toBe(false);
  });

  it('does not include Gatehouse’s own data, where that lies in the workspace', async () => {
    mkdirSync(join(root, 'data'));
    writeFileSync(join(root, 'data/journal'), '');
    const { files, folders } = await listWorkspace(root, UNHURRIED.list, [join(root, 'data')]);
    expect([...files.keys(), ...folders.keys()]).toEqual(['a']);
  });

  it('includes names of any bytes, and files called like archives of Electron', async () => {
    mkdirSync(join(root, 'x.asar'));
    writeFileSync(join(root, 'x.asar/in'), '');
    writeFileSync(Buffer.from(`${root}/bad\xff`, 'latin1'), '');
    const { changed } = await changesOf(() => {
      writeFileSync(join(root, 'y.asar'), 'no archive');
      writeFileSync(Buffer.from(`${root}/bad\xff`, 'latin1'), 'changed');
      writeFileSync(join(root, 'x.asar/in'), 'changed');
    });
    expect(changed).toEqual(['modified bad\ufffd', 'modified x.asar/in', 'created y.asar']);
  });

  it('stops at a depth, and says so', async () => {
    mkdirSync(join(root, ...Array.from({ length: 150 }, () => 'd')), { recursive: true });
    const { folders, complete } = await listWorkspace(root, UNHURRIED.list);
    expect(complete).toBe(false);
    expect(folders.size).toBe(101);
  });

  it('is nothing where the workspace is gone', async () => {
    const { files } = await listWorkspace(join(root, 'gone'));
    expect(files.size).toBe(0);
  });
});
