import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runChild } from '../../../../platform/run-child.test-support.js';
import { createQuarantineStore } from '../../../quarantine/quarantine-store.js';
import { benchWith } from '../../../transaction/bench-with.test-support.js';
import { Bench } from '../../../transaction/transaction.test-support.js';
import { openGuard } from '../guard-samples.test-support.js';

const CHILD = new URL('./killed-command-child.test-support.ts', import.meta.url).pathname;
const EVIL = 'https://evil.example/x.git';
let bench: Bench;
const git = (...words: readonly string[]): string =>
  execFileSync('git', words, {
    cwd: bench.workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: bench.dataDir, GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();

beforeEach(async () => {
  bench = await benchWith({ 'a.txt': { content: 'a\n', mode: 0o644 } });
  git('init', '-q', '-b', 'main');
  git('remote', 'add', 'origin', 'https://good.example/x.git');
});

/** A command that was asked for this, and did that, is broken off by kill -9; the next start looks after it. */
async function killed(asked: readonly (readonly string[])[] | null, ...commands: readonly string[]) {
  const before = readFileSync(join(bench.workspace, '.git/config'), 'utf8');
  expect((await runChild(CHILD, [bench.base, JSON.stringify(asked), ...commands])).killed).toBe(true);
  const after = readFileSync(join(bench.workspace, '.git/config'), 'utf8');
  expect(after, 'it did something').not.toBe(before);
  const next = await Bench.at(bench.base);
  const { putAside, complete } = await openGuard(next).recover('call-1', next.workspace);
  expect(complete).toBe(true);
  expect(next.problems).toEqual([]);
  const view = await createQuarantineStore(next.parts).view('call-1', next.jail);
  const kept = view?.files.map(({ path, after: text }) => [path, text]) ?? [];
  return { aside: putAside.map(({ path, change }) => `${change} ${path}`), kept, before, after };
}

it.each([
  ['the address of a remote', [['commit', '-m', 'x']], `git config remote.origin.url ${EVIL}`],
  ['where it is pushed to', [['push']], `git config remote.origin.pushurl ${EVIL}`],
  ['a remote that is new', [['pull']], `git remote add more ${EVIL}`],
  // Of the command’s own words the addresses are not kept: they may have a password in them.
  ['one that the command itself named', [['remote', 'add', 'more', EVIL]], `git remote add more ${EVIL}`],
  ['an address as the remote of a branch', [['commit']], `git config branch.main.remote ${EVIL}`],
  ['another remote as where branches go', [['commit']], `git config remote.pushDefault ${EVIL}`],
] as const)('%s, written by a command that was killed, is put aside at the next start', async (_, asked, command) => {
  const { aside, kept, before, after } = await killed(asked, command);
  expect(aside).toEqual(['modified .git/config']);
  expect(kept).toEqual([['.git/config', after]]);
  expect(readFileSync(join(bench.workspace, '.git/config'), 'utf8')).toBe(before);
  expect(git('remote', '-v')).not.toContain('evil.example');
});

it.each([
  [
    'a branch that follows a remote of before',
    [['push', '-u', 'origin', 'main']],
    'git config branch.main.remote origin',
  ],
  ['what the person let write to .git', null, `git remote add more ${EVIL}`],
] as const)('%s stays', async (_, asked, command) => {
  const { aside, after } = await killed(asked, command);
  expect(aside).toEqual([]);
  expect(readFileSync(join(bench.workspace, '.git/config'), 'utf8')).toBe(after);
});
