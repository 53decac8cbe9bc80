import { expect, it } from 'vitest';
import type { Folder } from '../../../../domain/commands/reading/folder.js';
import { createCommandReader } from './command-reader.js';

const ROOTS = ['/w'];

/** A folder that a test changes, and a reader of commands in it. */
function open() {
  const has: { files: readonly string[] | null; texts: Record<string, string>; tracked: readonly string[] } = {
    files: ['a.txt', 'b.md'],
    texts: {},
    tracked: ['a.txt'],
  };
  const folderOf = (roots: readonly string[]): Folder => ({
    roots,
    files: () => has.files,
    text: (path) => has.texts[path] ?? null,
    tracked: () => ({ top: '', files: has.tracked }),
  });
  return { has, reader: createCommandReader(undefined, undefined, folderOf) };
}

it('a reading is used again while what it depends on is the same', async () => {
  const { has, reader } = open();
  for (const command of ['ls', 'rm *.txt', 'npm install x', 'git push']) {
    const before = await reader.read(command, ROOTS);
    has.texts['of-nobody.txt'] = command;
    expect(await reader.read(command, ROOTS, before), command).toBe(before);
  }
});

it('a reading is made anew where the folder answers otherwise', async () => {
  const { has, reader } = open();
  const named = (await reader.read('rm *.txt', ROOTS)).analysis.files;
  const before = await reader.read('rm *.txt', ROOTS);
  has.files = ['a.txt', 'b.md', 'c.txt'];
  const anew = await reader.read('rm *.txt', ROOTS, before);
  expect(anew).not.toBe(before);
  expect([named.length, anew.analysis.files.length]).toEqual([1, 2]);
  const install = await reader.read('npm install x', ROOTS);
  has.texts['.npmrc'] = 'registry=https://registry.example/\n';
  const elsewhere = await reader.read('npm install x', ROOTS, install);
  expect(elsewhere.analysis.hosts).toContain('registry.example');
  expect(elsewhere).not.toBe(install);
});

it('a reading is made anew for other words, in other folders, and where it could not be read', async () => {
  const { reader } = open();
  const before = await reader.read('ls', ROOTS);
  expect((await reader.read('ls -l', ROOTS, before)).command).toBe('ls -l');
  expect((await reader.read('ls', ['/w', '/more'], before)).roots).toEqual(['/w', '/more']);
  const broken = createCommandReader(() => ({ runtime: '/nonexistent', grammar: '/nonexistent' }));
  const unread = await broken.read('ls', ROOTS);
  expect(unread.lookedAt).toBeNull();
  expect(await reader.read('ls', ROOTS, unread)).not.toBe(unread);
});
