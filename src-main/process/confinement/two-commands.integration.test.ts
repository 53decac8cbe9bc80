import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../process.test-support.js';

/** Two commands in turn: the second finds what the first left behind when it is confined. */
describe('two commands, one after the other', () => {
  let runner: TestRunner;
  let home: string;
  let workspace: string;
  beforeAll(async () => {
    runner = await openTestRunner();
    home = runner.outside;
    // In the home folder, as people have it: `..` is what must not be had.
    workspace = join(home, 'ws');
  });
  afterAll(() => runner[Symbol.asyncDispose]());
  beforeEach(() => {
    for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true, force: true });
    for (const folder of ['ws', '.ssh', 'dotfiles']) mkdirSync(join(home, folder));
    for (const file of ['.ssh/id_rsa', '.bashrc', 'dotfiles/settings.json'])
      writeFileSync(join(home, file), 'secret\n');
  });

  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', '-c', 'protocol.file.allow=always', ...words], {
      cwd: workspace,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    });

  async function confined(command: string): Promise<string> {
    // The whole home folder is shown, so that it is not its cover that refuses.
    const settings = { confinement: 'required' as const, home_allowlist: ['.'] };
    const ran = await runner.run(command, { settings, workingDirectory: workspace });
    expect(ran, ran.stderr).toMatchObject({ ending: { kind: 'exited', code: 0 }, confinement: 'confined' });
    return ran.stdout;
  }

  const lookAround =
    'cat ~/.ssh/id_rsa ../.ssh/id_rsa */id_rsa .[a-z]*/id_rsa .[a-z]*/.ssh/id_rsa; echo x >>~/.bashrc; echo x >>../.bashrc; ' +
    'touch ~/planted ../planted ~/.ssh/planted; for l in .[a-z]*; do touch "$l/planted"; echo x >>"$l"; done; echo ran';

  const names = [
    '.git',
    '.vscode',
    '.idea',
    '.cursor',
    '.husky',
    '.claude',
    '.gatehouse',
    '.envrc',
    '.bashrc',
    '.mcp.json',
  ];
  const targets = [
    '..',
    '../..',
    '/',
    '"$HOME"',
    '"$HOME/.ssh"',
    '../.ssh',
    '../.ssh/id_rsa',
    '/oldroot',
    '/newroot',
    'nowhere',
    '.',
    '.loop',
  ];

  it.each(names)('%s as a link brings nothing from outside, wherever it leads', async (name) => {
    for (const target of targets) {
      await confined(`rm -rf ${name}; ln -s .loop .loop; ln -s ${target} ${name}`);
      const said = await confined(`${lookAround} 2>/dev/null`);
      expect(said, target).toBe('ran\n');
      expect(readdirSync(home).toSorted(), target).toEqual(['.bashrc', '.ssh', 'dotfiles', 'ws']);
      expect(readdirSync(join(home, '.ssh')), target).toEqual(['id_rsa']);
      expect(readFileSync(join(home, '.bashrc'), 'utf8'), target).toBe('secret\n');
      rmSync(workspace, { recursive: true });
      mkdirSync(workspace);
    }
  });

  it.each(['hooks', 'config', 'info', 'modules', 'worktrees', 'modules/m'])(
    'a link in .git in the place of %s brings nothing either',
    async (name) => {
      for (const target of ['"$HOME"', '../..', '../../..', '"$HOME/.ssh"']) {
        await confined(`mkdir -p .git/${name}; rm -rf .git/${name}; ln -s ${target} .git/${name}`);
        const said = await confined(
          `cat .git/${name}/.ssh/id_rsa .git/${name}/id_rsa 2>/dev/null; ${lookAround} 2>/dev/null`,
        );
        expect(said, target).toBe('ran\n');
        expect(readdirSync(home).toSorted(), target).toEqual(['.bashrc', '.ssh', 'dotfiles', 'ws']);
        rmSync(workspace, { recursive: true });
        mkdirSync(workspace);
      }
    },
  );

  it('a link that the person made is followed to what it means: outside read-only, inside read-only as well', async () => {
    mkdirSync(join(workspace, 'editor'));
    writeFileSync(join(workspace, 'editor/tasks.json'), 'mine\n');
    symlinkSync(join(home, 'dotfiles'), join(workspace, '.vscode'));
    symlinkSync('editor', join(workspace, '.idea'));
    const said = await confined(
      'cat .vscode/settings.json .idea/tasks.json; (echo x >.vscode/settings.json; echo x >.idea/tasks.json; mv editor e) 2>/dev/null; touch made',
    );
    expect(said).toBe('secret\nmine\n');
    expect(readFileSync(join(home, 'dotfiles/settings.json'), 'utf8')).toBe('secret\n');
    expect(readFileSync(join(workspace, 'editor/tasks.json'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(workspace, 'made'))).toBe(true);
  });

  /** Settings that make Git run something, in every way that two commands have thought of. */
  const evil =
    'mkdir -p d/objects d/refs; echo ref: refs/heads/x >d/HEAD; git config -f d/config core.fsmonitor "touch $HOME/ws/pwned"';

  it('a worktree’s .git file stays what it is', async () => {
    mkdirSync(join(home, 'main'));
    execFileSync('git', ['init', '-q', join(home, 'main')]);
    git('-C', join(home, 'main'), 'commit', '-q', '--allow-empty', '-m', 'm');
    git('-C', join(home, 'main'), 'worktree', 'add', '-q', workspace);
    const before = readFileSync(join(workspace, '.git'), 'utf8');
    for (const attempt of ['printf "gitdir: d\\n" >.git', 'rm -f .git', 'mv .git g', 'echo x >n; mv -f n .git']) {
      await confined(`${evil}; (${attempt}) 2>/dev/null; true`);
    }
    expect(readFileSync(join(workspace, '.git'), 'utf8')).toBe(before);
    git('status');
    expect(existsSync(join(workspace, 'pwned'))).toBe(false);
  }, 60_000);

  it('submodules, also in submodules, keep their settings, their hooks and their .git files', async () => {
    for (const name of ['inner', 'outer']) {
      execFileSync('git', ['init', '-q', join(home, name)]);
      git('-C', join(home, name), 'commit', '-q', '--allow-empty', '-m', 'm');
    }
    git('-C', join(home, 'outer'), 'submodule', '--quiet', 'add', join(home, 'inner'), 'libs/inner');
    git('-C', join(home, 'outer'), 'commit', '-q', '-m', 'm');
    git('init', '-q');
    git('submodule', '--quiet', 'add', join(home, 'outer'), 'libs/outer');
    git('submodule', '--quiet', 'update', '--init', '--recursive');
    git('commit', '-q', '-m', 'm');
    const modules = ['.git/modules/libs/outer', '.git/modules/libs/outer/modules/libs/inner'];
    const checkouts = ['libs/outer', 'libs/outer/libs/inner'];
    const kept = [...modules.map((each) => `${each}/config`), ...checkouts.map((each) => `${each}/.git`)];
    const before = kept.map((path) => readFileSync(join(workspace, path), 'utf8'));
    const attempts = [
      // So that the next command's confinement takes the folder for something else.
      'touch .git/modules/libs/HEAD .git/modules/HEAD; rm -f .git/modules/libs/outer/HEAD',
      ...modules.flatMap((each) => [
        `echo x >${each}/config`,
        `echo x >${each}/hooks/post-checkout`,
        `mv ${each} m && cp -r m ${each} && echo x >${each}/config`,
      ]),
      'mv .git/modules m && cp -r m .git/modules && echo x >.git/modules/libs/outer/config',
      ...checkouts.flatMap((each) => [
        `printf "gitdir: $HOME/ws/d\\n" >${each}/.git`,
        `rm -f ${each}/.git && printf "gitdir: $HOME/ws/d\\n" >${each}/.git`,
        `mv ${each} s && mkdir ${each} && printf "gitdir: $HOME/ws/d\\n" >${each}/.git`,
      ]),
    ];
    for (const attempt of attempts) await confined(`${evil}; (${attempt}) 2>/dev/null; true`);
    expect(kept.map((path) => readFileSync(join(workspace, path), 'utf8'))).toEqual(before);
    expect(modules.filter((each) => existsSync(join(workspace, each, 'hooks/post-checkout')))).toEqual([]);
  }, 120_000);

  it('more submodules than can be told one by one are read-only all together', async () => {
    for (let at = 0; at < 50; at += 1) {
      mkdirSync(join(workspace, `.git/modules/m${at}`), { recursive: true });
      writeFileSync(join(workspace, `.git/modules/m${at}/config`), 'mine\n');
    }
    await confined('(for c in .git/modules/*/config; do echo x >$c; done) 2>/dev/null; true');
    expect(readFileSync(join(workspace, '.git/modules/m49/config'), 'utf8')).toBe('mine\n');
  });

  it('a command makes a repository, and the next one works in it and can’t change its hooks', async () => {
    await confined('git init -q; mkdir -p .git/hooks');
    const commit = 'git -c user.name=n -c user.email=e@x commit --allow-empty -qm m';
    const said = await confined(
      `${commit}; (echo x >.git/hooks/pre-commit; rm -rf .git/hooks .git/config; mv .git g) 2>/dev/null; ls -A`,
    );
    expect(said).toBe('.git\n');
    expect(existsSync(join(workspace, '.git/hooks/pre-commit'))).toBe(false);
    expect(lstatSync(join(workspace, '.git/hooks')).isDirectory()).toBe(true);
  });

  it('what is hidden in the workspace can’t be moved to where the next command would find it', async () => {
    mkdirSync(join(workspace, '.config/gh'), { recursive: true });
    writeFileSync(join(workspace, '.config/gh/hosts.yml'), 'secret\n');
    await using own = await openTestRunner({ PATH: process.env['PATH'] ?? '', HOME: workspace });
    const options = { settings: { confinement: 'required' }, workingDirectory: workspace } as const;
    await own.run('mv .config c', options);
    const { stdout } = await own.run('cat c/gh/hosts.yml .config/gh/hosts.yml', options);
    expect(stdout).toBe('');
  });
});
