import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../../../../process/process.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

/** The person's own Git, outside. */
const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...words], {
    cwd: runner.workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: runner.outside, GIT_CONFIG_NOSYSTEM: '1' },
  });

beforeEach(async () => {
  runner = await openTestRunner();
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'n');
  git('config', 'user.email', 'e@x');
  writeFileSync(at('a.txt'), 'a\n');
  writeFileSync(at('CLAUDE.md'), 'mine\n');
  git('add', '.');
  git('commit', '-qm', 'first');
});
afterEach(() => runner[Symbol.asyncDispose]());

async function run(command: string, named: readonly string[] = []) {
  const ran = await runner.run(command, { settings: { confinement: 'required' }, mayLeave: { git: true, named } });
  expect(ran.ending, ran.stderr).toMatchObject({ kind: 'exited', code: 0 });
  return { ...ran, carried: ran.carried ?? { index: [], commits: [], made: [], complete: false } };
}

const PATCH = `diff --git a/.envrc b/.envrc
new file mode 100644
--- /dev/null
+++ b/.envrc
@@ -0,0 +1 @@
+touch pwned
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+b
`;
const staged = () => git('diff', '--cached', '--name-status').trim().split('\n');

describe('what Git carries past the working tree', () => {
  it.each([
    ['a patch to the index', 'git apply --cached own.patch', ['A\tb.txt']],
    [
      'an entry by its name',
      'git update-index --add --cacheinfo 100644,$(git hash-object -w own.patch),.envrc && git add b.txt',
      ['A\tb.txt'],
    ],
    ['a file that is added and taken away', 'echo x > .envrc && git add -f .envrc b.txt && rm .envrc', ['A\tb.txt']],
    [
      'one that was there, otherwise',
      'git update-index --cacheinfo 100644,$(git hash-object -w own.patch),CLAUDE.md && git add b.txt',
      ['A\tb.txt'],
    ],
  ])('%s: taken out of the index, the rest stays', async (_, command, left) => {
    writeFileSync(at('own.patch'), PATCH);
    if (!command.includes('apply')) writeFileSync(at('b.txt'), 'b\n');
    const { carried } = await run(command);
    expect(carried).toEqual({
      index: [command.includes('CLAUDE') ? 'CLAUDE.md' : '.envrc'],
      commits: [],
      made: [],
      complete: true,
    });
    expect(staged()).toEqual(left);
    expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    git('commit', '-qm', 'next');
    expect(git('show', 'HEAD:CLAUDE.md')).toBe('mine\n');
  });

  it('read-tree of a tree of its own', async () => {
    writeFileSync(at('own.patch'), PATCH);
    const { carried } = await run(
      'B=$(git hash-object -w own.patch); T=$(printf "100644 blob $B\\t.mcp.json\\n" | git mktree); git read-tree $T',
    );
    expect(carried.index).toEqual(['.mcp.json']);
    expect(git('ls-files')).not.toContain('.mcp.json');
  });

  it('a commit that holds one is told, with what it was made on', async () => {
    writeFileSync(at('own.patch'), PATCH);
    const first = git('rev-parse', 'HEAD').trim();
    const { carried } = await run('git apply --cached own.patch && git commit -qm x');
    expect(carried).toEqual({
      index: ['.envrc'],
      commits: [{ id: git('rev-parse', 'HEAD').trim(), parent: first, paths: ['.envrc'] }],
      made: [git('rev-parse', 'HEAD').trim()],
      complete: true,
    });
    expect(existsSync(at('.envrc'))).toBe(false);
  });

  it.each([
    [
      'on another branch',
      'git apply --cached own.patch && git checkout -q -b x && git commit -qm x && git checkout -q -f main',
    ],
    ['that is tagged', 'git apply --cached own.patch && git tag v1 $(git commit-tree -m x -p HEAD $(git write-tree))'],
    ['that is packed', 'git apply --cached own.patch && git commit -qm x && git gc -q --prune=now'],
    [
      'that a merge brings',
      'git apply --cached own.patch && git checkout -q -b x && git commit -qm x && git checkout -qf main && git merge -q --no-ff -m m x',
    ],
  ])('a commit %s', async (_, command) => {
    writeFileSync(at('own.patch'), PATCH);
    const { carried } = await run(command);
    expect(carried.commits.map(({ paths }) => paths)).toEqual([['.envrc']]);
    expect(carried.complete).toBe(true);
  });

  it('a hook’s commit counts as well', async () => {
    writeFileSync(at('own.patch'), PATCH);
    writeFileSync(at('.git/hooks/post-checkout'), '#!/bin/sh\ngit apply --cached own.patch\n');
    chmodSync(at('.git/hooks/post-checkout'), 0o755);
    expect((await run('git checkout -q -b y')).carried.index).toEqual(['.envrc']);
  });

  it('what the person has, or let be, is theirs to commit', async () => {
    writeFileSync(at('CLAUDE.md'), 'mine, changed\n');
    mkdirSync(at('.github/workflows'), { recursive: true });
    writeFileSync(at('.github/workflows/ci.yml'), 'on: push\n');
    const clean = { index: [], commits: [], complete: true };
    expect((await run('git add -A && git commit -qm theirs')).carried).toMatchObject(clean);
    expect(
      (await run('echo y > .envrc && git add -f .envrc && git commit -qm named', ['.envrc'])).carried,
    ).toMatchObject(clean);
    git('checkout', '-q', '-b', 'old', 'HEAD~1');
    expect((await run('git checkout -q main')).carried).toMatchObject(clean);
    expect((await run('git checkout -q old && git merge -q main')).carried).toMatchObject(clean);
    expect((await run('git cherry-pick --allow-empty --keep-redundant-commits main; true')).carried.commits).toEqual(
      [],
    );
    expect(readFileSync(at('CLAUDE.md'), 'utf8')).toBe('mine, changed\n');
  });

  it.each([
    ['a dot name that no list knows', 'git apply --cached own.patch', ['.some-tool/settings.json']],
    [
      'a link where a place of the table begins',
      'git update-index --add --cacheinfo 120000,$(printf conf | git hash-object -w --stdin),.config',
      ['.config'],
    ],
  ])('%s counts as it does in the folder', async (_, command, paths) => {
    writeFileSync(at('own.patch'), PATCH.replaceAll('.envrc', '.some-tool/settings.json'));
    const { carried } = await run(`${command} && git commit -qm x`);
    expect(carried).toMatchObject({ index: paths, commits: [{ paths }], complete: true });
  });

  it('one that was there before goes on as it did', async () => {
    mkdirSync(at('.some-tool'));
    writeFileSync(at('.some-tool/old'), 'old\n');
    git('add', '.');
    git('commit', '-qm', 'theirs');
    writeFileSync(at('own.patch'), PATCH.replaceAll('.envrc', '.some-tool/settings.json'));
    const { carried } = await run('git apply --cached own.patch && git commit -qm x');
    expect(carried).toMatchObject({ index: [], commits: [], complete: true });
  });

  it('what is stashed twice over is told, and what a working tree holds that is new', async () => {
    writeFileSync(at('own.patch'), PATCH);
    const stashed = await run('git apply --cached own.patch; git stash -q; echo more >> a.txt; git stash -q');
    expect(stashed.carried.commits.flatMap(({ paths }) => paths)).toContain('.envrc');
    const tree = 'git worktree add -q --detach wt && git -C wt apply --cached ../own.patch && git -C wt commit -qm x';
    const { carried } = await run(tree);
    expect(carried).toMatchObject({ index: ['wt/.envrc'], commits: [{ paths: ['wt/.envrc'] }], complete: true });
  });

  it('in a folder that is a working tree of a repository outside as well', async () => {
    const folder = join(runner.outside, 'tree');
    git('worktree', 'add', '-q', folder);
    writeFileSync(join(folder, 'own.patch'), PATCH);
    const ran = await runner.run('git apply --cached own.patch && git commit -qm x', {
      settings: { confinement: 'required' },
      workingDirectory: folder,
      mayLeave: { git: true },
    });
    expect(ran.carried).toMatchObject({ index: ['.envrc'], commits: [{ paths: ['.envrc'] }], complete: true });
    expect(git('-C', folder, 'diff', '--cached', '--name-status').trim()).toBe('D\t.envrc');
    // The person's own, and what was there, is nothing of it.
    const plain = await runner.run('git checkout -q -b z HEAD~1', {
      settings: { confinement: 'required' },
      workingDirectory: folder,
      mayLeave: { git: true },
    });
    expect(plain.carried).toMatchObject({ index: [], commits: [], complete: true });
  });

  it('somebody else’s lock: not taken out, and said', async () => {
    writeFileSync(at('own.patch'), PATCH);
    const { carried } = await run('git apply --cached own.patch; touch .git/index.lock');
    expect(carried).toMatchObject({ index: [], complete: false });
  });
});
