import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../../../process/process.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);
const NAMED = ['.git/config', '.git/config.worktree'];

beforeEach(async () => {
  runner = await openTestRunner();
  const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: runner.workspace });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'n');
  git('config', 'user.email', 'e@x');
  mkdirSync(at('scripts/deep'), { recursive: true });
  writeFileSync(at('scripts/run.sh'), 'exit 1\n', { mode: 0o755 });
  writeFileSync(at('scripts/deep/more.sh'), 'true\n');
  git('add', '.');
  git('commit', '-qm', 'first');
});
afterEach(() => runner[Symbol.asyncDispose]());

async function run(command: string, confinement: 'required' | 'off', named: readonly string[] = []) {
  const ran = await runner.run(command, { settings: { confinement }, mayLeave: { git: true, named } });
  expect(ran.ending, ran.stderr).toMatchObject({ kind: 'exited', code: 0 });
  return { ...ran, aside: ran.putAside.map(({ path, change }) => `${change} ${path}`) };
}

describe.each(['required', 'off'] as const)(
  'what a setting names that was there before, confinement %s',
  (confinement) => {
    it.each([
      ['a folder of hooks', 'git config core.hooksPath scripts'],
      ['a monitor', 'git config core.fsmonitor "sh scripts/run.sh"'],
      ['attributes', 'git config core.attributesFile scripts/run.sh'],
      ['more settings', 'git config include.path ../scripts/run.sh || true'],
    ])('%s stays', async (_, command) => {
      expect(await run(command, confinement, NAMED)).toMatchObject({ aside: [], lookComplete: true });
      expect(readdirSync(at('scripts')).toSorted()).toEqual(['deep', 'run.sh']);
      expect(readFileSync(at('.git/config'), 'utf8')).toContain('scripts');
      // It counts from now on.
      const settings = { confinement };
      await runner.run('echo other > scripts/run.sh', { settings, mayLeave: { git: true } });
      expect(readFileSync(at('scripts/run.sh'), 'utf8')).toBe('exit 1\n');
    });

    it('a hook that sets it leaves no setting, and takes no file', async () => {
      writeFileSync(at('.git/hooks/post-commit'), '#!/bin/sh\ngit config core.hooksPath scripts\n', { mode: 0o755 });
      const ran = await run('git commit -q --allow-empty -m x; echo new > scripts/new.sh', confinement);
      expect(ran).toMatchObject({ aside: ['modified .git/config'], lookComplete: true });
      expect(readdirSync(at('scripts')).toSorted()).toEqual(['deep', 'new.sh', 'run.sh']);
    });

    it('what is new there, and named at once, is quarantined', async () => {
      const ran = await run('echo x > scripts/pre-push; git config core.hooksPath scripts', confinement, NAMED);
      expect(ran).toMatchObject({ aside: ['created scripts/pre-push'], lookComplete: true });
      expect(existsSync(at('scripts/run.sh'))).toBe(true);
      expect(existsSync(at('scripts/pre-push'))).toBe(false);
    });
  },
);
