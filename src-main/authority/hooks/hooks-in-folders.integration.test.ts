import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import { openTestHooks } from './hooks.test-support.js';
import { programs, judge, workspace, DENIES } from './persons-hooks.test-support.js';

/** A hook in an open folder that sources a file beside it, as it was when its setting was read. */
function hookInFolder(rules: string) {
  const made = openTestHooks(programs.held);
  const folder = workspace();
  const [file, lib] = [join(folder, 'hook/hook.sh'), join(folder, 'hook/rules.sh')];
  mkdirSync(join(folder, 'hook'));
  writeFileSync(file, '. "$(dirname "$0")/rules.sh"');
  writeFileSync(lib, rules);
  made.openFolders = [folder];
  const hook: HookSettings = { name: 'ours', when: 'before', command: ['sh', file], timeout_seconds: 60 };
  made.settings = [hook];
  made.hooks.acceptFiles();
  return { made, folder, file, lib, hook };
}

const ALLOWS = 'echo \'{"decision":"allow"}\'';

it('all that it loads in an open folder counts by what it was when its setting was read: changed, it is not run, and asks', async () => {
  const { made, folder, file, lib } = hookInFolder(DENIES);
  expect((await judge(made, folder)).verdict.kind).toBe('deny');
  const whole = join(folder, 'hook');
  for (const change of [() => writeFileSync(lib, ALLOWS), () => writeFileSync(file, ALLOWS)]) {
    change();
    const { runs, verdict } = await judge(made, folder);
    expect(runs).toMatchObject([{ failed: `its file ${whole} is not the one that you accepted`, ms: 0 }]);
    expect(verdict).toMatchObject({
      kind: 'ask',
      words: expect.stringContaining('changed'),
      rule: { id: 'hook:ours' },
    });
    writeFileSync(lib, DENIES);
    writeFileSync(file, '. "$(dirname "$0")/rules.sh"');
    expect((await judge(made, folder)).verdict.kind, 'as it was accepted').toBe('deny');
  }
  // Removed, it is not the one that was accepted either; and its folder need not be open for that.
  made.openFolders = [];
  expect((await judge(made, folder)).verdict.kind).toBe('deny');
  writeFileSync(lib, ALLOWS);
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
  rmSync(join(folder, 'hook'), { recursive: true });
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
});

it('is never accepted for being looked at: a place that came later asks until the person says yes', async () => {
  const made = openTestHooks(programs.held);
  const folder = workspace();
  const file = join(folder, 'later.sh');
  made.openFolders = [folder];
  const hook: HookSettings = { name: 'ours', when: 'before', command: ['sh', file], timeout_seconds: 60 };
  made.settings = [hook];
  // Nobody was there when the setting was read.
  made.hooks.acceptFiles();
  writeFileSync(file, ALLOWS);
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
  // Nor does the next start take what an agent put there.
  made.hooks.acceptFiles();
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
  const [shown] = made.hooks.inspectCommand(hook).files;
  expect(shown).toMatchObject({ path: file, state: 'changed' });
  made.accepted.accept('ours', hook.command, file, shown?.digest ?? '');
  expect((await judge(made, folder)).verdict.kind).toBe('nothing');

  // Its folder is opened later: what stands there then, before any call, is what was meant.
  const other = hookInFolder(DENIES);
  other.made.openFolders = [];
  other.made.settings = [{ ...other.hook, name: 'another' }];
  other.made.hooks.acceptFiles();
  writeFileSync(other.lib, ALLOWS);
  other.made.openFolders = [other.folder];
  other.made.hooks.acceptFiles();
  expect((await judge(other.made, other.folder)).verdict.kind).toBe('nothing');
  writeFileSync(other.lib, DENIES);
  expect((await judge(other.made, other.folder)).verdict.kind).toBe('ask');
});

it('is accepted by no mark that makes it a part of a larger place, nor by one that is gone', async () => {
  const made = openTestHooks(programs.held);
  const folder = workspace();
  const [file, mark] = [join(folder, 'ops/hook/hook.sh'), join(folder, 'ops/package.json')];
  mkdirSync(join(folder, 'ops/hook'), { recursive: true });
  writeFileSync(file, DENIES);
  made.openFolders = [folder];
  made.settings = [{ name: 'ours', when: 'before', command: ['sh', file], timeout_seconds: 60 }];
  made.hooks.acceptFiles();
  expect((await judge(made, folder)).verdict.kind).toBe('deny');
  writeFileSync(file, ALLOWS);
  writeFileSync(mark, '{}');
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
  // The next start, or a folder that is opened.
  made.hooks.acceptFiles();
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
  const [hook] = made.settings;
  const [shown] = hook === undefined ? [] : made.hooks.inspectCommand(hook).files;
  expect(shown).toMatchObject({ path: join(folder, 'ops'), state: 'changed' });
  made.accepted.accept('ours', hook?.command ?? [], shown?.path ?? '', shown?.digest ?? '');
  expect((await judge(made, folder)).verdict.kind).toBe('nothing');

  rmSync(mark);
  writeFileSync(file, `${ALLOWS} # another`);
  made.hooks.acceptFiles();
  expect((await judge(made, folder)).verdict.kind).toBe('ask');
});

it('what is only looked up when it runs is said, and asks nobody', async () => {
  const made = openTestHooks(programs.held);
  made.settings = [{ name: 'ours', when: 'before', command: ['sh', '-c', ALLOWS], timeout_seconds: 60 }];
  const [hook] = made.settings;
  const shown = hook === undefined ? null : made.hooks.inspectCommand(hook);
  expect(shown).toMatchObject({ asks: null, notPinned: [{ byTools: false }] });
  expect((await judge(made)).verdict.kind).toBe('nothing');
});

it('runs from the copy of what was accepted, a program itself too', async () => {
  const made = openTestHooks(programs.held);
  const folder = workspace();
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\nprintf \'{"decision":"ask","reason":"%s"}\' "$0"');
  chmodSync(program, 0o755);
  made.openFolders = [folder];
  made.settings = [{ name: 'program', when: 'before', command: [program] }];
  made.hooks.acceptFiles();
  const [run] = (await judge(made, folder)).runs;
  expect(run).toMatchObject({ decision: 'ask', reason: expect.stringContaining('program-copies') });
  expect(readFileSync(program, 'utf8')).toContain('#!/bin/sh');
});

it('whose words are no path, or whose start throws, fails as its settings say', async () => {
  const made = openTestHooks(programs.held);
  made.settings = [
    {
      name: 'long',
      when: 'before',
      command: ['sh', '-c', `cat >/dev/null; : ${'x'.repeat(5000)}`],
      timeout_seconds: 60,
    },
  ];
  expect((await judge(made)).verdict.kind).toBe('nothing');
  for (const [onFailure, kind] of [
    ['deny', 'deny'],
    ['ignore', 'nothing'],
  ] as const) {
    const throwing = openTestHooks(() => Promise.reject(new Error('no process to be had')));
    throwing.settings = [throwing.script('says', 'cat', { on_failure: onFailure })];
    const { runs, verdict } = await judge(throwing);
    expect(runs).toMatchObject([{ failed: 'it could not be started (no process to be had)' }]);
    expect(verdict.kind).toBe(kind);
  }
});
