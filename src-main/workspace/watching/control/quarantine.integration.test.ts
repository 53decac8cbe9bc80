import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeaveAllowance } from '../../../domain/sensitive/leave-allowance.js';
import { openTestRunner, type TestRunner } from '../../../process/process.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

beforeEach(async () => void (runner = await openTestRunner()));
afterEach(() => runner[Symbol.asyncDispose]());

/** The person's own Git, outside: whatever it runs writes `pwned`. */
const git = (...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always', ...words], {
    cwd: runner.workspace,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: runner.outside, GIT_CONFIG_NOSYSTEM: '1' },
  });

function repository(): void {
  git('init', '-q', '-b', 'main');
  writeFileSync(at('a.txt'), 'a\n');
  git('add', '.');
  git('commit', '-qm', 'first');
}

async function run(
  command: string,
  mayLeave: Partial<LeaveAllowance> = {},
  confinement: 'required' | 'off' = 'required',
) {
  const ran = await runner.run(command, { settings: { confinement }, mayLeave });
  return { ...ran, aside: ran.putAside.map(({ path, change }) => `${change} ${path}`) };
}

const EVIL = '[core]\\n\\tfsmonitor = touch $HOME/pwned; false\\n';

/** Expects that the person's next ordinary act runs nothing of what was left. */
function expectNothingRan(): void {
  git('status');
  git('commit', '--allow-empty', '-qm', 'next');
  expect(readdirSync(runner.outside)).toEqual([]);
}

it('rights alone that changed are put back: a hook that nobody ran runs otherwise', async () => {
  repository();
  writeFileSync(at('.git/hooks/pre-commit'), '#!/bin/sh\ntouch $HOME/pwned\n', { mode: 0o644 });
  mkdirSync(at('.husky'));
  writeFileSync(at('.husky/pre-push'), 'true\n', { mode: 0o755 });
  const { aside } = await run('chmod +x .git/hooks/pre-commit; chmod a-x .husky/pre-push', {}, 'off');
  expect(aside).toEqual(['modified .git/hooks/pre-commit', 'modified .husky/pre-push']);
  const modes = ['.git/hooks/pre-commit', '.husky/pre-push'].map((path) => lstatSync(at(path)).mode & 0o777);
  expect(modes).toEqual([0o644, 0o755]);
  expectNothingRan();
});

describe.each(['required', 'off'] as const)('what a command leaves, confinement %s', (confinement) => {
  const leave = (command: string) => run(command, {}, confinement);

  it('in .git: commondir, hooks, settings, a todo of rebase', async () => {
    repository();
    await leave(`mkdir -p evil && printf '${EVIL}' > evil/config && echo ../evil > .git/commondir`);
    await leave(`printf '#!/bin/sh\\ntouch $HOME/pwned\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`);
    await leave(`printf '${EVIL}' >> .git/config`);
    await leave(`mkdir -p .git/rebase-merge; echo 'exec touch $HOME/pwned' > .git/rebase-merge/git-rebase-todo`);
    expectNothingRan();
    expect(existsSync(at('.git/commondir'))).toBe(false);
    expect(existsSync(at('.git/rebase-merge/git-rebase-todo'))).toBe(false);
  });

  it('a file that the settings include, and hooks where they say, also through a link', async () => {
    repository();
    mkdirSync(at('hooks-of-team'));
    symlinkSync('hooks-of-team', at('.team'));
    writeFileSync(at('hooks-of-team/readme'), 'mine\n');
    writeFileSync(at('team.gitconfig'), '[user]\n\tname = team\n');
    git('config', 'include.path', '../team.gitconfig');
    git('config', 'core.hooksPath', '.team');
    const left = await leave(
      `printf '${EVIL}' >> team.gitconfig; printf '#!/bin/sh\\ntouch $HOME/pwned\\n' > hooks-of-team/pre-commit; ` +
        'chmod +x hooks-of-team/pre-commit; rm -f .team; mkdir e; cp hooks-of-team/pre-commit e/; ln -s e .team; true',
    );
    expectNothingRan();
    expect(left.aside).toContain('modified .team');
    expect(readlinkSync(at('.team'))).toBe('hooks-of-team');
    expect(readFileSync(at('team.gitconfig'), 'utf8')).toBe('[user]\n\tname = team\n');
    expect(readFileSync(at('hooks-of-team/readme'), 'utf8')).toBe('mine\n');
  });

  it('repositories deeper in the workspace, and a folder that looks like one', async () => {
    mkdirSync(at('sub'));
    execFileSync('git', ['init', '-q', at('sub')]);
    const left = await leave(
      `printf '#!/bin/sh\\n' > sub/.git/hooks/pre-commit; printf '${EVIL}' >> sub/.git/config; ` +
        `mkdir -p d/objects d/refs d/hooks; echo ref: refs/heads/x > d/HEAD; printf '${EVIL}' > d/config; echo x > d/hooks/post-checkout; true`,
    );
    expect(existsSync(at('sub/.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(at('sub/.git/config'), 'utf8')).not.toContain('fsmonitor');
    expect(left.aside).toEqual(expect.arrayContaining(['created d/config', 'created d/hooks/post-checkout']));
    expect(existsSync(at('d/config'))).toBe(false);
    execFileSync('git', ['-C', at('sub'), 'status']);
    expect(left.changedFiles[0]).toMatchObject({ path: 'd', danger: expect.stringContaining('repository') });
  });

  it('tasks, agents, shells, our own settings: new, and otherwise than they were', async () => {
    mkdirSync(at('pkg/.vscode'), { recursive: true });
    writeFileSync(at('pkg/.vscode/tasks.json'), '{}');
    writeFileSync(at('CLAUDE.md'), 'mine\n');
    const left = await leave(
      'mkdir -p .vscode .gatehouse .claude/commands pkg/.idea; echo x > .vscode/tasks.json; echo x > .envrc; echo x > .gatehouse/config.toml; ' +
        'echo x > .mcp.json; echo x > .claude/commands/x.md; echo x > pkg/.idea/workspace.xml; (echo x >> pkg/.vscode/tasks.json) 2>/dev/null; ' +
        'rm -f CLAUDE.md 2>/dev/null; echo x > stays.txt; mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; echo x > .npmrc; true',
    );
    expect(left.aside).toEqual(
      expect.arrayContaining([
        'created .claude/commands/x.md',
        'created .envrc',
        'created .gatehouse/config.toml',
        'created .mcp.json',
        'created .vscode/tasks.json',
        'created pkg/.idea/workspace.xml',
      ]),
    );
    for (const gone of ['.vscode', '.envrc', '.gatehouse', '.mcp.json', '.claude', 'pkg/.idea']) {
      expect(existsSync(at(gone)), gone).toBe(false);
    }
    expect(readFileSync(at('pkg/.vscode/tasks.json'), 'utf8')).toBe('{}');
    expect(readFileSync(at('CLAUDE.md'), 'utf8')).toBe('mine\n');
    expect(existsSync(at('stays.txt'))).toBe(true);
    expect(existsSync(at('.npmrc'))).toBe(true);
    const marked = left.changedFiles.filter(({ danger }) => danger !== undefined).map(({ path }) => path);
    expect(marked.toSorted()).toEqual(['.github/workflows/ci.yml', '.npmrc']);
    expect(
      left.changedFiles
        .slice(0, 2)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(marked.toSorted());
    expect(left.lookComplete).toBe(true);
  });

  it('is quarantined as well when it failed, was stopped, or killed itself', async () => {
    expect((await leave('echo x > .envrc; exit 3')).aside).toEqual(['created .envrc']);
    expect((await leave('echo x > .envrc; kill -9 $$')).aside).toEqual(['created .envrc']);
    const stop = new AbortController();
    const ran = await runner.run('echo x > .envrc; echo begun; sleep 60', {
      settings: { confinement },
      signal: stop.signal,
      onOutput: async () => stop.abort(),
    });
    expect(ran.ending.kind).toBe('stopped');
    expect(ran.putAside).toEqual([{ path: '.envrc', change: 'created' }]);
    expect(existsSync(at('.envrc'))).toBe(false);
  });

  it('stays where the approved sheet named it, and only that', async () => {
    writeFileSync(at('.envrc'), 'mine\n');
    const left = await run(
      'echo x >> .envrc; mkdir .vscode; echo x > .vscode/tasks.json',
      { named: ['.envrc'] },
      confinement,
    );
    expect(left.aside).toEqual(['created .vscode/tasks.json']);
    expect(readFileSync(at('.envrc'), 'utf8')).toBe('mine\nx\n');
  });

  it('is nothing below what tools made', async () => {
    const left = await leave(
      'mkdir -p node_modules/x/.vscode .venv/lib; echo x > node_modules/x/.vscode/tasks.json; echo x > .venv/lib/sitecustomize.py',
    );
    expect(left.aside).toEqual([]);
    expect(existsSync(at('node_modules/x/.vscode/tasks.json'))).toBe(true);
  });

  it('is found in odd places: a pipe, names that are no text, a folder that nobody may read, thousands of files', async () => {
    const odd = await leave(
      'mkfifo .envrc; mkdir -p "$(printf \'b\\377d\')"; mkdir -p many/.vscode; cd many/.vscode; for i in $(seq 2000); do : > f$i; done',
    );
    expect(odd.aside).toContain('created .envrc');
    expect(existsSync(at('.envrc'))).toBe(false);
    expect(odd.putAside).toHaveLength(2001);
    expect(existsSync(at('many/.vscode'))).toBe(false);
    expect(odd.lookComplete).toBe(true);
  });

  it('counts what became one: settings that were there before the folder was a repository', async () => {
    const first = await leave(`mkdir -p d/objects d/refs; printf '${EVIL}' > d/config`);
    expect(first.aside).toEqual([]);
    const second = await leave('echo ref: refs/heads/x > d/HEAD');
    expect(second.aside).toEqual(['created d/config']);
    expect(existsSync(at('d/config'))).toBe(false);
  });

  it('is quarantined where its path is no text, and nothing is in doubt', async () => {
    const left = await leave(`f="$(printf 'b\\377d')/.vscode"; mkdir -p "$f"; echo x > "$f/tasks.json"`);
    expect(left.aside).toEqual(['created b\ufffdd/.vscode/tasks.json']);
    expect(left.lookComplete).toBe(true);
    expect(runner.watch.isInDoubt(runner.workspace)).toBe(false);
  });

  it('counts a link in the place of a folder that leads to such a place', async () => {
    const left = await leave(
      'mkdir -p x/systemd/user; echo x > x/systemd/user/a.service; ln -s x .config; ln -s x/systemd .vscode; ln -s nowhere .envrc',
    );
    expect(left.aside).toEqual(['created .config', 'created .envrc', 'created .vscode']);
    expect(existsSync(at('x/systemd/user/a.service'))).toBe(true);
    expect(() => lstatSync(at('.vscode'))).toThrow();
  });

  it('can be put back as the command left it', async () => {
    const { bench } = runner;
    writeFileSync(at('.envrc'), 'mine\n');
    await run(
      'chmod 700 .envrc; mkdir .claude; printf "a\\0b" > .claude/x; ln -s y .claude/l; rm -f .envrc',
      { named: ['other'] },
      'off',
    );
    const callId = runner.lastCall();
    const aside = runner.aside;
    expect(readFileSync(at('.envrc'), 'utf8')).toBe('mine\n');
    const view = await aside.view(callId, bench.jail);
    expect(view?.files.map(({ path, change, possible }) => [path, change, possible])).toEqual([
      ['.claude/l', 'created', true],
      ['.claude/x', 'created', true],
      ['.envrc', 'deleted', true],
    ]);
    expect(view?.files[2]).toMatchObject({ before: 'mine\n', after: null, what: expect.stringContaining('shell') });
    const transaction = bench.transactions.begin('back');
    await aside.stage({ callId, paths: null, sandbox: bench.jail, transaction });
    await transaction.commit();
    await transaction.settle();
    expect(readFileSync(at('.claude/x'), 'utf8')).toBe('a\0b');
    expect(readlinkSync(at('.claude/l'))).toBe('y');
    expect(existsSync(at('.envrc'))).toBe(false);
    expect((await leave('true')).aside).toEqual([]);
  });

  it('says where a set-id program was made, first of all', async () => {
    const { changedFiles } = await leave('echo a > a.txt; cp /bin/true s; chmod 4755 s; echo b > b.txt');
    expect(changedFiles[0]).toMatchObject({ path: 's', danger: expect.stringContaining('set-id') });
  });

  it('of two commands at once: what neither may leave goes, and what a file tool wrote meanwhile stays', async () => {
    const first = leave('until [ -e go ]; do sleep 0.05; done; echo x > .envrc');
    while (runner.started() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    const { bench } = runner;
    await bench.change('tool', { '.mcp.json': [null, '{}'] });
    expect((await leave('echo x > .bashrc')).aside).toEqual(['created .bashrc']);
    writeFileSync(at('go'), '');
    expect((await first).aside).toEqual(['created .envrc']);
    expect(readFileSync(at('.mcp.json'), 'utf8')).toBe('{}');
  });
});

describe('.git is read-only to what is not Git', () => {
  it('a script that runs git fails, and an approved git command works', async () => {
    repository();
    writeFileSync(at('b.txt'), 'b\n');
    writeFileSync(at('commit.sh'), 'git add b.txt && git -c user.name=n -c user.email=e@x commit -qm b\n');
    const byScript = await run('sh commit.sh');
    expect(byScript.ending).toMatchObject({ kind: 'exited', code: 128 });
    expect(byScript.stderr).toContain('Read-only file system');
    const byGit = await run('git add b.txt && git -c user.name=n -c user.email=e@x commit -qm b', { git: true });
    expect(byGit, byGit.stderr).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
    expect(git('log', '--oneline').trim().split('\n')).toHaveLength(2);
  });

  it('remote add, pull, branches and clone leave what Git writes by itself; a hook or a program in the settings does not stay', async () => {
    repository();
    git('clone', '-q', '.', join(runner.workspace, 'origin'));
    for (const command of [
      'git remote add up ./origin',
      'git fetch -q up',
      'git checkout -q -b topic --track up/main',
      'git pull -q',
      'git clone -q ./origin copy',
      'git worktree add -q tree',
      'git init -q fresh',
    ]) {
      const ran = await run(command, { git: true });
      expect(ran, `${command}: ${ran.stderr}`).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
    }
    expect(git('remote').trim()).toBe('up');
    expect(git('-C', 'copy', 'remote').trim()).toBe('origin');
    expect(git('-C', 'tree', 'status')).toContain('tree');
    const before = readFileSync(at('.git/config'), 'utf8');
    const left = await run('git config core.fsmonitor "touch $HOME/pwned"; echo x > .git/hooks/post-merge', {
      git: true,
    });
    expect(left.aside).toEqual(['modified .git/config', 'created .git/hooks/post-merge']);
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(before);
  });

  it('a repository that is gone is gone whole', async () => {
    repository();
    git('clone', '-q', '.', join(runner.workspace, 'copy'));
    expect((await run('rm -rf copy')).ending).not.toMatchObject({ kind: 'exited', code: 0 });
    expect(git('-C', 'copy', 'status')).toContain('main');
    const gone = await run('rm -rf copy', { git: true });
    expect(gone).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
    expect(existsSync(at('copy'))).toBe(false);
  });

  it('a link in the place of .git is followed to what it means', async () => {
    repository();
    git('config', 'core.hooksPath', 'my-hooks');
    mkdirSync(at('my-hooks'));
    execFileSync('mv', [at('.git'), at('store')]);
    symlinkSync('store', at('.git'));
    const left = await run(
      'echo x > my-hooks/pre-commit; echo x > store/hooks/pre-push; rm .git; mkdir other; ln -s other .git',
      {},
      'off',
    );
    expect(left.aside).toEqual(['modified .git', 'created my-hooks/pre-commit', 'created store/hooks/pre-push']);
    expect(readlinkSync(at('.git'))).toBe('store');
    expect(git('status')).toContain('main');
  });

  it('a scaffolder that makes a repository, ignores files and brings tasks works; only the tasks wait', async () => {
    writeFileSync(
      at('create.sh'),
      'mkdir app && cd app && git init -q && echo node_modules > .gitignore && mkdir .vscode && echo {} > .vscode/settings.json && echo {} > package.json && ' +
        'git add . && git -c user.name=n -c user.email=e@x commit -qm first\n',
    );
    const ran = await run('sh create.sh');
    expect(ran, ran.stderr).toMatchObject({ ending: { kind: 'exited', code: 0 } });
    expect(ran.aside).toEqual(['created app/.vscode/settings.json']);
    expect(ran.changedFiles[0]).toMatchObject({ path: 'app/.git', danger: expect.any(String) });
    expect(git('-C', 'app', 'log', '--oneline').trim()).toMatch(/first$/u);
  });
});
