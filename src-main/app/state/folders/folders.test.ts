import { expect, it, vi } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import { makeAsker } from '../../../domain/call/asker.js';
import { defaultConfig } from '../../../tests/gate/default-config.test-support.js';
import { testFolder } from '../../../tests/gate/gate.test-support.js';
import { PathJail } from '../../../workspace/sandbox/path-jail.js';
import { Folders } from './folders.js';

const agent = makeAsker('mcp', 's');
const person = makeAsker('window', 's');

function foldersOf() {
  let config = defaultConfig();
  const own = new Map<string, Config>();
  const folders = new Folders({
    config: (folder) => own.get(folder ?? '') ?? config,
    bounds: () => ({}),
    onRoots: () => undefined,
  });
  const allowing = (...roots: readonly string[]) =>
    defaultConfig({ sandbox: { ...defaultConfig().tools.sandbox, allowed_roots: [...roots] } });
  return {
    folders,
    allow: (...roots: readonly string[]) => void (config = allowing(...roots)),
    allowIn: (folder: string, ...roots: readonly string[]) => void own.set(folder, allowing(...roots)),
  };
}

it('a storm of settings builds the jail twice: while the first is built, the rest wait for one more', async () => {
  const { folders } = foldersOf();
  const folder = testFolder('storm');
  await folders.enter(folder);
  const create = vi.spyOn(PathJail, 'create');
  await Promise.all(Array.from({ length: 1000 }, () => folders.rebuild()));
  expect(create.mock.calls.length).toBeLessThanOrEqual(2);
  expect(folders.situation(folder).sandbox.roots).toHaveLength(1);
  create.mockRestore();
});

it('the jail of one folder is never put in the place of another’s', async () => {
  const { folders } = foldersOf();
  const [one, other] = [testFolder('one'), testFolder('other')];
  await folders.enter(one);
  await Promise.all([folders.rebuild(), folders.enter(other), folders.rebuild()]);
  expect(folders.open).toEqual([one, other]);
  for (const folder of [one, other])
    expect(folders.situation(folder)).toMatchObject({ workspace: folder, isOpen: true, sandbox: { roots: [folder] } });
});

it('where no root can be used any more nothing is reached, and a change that mends it helps', async () => {
  const { folders, allow } = foldersOf();
  const folder = testFolder('gone');
  await folders.enter(folder);
  allow('nowhere');
  await expect(folders.rebuild()).rejects.toThrow(`In ${folder}: `);
  await expect(folders.situation(folder).sandbox.validate('a.txt')).rejects.toThrow('there is no such folder');
  allow('.');
  await folders.rebuild();
  expect(folders.situation(folder).sandbox.roots).toEqual([folder]);
});

it('what is wrong in one folder is wrong in no other', async () => {
  const { folders, allowIn } = foldersOf();
  const [broken, sound] = [testFolder('broken'), testFolder('sound')];
  await folders.enter(broken);
  await folders.enter(sound);
  allowIn(broken, 'nowhere');
  await expect(folders.rebuild()).rejects.toThrow(broken);
  expect(folders.situation(broken).sandbox.roots).toEqual([]);
  expect(folders.situation(sound).sandbox.roots).toEqual([sound]);
});

it('a folder that was closed is closed to all, whatever was being built for it', async () => {
  const { folders } = foldersOf();
  const folder = testFolder('closed');
  await folders.enter(folder);
  const built = folders.rebuild();
  folders.leave(folder);
  await built;
  for (const asker of [agent, person]) expect(folders.situation(folder, asker).isOpen).toBe(false);
  await expect(folders.situation(folder).sandbox.validate('a.txt')).rejects.toThrow('isn’t open');
  expect(folders.open).toEqual([]);
});

it('in a closed folder the person may act for as long as their act takes, and nobody else meanwhile', async () => {
  const { folders } = foldersOf();
  const folder = testFolder('held');
  const isOpenTo = () => [agent, person].map((asker) => folders.situation(folder, asker).isOpen);
  const during = await folders.during(folder, () =>
    folders.during(folder, async () => isOpenTo()).then((inner) => [inner, isOpenTo()]),
  );
  expect(during).toEqual([
    [false, true],
    [false, true],
  ]);
  expect(isOpenTo()).toEqual([false, false]);
  await expect(folders.during(folder, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(isOpenTo()).toEqual([false, false]);
});
