import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { benchWith } from '../../../transaction/bench-with.test-support.js';
import type { Bench } from '../../../transaction/transaction.test-support.js';
import type { CommandGuard } from '../command-guard.js';
import { openGuard } from '../guard-samples.test-support.js';

const GIT = { mayLeave: { git: true, gitCommands: [], named: [] }, writesOutside: true };

let bench: Bench;
const at = (path: string) => join(bench.workspace, path);
const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
    cwd: bench.workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: bench.dataDir, GIT_CONFIG_NOSYSTEM: '1' },
  });

beforeEach(async () => {
  bench = await benchWith({ 'a.txt': { content: 'a\n', mode: 0o644 } });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
});

async function run(guard: CommandGuard, command: () => void, callId = 'call-1') {
  using watch = bench.parts.meanwhile.watch(bench.workspace);
  await guard.begin(callId, bench.workspace, { ...GIT, watch });
  command();
  return guard.end(callId, bench.workspace);
}

function stage(path: string): void {
  const id = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: bench.workspace, input: 'touch pwned\n' });
  git('update-index', '--add', '--cacheinfo', `100644,${id.toString().trim()},${path}`);
}

it('after a crash: what the command left in the index is taken out, and a commit is told', async () => {
  const guard = openGuard(bench);
  using watch = bench.parts.meanwhile.watch(bench.workspace);
  await guard.begin('call-1', bench.workspace, { ...GIT, watch });
  stage('.envrc');
  git('commit', '-qm', 'theirs');
  stage('.mcp.json');
  const { carried } = await openGuard(bench).recover('call-1', bench.workspace);
  expect(carried).toMatchObject({ index: ['.envrc', '.mcp.json'], commits: [{ paths: ['.envrc'] }], complete: true });
  expect(git('diff', '--cached', '--name-status', 'HEAD~1').trim()).toBe('');
  expect(readdirSync(join(bench.dataDir, 'owed-looks'))).toEqual(['commits']);
  // Once is enough.
  expect((await openGuard(bench).recover('call-1', bench.workspace)).carried).toMatchObject({ index: [], commits: [] });
});

it('a list of what is ignored that a command committed counts for nothing after the next start, either', async () => {
  await run(openGuard(bench), () => {
    writeFileSync(at('.gitignore'), '.sly\n');
    git('add', '.');
    git('commit', '-qm', 'theirs');
  });
  const sly = () => writeFileSync(at('.sly'), 'x\n');
  expect((await run(openGuard(bench), sly)).putAside.map(({ path }) => path)).toEqual(['.sly']);
  // A list of commits that can't be read may hold any.
  git('commit', '-qm', 'own', '--allow-empty');
  rmSync(join(bench.dataDir, 'owed-looks/commits'));
  mkdirSync(join(bench.dataDir, 'owed-looks/commits'));
  expect((await run(openGuard(bench), sly)).putAside.map(({ path }) => path)).toEqual(['.sly']);
  rmSync(join(bench.dataDir, 'owed-looks/commits'), { recursive: true });
  expect((await run(openGuard(bench), sly)).putAside).toEqual([]);
});

it('a repository that the command made is looked at whole: its index and what its names lead to', async () => {
  const made = (...words: readonly string[]) => git('-C', 'new', ...words);
  const { carried } = await run(openGuard(bench), () => {
    mkdirSync(at('new/.claude'), { recursive: true });
    made('init', '-q', '-b', 'main');
    writeFileSync(at('new/.claude/settings.json'), '{}');
    made('add', '-A');
    made('commit', '-qm', 'theirs');
    made('branch', 'other');
    rmSync(at('new/.claude/settings.json'));
  });
  expect(carried).toMatchObject({
    index: ['new/.claude/settings.json'],
    commits: [{ parent: null, paths: ['new/.claude/settings.json'] }],
    made: [],
    complete: true,
  });
  expect(made('ls-files')).toBe('');
});

it('refs that can’t be read are said, where one of them may be another', async () => {
  // As Git writes it where refs are kept in tables.
  mkdirSync(at('.git/reftable'));
  const tables = (text: string) => writeFileSync(at('.git/reftable/tables.list'), text);
  tables('0x1-0x1-1.ref\n');
  writeFileSync(at('.git/HEAD'), 'ref: refs/heads/.invalid\n');
  const guard = openGuard(bench);
  expect((await run(guard, () => undefined)).carried.complete).toBe(true);
  const { carried, complete } = await run(guard, () => tables('0x1-0x1-2.ref\n'));
  expect(carried.complete).toBe(false);
  // Of the folder itself nothing is in doubt.
  expect(complete).toBe(true);
});

it('a repository of thousands of refs is not passed over', async () => {
  const head = git('rev-parse', 'HEAD').trim();
  mkdirSync(at('.git/refs/tags/many'), { recursive: true });
  for (let number = 0; number < 5001; number += 1) writeFileSync(at(`.git/refs/tags/many/${number}`), `${head}\n`);
  expect((await run(openGuard(bench), () => undefined)).carried.complete).toBe(false);
  git('pack-refs', '--all', '--prune');
  const { carried } = await run(openGuard(bench), () => {
    stage('.envrc');
    git('commit', '-qm', 'theirs');
  });
  expect(carried).toMatchObject({ commits: [{ paths: ['.envrc'] }], complete: true });
});
