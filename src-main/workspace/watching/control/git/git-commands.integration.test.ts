import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../../../../process/process.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

beforeEach(async () => void (runner = await openTestRunner()));
afterEach(() => runner[Symbol.asyncDispose]());

/** The person's own Git, outside. */
const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'protocol.file.allow=always', ...words], {
    cwd: runner.workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: runner.outside, GIT_CONFIG_NOSYSTEM: '1' },
  });

/** A repository as with husky: an existing hook runs what is in the workspace, which an agent may change. */
function repository(hook: string, does: string): void {
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'n');
  git('config', 'user.email', 'e@x');
  git('remote', 'add', 'origin', 'https://good.example/x.git');
  writeFileSync(at('a.txt'), 'a\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  git('branch', 'topic');
  writeFileSync(at(`.git/hooks/${hook}`), '#!/bin/sh\nsh ./check.sh\n');
  chmodSync(at(`.git/hooks/${hook}`), 0o755);
  writeFileSync(at('check.sh'), `unset GIT_DIR GIT_INDEX_FILE; touch ran; ${does}; true\n`);
}

async function run(command: string, confinement: 'required' | 'off' = 'required') {
  const ran = await runner.run(command, { settings: { confinement }, mayLeave: { git: true } });
  return { ...ran, aside: ran.putAside.map(({ path, change }) => `${change} ${path}`) };
}

const EVIL = 'https://evil.example/x.git';
const SETTINGS: Readonly<Record<string, string>> = {
  'a remote’s address': `git config remote.origin.url ${EVIL}`,
  'where it is pushed to': `git config remote.origin.pushurl ${EVIL}`,
  'a remote that is new': `git remote add more ${EVIL}`,
  'what is fetched': `git config --add remote.origin.fetch +refs/heads/x:refs/heads/main`,
  'an address as a branch’s remote': `git config branch.main.remote ${EVIL}; git config branch.main.merge refs/heads/main`,
  'where branches are pushed to': `git config remote.pushDefault ${EVIL}`,
  'a core default': 'git config core.bare true',
};

describe.each(['required', 'off'] as const)(
  'a hook that runs what is in the workspace, confinement %s',
  (confinement) => {
    it.each(Object.entries(SETTINGS))('%s: git commit, checkout and pull leave none of it', async (_, does) => {
      repository('pre-commit', does);
      writeFileSync(at('.git/hooks/post-checkout'), readFileSync(at('.git/hooks/pre-commit')), { mode: 0o755 });
      const before = readFileSync(at('.git/config'), 'utf8');
      const committed = await run("git commit --allow-empty -m 'x'", confinement);
      expect(existsSync(at('ran'))).toBe(true);
      expect(committed.aside).toEqual(['modified .git/config']);
      expect(readFileSync(at('.git/config'), 'utf8')).toBe(before);
      const switched = await run('git checkout -q topic', confinement);
      expect(switched.aside).toEqual(['modified .git/config']);
      expect(readFileSync(at('.git/config'), 'utf8')).toBe(before);
    });

    it('what a rebase would do next, and hooks', async () => {
      repository(
        'pre-commit',
        "mkdir -p .git/rebase-merge .git/sequencer; echo 'exec touch pwned' > .git/rebase-merge/git-rebase-todo; echo pick > .git/sequencer/todo; echo x > .git/hooks/post-commit",
      );
      const { aside } = await run("git commit --allow-empty -m 'x'", confinement);
      expect(aside).toEqual([
        'created .git/hooks/post-commit',
        'created .git/rebase-merge/git-rebase-todo',
        'created .git/sequencer/todo',
      ]);
      expect(git('status')).not.toContain('exec');
    });
  },
);

it('a rebase that stops keeps its list, but no command in it', async () => {
  repository('post-checkout', 'true');
  writeFileSync(at('a.txt'), 'b\n');
  git('commit', '-qam', 'second');
  git('-c', 'core.hooksPath=/dev/null', 'checkout', '-q', 'topic');
  writeFileSync(at('a.txt'), 'c\n');
  git('commit', '-qam', 'third');
  writeFileSync(at('b.txt'), 'c\n');
  git('add', 'b.txt');
  git('commit', '-qm', 'fourth');
  const stopped = await run('git rebase main');
  expect(stopped.ending).not.toMatchObject({ kind: 'exited', code: 0 });
  expect(stopped.aside).toEqual([]);
  expect(readFileSync(at('.git/rebase-merge/git-rebase-todo'), 'utf8')).toContain('fourth');
  const aborted = await run('git rebase --abort');
  expect(aborted, aborted.stderr).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
  writeFileSync(at('.git/hooks/pre-rebase'), '#!/bin/sh\nmkdir -p .git/sequencer\n', { mode: 0o755 });
  const picked = await run('git cherry-pick main');
  expect(picked.aside).toEqual([]);
  const ended = await run('git cherry-pick --abort');
  expect(ended, ended.stderr).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
});

it('Git’s ordinary work goes on: remotes, tracking, init, submodules, a sparse checkout', async () => {
  repository('pre-commit', 'true');
  for (const name of ['origin.git', 'sub.git']) git('clone', '-q', '--bare', '.', name);
  mkdirSync(at('fresh'));
  for (const command of [
    'git remote add up ./origin.git',
    'git remote set-url --push up ./sub.git',
    'git remote set-url up ./origin.git',
    'git fetch -q up',
    'git remote rename up upstream',
    'git branch -q --track other upstream/main',
    'git branch -q -m other another',
    'git checkout -q -b one --track upstream/main',
    'git switch -q -c two --track upstream/topic',
    'git pull -q',
    'git push -q -u upstream two',
    'git branch -q -D another',
    'git init -q',
    'cd fresh && git init -q',
    'git sparse-checkout set src',
    'git sparse-checkout disable',
    'git worktree add -q tree',
    'git worktree remove tree',
    'git remote remove upstream',
  ]) {
    const ran = await run(command);
    expect(ran, `${command}: ${ran.stderr}`).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
  }
  git('-c', 'core.hooksPath=/dev/null', 'submodule', '--quiet', 'add', at('sub.git'), 'sub');
  for (const command of ['git submodule sync', 'git submodule deinit -f sub', 'git submodule init']) {
    const ran = await run(command);
    expect(ran, `${command}: ${ran.stderr}`).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
  }
});
