import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../../../process/process.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

beforeEach(async () => void (runner = await openTestRunner()));
afterEach(() => runner[Symbol.asyncDispose]());

/** The person's own Git, outside: whatever it runs writes `pwned`. Where it fails, what it ran still counts. */
function git(...words: readonly string[]): void {
  try {
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
      cwd: runner.workspace,
      stdio: 'pipe',
      env: { PATH: process.env['PATH'], HOME: runner.outside, GIT_CONFIG_NOSYSTEM: '1' },
    });
  } catch (error) {
    if (words[0] !== 'status') throw error;
  }
}

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  }
}

const EVIL = '[core]\\n\\tfsmonitor = touch $HOME/pwned; false\\n';
const HOOK = "'#!/bin/sh\\ntouch $HOME/pwned\\n'";

const expectNothingRan = (): void => expect(readdirSync(runner.outside)).toEqual([]);

describe.each(['required', 'off'] as const)('the whole that holds the root, confinement %s', (confinement) => {
  async function leave(command: string, workingDirectory = runner.workspace) {
    const ran = await runner.run(command, { settings: { confinement }, workingDirectory });
    return { ...ran, aside: ran.putAside.map(({ path, change }) => `${change} ${path}`).toSorted() };
  }

  it('A1: the root itself becomes no repository', async () => {
    const left = await leave(
      `mkdir objects refs hooks; echo 'ref: refs/heads/main' > HEAD; printf ${HOOK} > hooks/post-checkout; ` +
        `printf '[core]\\n\\trepositoryformatversion=0\\n\\tbare=false\\n\\tworktree=.\\n${EVIL}' > config`,
    );
    expect(left.aside).toEqual(['created config', 'created hooks/post-checkout']);
    expect(left.changedFiles[0]).toMatchObject({ path: '.', danger: expect.stringContaining('repository') });
    git('status');
    expectNothingRan();
    expect((await leave(`printf '${EVIL}' > config`)).aside).toEqual(['created config']);
  });

  it('A3: a root in .git is looked at as what it is in the repository', async () => {
    git('init', '-q');
    write({ 'a.txt': 'a' });
    const config = readFileSync(at('.git/config'), 'utf8');
    await leave(`printf '${EVIL}' >> config; printf ${HOOK} > hooks/pre-commit; chmod +x hooks/*`, at('.git'));
    expect(readFileSync(at('.git/config'), 'utf8')).toBe(config);
    expect(existsSync(at('.git/hooks/pre-commit'))).toBe(false);
    const hook = await leave(`printf ${HOOK} > post-index-change; chmod +x post-index-change`, at('.git/hooks'));
    expect(hook.aside).toEqual(['created post-index-change']);
    const info = await leave('echo "* filter=x" > attributes; echo x > other', at('.git/info'));
    expect(info.aside).toEqual(['created attributes']);
    git('add', '.');
    git('status');
    expectNothingRan();
  });

  it('A3: a root in what steers another program, and one that begins such a place', async () => {
    git('init', '-q');
    write({ '.claude/hooks/x.sh': 'x', '.github/x': 'x' });
    expect((await leave('echo y > y.sh; mkdir .git d; echo y > d/y', at('.claude/hooks'))).aside).toEqual([
      'created d/y',
      'created y.sh',
    ]);
    expect(
      (await leave('mkdir prompts; echo y > prompts/y; echo y > copilot-instructions.md', at('.github'))).aside,
    ).toEqual(['created copilot-instructions.md', 'created prompts/y']);
  });

  it('A4: what a repository above names in the workspace', async () => {
    git('init', '-q');
    write({ 'app/tools/hooks/readme': 'x', 'app/tools/team.gitconfig': '[alias]\n\tst = status\n' });
    git('config', 'core.hooksPath', 'app/tools/hooks');
    git('config', 'include.path', '../app/tools/team.gitconfig');
    await leave(
      `printf ${HOOK} > tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit; echo x > tools/x`,
      at('app'),
    );
    await leave(`printf '${EVIL}' >> tools/team.gitconfig`, at('app'));
    expect(existsSync(at('app/tools/hooks/pre-commit'))).toBe(false);
    git('status');
    git('commit', '-q', '--allow-empty', '-m', 'next');
    expectNothingRan();
    expect(existsSync(at('app/tools/x'))).toBe(true);
  });

  it('A4: also where the repository above is another working tree', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', 'tree');
    git('config', 'core.hooksPath', 'sub/hooks');
    write({ 'tree/sub/hooks/readme': 'x' });
    await leave(`printf ${HOOK} > hooks/pre-commit; chmod +x hooks/pre-commit`, at('tree/sub'));
    await leave(`printf ${HOOK} > sub/hooks/pre-push; chmod +x sub/hooks/pre-push`, at('tree'));
    expect(readdirSync(at('tree/sub/hooks'))).toEqual(['readme']);
  });

  it('A5: links at such places lead to what is such a place too, also where nothing is yet', async () => {
    write({ 'agentconf/settings.json': '{}', 'real/x': 'x' });
    mkdirSync(at('.idea'));
    const links: Readonly<Record<string, string>> = {
      '.vscode': 'conf',
      'AGENTS.md': 'agents-target.md',
      '.claude': 'agentconf',
      '.config': 'dot',
      '.cursor': 'way',
      way: 'real',
      '.idea/run.xml': '../idea-run.xml',
      '.zed': at('absolute'),
    };
    for (const [path, target] of Object.entries(links)) symlinkSync(target, at(path));
    const left = await leave(
      'mkdir conf absolute; echo x > conf/tasks.json; echo x > agents-target.md; echo x > absolute/tasks.json; (echo y > agentconf/settings.json) 2>/dev/null; ' +
        'mkdir -p dot/systemd dot/harmless; echo x > dot/systemd/a.service; echo x > dot/harmless/x; (echo x > real/mcp.json) 2>/dev/null; echo x > idea-run.xml; echo x > stays; true',
    );
    expect(left.aside).toEqual(
      expect.arrayContaining([
        'created absolute/tasks.json',
        'created agents-target.md',
        'created conf/tasks.json',
        'created dot/systemd/a.service',
        'created idea-run.xml',
      ]),
    );
    for (const gone of [
      '.vscode/tasks.json',
      'AGENTS.md',
      '.config/systemd/a.service',
      '.cursor/mcp.json',
      '.zed/tasks.json',
    ]) {
      expect(existsSync(at(gone)), gone).toBe(false);
    }
    expect(readFileSync(at('agentconf/settings.json'), 'utf8')).toBe('{}');
    expect(existsSync(at('dot/harmless/x'))).toBe(true);
    expect(existsSync(at('stays'))).toBe(true);
  });

  it('A5: a link to all of the workspace', async () => {
    symlinkSync('.', at('.vscode'));
    expect((await leave('echo x > tasks.json')).aside).toEqual(['created tasks.json']);
  });

  it('A2: repositories in what tools made, which Git enters where they are submodules', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const commit = readFileSync(
      at('.git/refs/heads/' + readFileSync(at('.git/HEAD'), 'utf8').trim().split('/').pop()),
      'utf8',
    );
    const places = ['.cache/x', 'venv/deep/er/x', 'node_modules/p/node_modules/q', '.vscode/node_modules/x'];
    for (const place of places) git('update-index', '--add', '--cacheinfo', `160000,${commit.trim()},${place}`);
    const left = await leave(
      places
        .map((place) => `mkdir -p ${place} && git init -q ${place} && printf '${EVIL}' >> ${place}/.git/config`)
        .join(' && ') + ' && mkdir -p node_modules/x/.vscode && echo x > node_modules/x/.vscode/tasks.json',
    );
    expect(left.aside).toEqual(expect.arrayContaining(places.map((place) => `created ${place}/.git/config`)));
    expect(existsSync(at('node_modules/x/.vscode/tasks.json'))).toBe(true);
    git('status');
    expectNothingRan();
  });

  it('A7: settings of other programs that keep histories, or start at a prompt', async () => {
    const left = await leave(
      'mkdir -p .hg/store .jj/repo; echo x > .hg/hgrc; echo x > .hg/store/x; echo x > .jj/repo/config.toml',
    );
    expect(left.aside).toEqual(['created .hg/hgrc', 'created .jj/repo/config.toml']);
    expect(existsSync(at('.hg/store/x'))).toBe(true);
  });
});
