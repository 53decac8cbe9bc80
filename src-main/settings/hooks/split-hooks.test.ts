import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigStore } from '../config-store.js';

function storeOf(text: string): { readonly store: ConfigStore; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-hooks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'config.toml'), text);
  return { store: new ConfigStore(join(folder, 'config.toml')), folder };
}

const GOOD = '[[hooks]]\nname = "good"\nwhen = "before"\ncommand = ["true"]\n';

it('takes hooks as they stand', () => {
  const { store } = storeOf(
    `${GOOD}\n[[hooks]]\nname = "log it"\nwhen = "after"\ntools = ["read_file", "x.*"]\ncommand = ["node", "log.js"]\ntimeout_seconds = 1.5\n`,
  );
  expect(store.notices).toEqual([]);
  expect(store.own.hooks).toEqual([
    { name: 'good', when: 'before', command: ['true'] },
    { name: 'log it', when: 'after', tools: ['read_file', 'x.*'], command: ['node', 'log.js'], timeout_seconds: 1.5 },
  ]);
});

it('refuses a wrong one alone, by file, line and reason, and says what follows', () => {
  const { store, folder } = storeOf(
    `# mine\n${GOOD}\n[[hooks]]\nname = "typo"\nwhen = "before"\ntools = ["read_file"]\ntimout_seconds = 3\ncommand = ["x"]\n\n[[hooks]]\nname = "good"\nwhen = "after"\ncommand = ["x"]\n[tools]\nmode = "parse_only"\n`,
  );
  expect(store.problem).toBeNull();
  expect(store.own.tools.mode).toBe('parse_only');
  expect(store.own.hooks.map(({ name }) => name)).toEqual(['good']);
  const file = join(folder, 'config.toml');
  expect(store.refusedHooks).toEqual([
    {
      name: 'typo',
      when: 'before',
      tools: ['read_file'],
      onFailure: 'deny',
      file,
      line: 11,
      reason: 'it has “timout_seconds”, which is not known here.',
    },
    {
      name: 'good',
      when: 'after',
      tools: ['*'],
      onFailure: 'deny',
      file,
      line: 15,
      reason: 'another hook is called “good”. Give each a name of its own.',
    },
  ]);
  expect(store.notices.map(({ title, text }) => [title, text])).toEqual([
    [
      'The hook “typo” can’t be used',
      `${file}, line 11: it has “timout_seconds”, which is not known here. Until this is fixed, calls to read_file are denied.`,
    ],
    [
      'The hook “good” can’t be used',
      `${file}, line 15: another hook is called “good”. Give each a name of its own. It doesn’t run until this is fixed. Your other hooks go on.`,
    ],
  ]);
});

it('takes on_failure in a hook that runs after calls, where it changes nothing', () => {
  const { store } = storeOf('[[hooks]]\nname = "a"\nwhen = "after"\ncommand = ["x"]\non_failure = "deny"\n');
  expect(store.own.hooks).toMatchObject([{ name: 'a', when: 'after' }]);
  expect(store.notices).toEqual([]);
});

it.each([
  ['when = "before"\ncommand = ["x"]', /name/, 'before', 'deny', 1],
  ['name = "a"\nwhen = "during"\ncommand = ["x"]', /when must be one of: before, after/, null, 'deny', 3],
  ['name = "a"\nwhen = "before"\ncommand = []', /command/, 'before', 'deny', 4],
  ['name = "a"\nwhen = "before"\ncommand = [""]', /begin with a program/, 'before', 'deny', 4],
  ['name = "a"\nwhen = "before"\ncommand = "x"', /command/, 'before', 'deny', 4],
  ['name = "a"\nwhen = "before"\ncommand = ["x"]\ntools = []', /tools/, 'before', 'deny', 5],
  [
    'name = "a"\nwhen = "before"\ncommand = ["x"]\non_failure = "ignore"\ntimeout_seconds = 0',
    /timeout_seconds/,
    'before',
    'ignore',
    6,
  ],
  ['name = "a\\nb"\nwhen = "before"\ncommand = ["x"]', /name/, 'before', 'deny', 2],
])('refuses %j', (text, reason, when, onFailure, line) => {
  const { store } = storeOf(`[[hooks]]\n${text}\n`);
  expect(store.own.hooks).toEqual([]);
  expect(store.refusedHooks).toMatchObject([{ when, onFailure, line, reason: expect.stringMatching(reason) }]);
});

it('takes none from a folder', () => {
  const { store, folder } = storeOf('');
  const workspace = join(folder, 'work');
  mkdirSync(join(workspace, '.gatehouse'), { recursive: true });
  writeFileSync(join(workspace, '.gatehouse', 'config.toml'), GOOD);
  store.openFolder(workspace);
  expect([store.forFolder(workspace).config.hooks, store.own.hooks, store.refusedHooks]).toEqual([[], [], []]);
  expect(store.notices.map(({ details }) => details)).toEqual([expect.stringContaining('your own file only')]);
});
