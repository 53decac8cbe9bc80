import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeaveAllowance } from '../../../../domain/sensitive/leave-allowance.js';
import { openTestRunner, type TestRunner } from '../../../../process/process.test-support.js';

let runner: TestRunner;
let main: string;
let tree: string;

/** The person's own Git, outside. */
const gitIn = (folder: string, ...words: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: runner.outside, GIT_CONFIG_NOSYSTEM: '1' },
  });

beforeEach(async () => {
  runner = await openTestRunner();
  [main = '', tree = ''] = ['main', 'tree'].map((name) => join(dirname(runner.outside), name));
  mkdirSync(main);
  gitIn(main, 'init', '-q', '-b', 'main');
  gitIn(main, 'config', 'user.name', 'n');
  gitIn(main, 'config', 'user.email', 'e@x');
  writeFileSync(join(main, 'a.txt'), 'a\n');
  gitIn(main, 'add', '.');
  gitIn(main, 'commit', '-qm', 'first');
  gitIn(main, 'worktree', 'add', '-q', tree);
});
afterEach(() => runner[Symbol.asyncDispose]());

async function run(
  command: string,
  {
    confinement = 'required',
    ...mayLeave
  }: Partial<LeaveAllowance> & { readonly confinement?: 'required' | 'off' } = {},
) {
  const ran = await runner.run(command, {
    settings: { confinement },
    workingDirectory: tree,
    mayLeave: { git: true, ...mayLeave },
  });
  return { ...ran, aside: ran.putAside.map(({ path, change }) => `${change} ${path}`) };
}

/** A hook of the person's that runs what stands in the tree, as many do. */
function hookThatRuns(script: string): void {
  writeFileSync(join(main, '.git/hooks/post-checkout'), '#!/bin/sh\n. ./tools.sh\n');
  chmodSync(join(main, '.git/hooks/post-checkout'), 0o755);
  writeFileSync(join(tree, 'tools.sh'), script);
}

const HOOK = `printf '#!/bin/sh\\ntouch pwned\\n'`;

describe('what a hook of Git writes of new in the repository outside a worktree', () => {
  it('is quarantined, by its path, where Git would obey it', async () => {
    const git = join(main, '.git');
    hookThatRuns(
      [
        `cd ${git}`,
        // Read-only to it, since they are there.
        `${HOOK} > hooks/pre-push; echo x >> config`,
        'mkdir -p info sequencer rebase-merge modules/x/hooks modules/x/objects modules/x/refs',
        "echo '* filter=x' > info/attributes",
        "printf '[core]\\nfsmonitor = touch pwned\\n' > config.worktree",
        "echo 'exec touch pwned' > rebase-merge/git-rebase-todo",
        "echo 'pick 1' > sequencer/todo",
        'echo ref: refs/heads/main > modules/x/HEAD',
        "printf '[core]\\nfsmonitor = touch pwned\\n' > modules/x/config",
        `${HOOK} > modules/x/hooks/pre-commit`,
      ].join('\n'),
    );
    const { aside, lookComplete } = await run('git checkout -q -b y');
    const left = [
      'config.worktree',
      'info/attributes',
      'modules/x/config',
      'modules/x/hooks/pre-commit',
      'rebase-merge/git-rebase-todo',
      'sequencer/todo',
    ];
    expect(aside).toEqual(left.map((path) => `created ${git}/${path}`));
    for (const path of left) expect(existsSync(join(git, path)), path).toBe(false);
    expect(lookComplete).toBe(true);
    // What it was is kept, and says whose it is.
    const view = await runner.aside.view(runner.lastCall(), runner.bench.jail);
    const hook = view?.files.find(({ path }) => path === `${git}/modules/x/hooks/pre-commit`);
    expect(hook).toMatchObject({ change: 'created', after: '#!/bin/sh\ntouch pwned\n' });
    expect(hook?.what).toContain('Git');
    // The person's own hook is there as it was.
    expect(readFileSync(join(git, 'hooks/post-checkout'), 'utf8')).toContain('tools.sh');
  });

  it('settings that it changes unconfined come back', async () => {
    const config = readFileSync(join(main, '.git/config'), 'utf8');
    const { aside } = await run(`printf '[core]\\n\\tfsmonitor = touch pwned\\n' >> ${main}/.git/config`, {
      git: false,
      confinement: 'off',
    });
    expect(aside).toEqual([`modified ${main}/.git/config`]);
    expect(readFileSync(join(main, '.git/config'), 'utf8')).toBe(config);
  });

  it('in the index of the main working tree, and on its branches', async () => {
    hookThatRuns(
      [
        `B=$(echo 'touch pwned' | git hash-object -w --stdin)`,
        'unset GIT_INDEX_FILE',
        `GIT_DIR=${main}/.git git update-index --add --cacheinfo 100644,$B,.envrc`,
        `T=$(printf "100644 blob $B\\t.mcp.json\\n" | git mktree)`,
        `git update-ref refs/heads/next $(git commit-tree -m x -p HEAD $T)`,
      ].join('\n'),
    );
    const { carried, stderr } = await run('git checkout -q -b y');
    expect(stderr).toBe('');
    expect(carried).toMatchObject({
      index: [join(main, '.envrc')],
      commits: [{ paths: ['.mcp.json'] }],
      complete: true,
    });
    expect(gitIn(main, 'status', '--porcelain')).toBe('');
  });

  it('what Git does by itself there stays', async () => {
    const library = join(dirname(main), 'library');
    mkdirSync(library);
    gitIn(library, 'init', '-q');
    gitIn(library, 'commit', '-q', '--allow-empty', '-m', 'x');
    writeFileSync(join(tree, 'a.txt'), 'theirs\n');
    const all = await run(
      'git commit -qam second && git branch other && git tag v1 && git stash -q; git worktree add -q --detach inner && git rebase -q main; git gc -q',
    );
    expect(all.stderr).toBe('');
    expect(all).toMatchObject({ aside: [], lookComplete: true, carried: { index: [], commits: [], complete: true } });
    // As it would be in the main folder: what its words ask for by name stays too.
    const named = await run('git config core.abbrev 9', { named: ['.git/config'], confinement: 'off' });
    expect(named).toMatchObject({ aside: [], ending: { code: 0 } });
    expect(gitIn(tree, 'config', 'core.abbrev').trim()).toBe('9');
  });
});

it('two worktrees at once: what each may leave is the other’s to leave, too', async () => {
  const second = join(dirname(main), 'second');
  gitIn(main, 'worktree', 'add', '-q', second);
  const slow = runner.run('sleep 2', {
    settings: { confinement: 'off' },
    workingDirectory: second,
    mayLeave: { git: false },
  });
  const set = await run('sleep 0.5; git config core.abbrev 9', { named: ['.git/config'], confinement: 'off' });
  expect(set.aside).toEqual([]);
  expect((await slow).putAside).toEqual([]);
  expect(gitIn(main, 'config', 'core.abbrev').trim()).toBe('9');
});
