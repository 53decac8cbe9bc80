import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { testFolder } from '../../tests/gate/gate.test-support.js';
import { createGitIgnored } from './git-ignored.js';

const home = mkdtempSync(join(tmpdir(), 'gatehouse-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
afterEach(() => {
  for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true });
});
const gitIgnored = createGitIgnored({ home });

const FILES = [
  'README.md',
  'build/a.js',
  'src/a.ts',
  'src/a.log',
  'src/keep.log',
  'src/deep/build/x',
  'secret.txt',
  'node_modules/m/README.md',
  'own/only-here.txt',
  'own/b.txt',
  'Build.txt',
];

function repository(): string {
  const top = testFolder('ignored');
  for (const file of FILES) {
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), '');
  }
  git('init', '-q', top);
  writeFileSync(join(top, '.gitignore'), 'node_modules/\n/build\n*.log\n!keep.log\n');
  writeFileSync(join(top, 'own/.gitignore'), 'only-*\n');
  writeFileSync(join(top, '.git/info/exclude'), 'secret.txt\n');
  return top;
}

/** Git with that home and with none of the machine's own settings. */
const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...words: readonly string[]): void =>
  void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
    env: environment,
    stdio: 'pipe',
  });

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const saysGit = (top: string, file: string): boolean => {
  try {
    execFileSync('git', ['-C', top, 'check-ignore', '-q', file], { env: environment });
    return true;
  } catch {
    return false;
  }
};

it('says what Git says, from the top and from a folder inside', async () => {
  const top = repository();
  for (const file of FILES) expect(await gitIgnored.isIgnored(top, file), file).toBe(saysGit(top, file));
  expect(FILES.filter((file) => saysGit(top, file)).length).toBe(5);
  expect(await gitIgnored.isIgnored(join(top, 'src'), 'a.log')).toBe(true);
  expect(await gitIgnored.isIgnored(join(top, 'src'), 'a.ts')).toBe(false);
  expect(await gitIgnored.isIgnored(top, '')).toBe(false);
  expect(await gitIgnored.isIgnored(top, '.git/config')).toBe(true);
});

it('takes all for ignored where a list can’t be read, and nothing where there is no repository', async () => {
  const top = repository();
  symlinkSync('/dev/zero', join(top, 'src/.gitignore'));
  expect(await gitIgnored.isIgnored(top, 'src/a.ts')).toBe(true);
  expect(await gitIgnored.isIgnored(top, 'README.md')).toBe(false);
  const bare = testFolder('bare');
  writeFileSync(join(bare, '.gitignore'), '*\n');
  expect(await gitIgnored.isIgnored(bare, 'README.md')).toBe(false);
});

it('reads the person’s own lists, wherever their settings name them', async () => {
  const top = repository();
  const agree = async (files: readonly string[]) => {
    for (const file of FILES) expect(await gitIgnored.isIgnored(top, file), file).toBe(saysGit(top, file));
    for (const file of files) expect(await gitIgnored.isIgnored(top, file), file).toBe(true);
  };
  write(join(home, '.config/git/ignore'), 'Build.txt\n');
  await agree(['Build.txt']);
  rmSync(join(home, '.config'), { recursive: true });
  write(join(home, 'lists/mine'), '/src/a.ts\n');
  for (const [file, settings] of [
    ['.gitconfig', '[core]\n\texcludesFile = ~/lists/mine\n'],
    ['.config/git/config', `[core]\n\texcludesfile = "${join(home, 'lists/mine')}"\n`],
    ['.gitconfig', '[include]\n\tpath = lists/more\n'],
  ] as const) {
    write(join(home, 'lists/more'), '[core]\n\texcludesFile = ~/lists/mine\n');
    write(join(home, file), settings);
    await agree(['src/a.ts']);
    rmSync(join(home, file));
  }
  // Many keep such files elsewhere, and a link at home.
  rmSync(join(home, 'lists/more'));
  write(join(home, 'lists/settings'), '[include]\n\tpath = more\n');
  write(join(home, 'more'), '[core]\n\texcludesFile = ~/.ignored\n');
  symlinkSync(join(home, 'lists/settings'), join(home, '.gitconfig'));
  symlinkSync(join(home, 'lists/mine'), join(home, '.ignored'));
  await agree(['src/a.ts']);
  // No setting of a repository does away with it.
  git('-C', top, 'config', 'core.excludesFile', '/dev/null/none');
  expect(await gitIgnored.isIgnored(top, 'src/a.ts')).toBe(true);
});

it('takes everything as ignored where settings can’t be parsed', async () => {
  const top = repository();
  expect(await gitIgnored.isIgnored(top, 'README.md')).toBe(false);
  for (const settings of [
    '[core\n',
    '[core]\nexcludesFile = ~somebody/x\n',
    '[include]\npath = .gitconfig\n'.repeat(60),
  ]) {
    write(join(home, '.gitconfig'), settings);
    expect(await gitIgnored.isIgnored(top, 'README.md'), settings).toBe(true);
  }
});

it('sees a list that was changed at once', async () => {
  const top = repository();
  for (const [list, is] of [
    ['README.md\n', true],
    ['Xeadme.md\n', false],
    ['README.md\n', true],
  ] as const) {
    writeFileSync(join(top, '.gitignore'), list);
    expect(await gitIgnored.isIgnored(top, 'README.md')).toBe(is);
  }
});

it('says of names what stands in no list: what lies in an ignored folder, or matches a pattern', async () => {
  const top = repository();
  const names = (...paths: readonly string[]) => gitIgnored.hasIgnoredName(top, paths);
  expect(await names('README.md', 'src', 'src/a.ts', '.git', 'node_modules', 'build')).toBe(false);
  expect(await names('README.md', 'node_modules/m')).toBe(true);
  expect(await names('src/a.log')).toBe(true);
  expect(await names('own/only-here.txt')).toBe(true);
  expect(await names('.git/config')).toBe(true);
  expect(await gitIgnored.hasIgnoredName(join(top, 'own'), ['b.txt'])).toBe(false);
});

/** A repository with one commit, and a working tree of it beside. */
function withWorktree(at: (top: string) => string) {
  const top = repository();
  git('-C', top, 'add', '-f', 'README.md', '.gitignore');
  git('-C', top, 'commit', '-qm', 'a');
  const tree = at(top);
  git('-C', top, 'worktree', 'add', '-q', tree);
  writeFileSync(join(tree, 'secret.txt'), '');
  return { top, tree };
}

it('in a working tree beside, says what Git says: the list of the repository holds there too', async () => {
  for (const inside of [false, true]) {
    const { tree } = withWorktree((top) =>
      inside ? join(top, 'node_modules/tree') : join(testFolder('tree'), 'tree'),
    );
    for (const file of ['README.md', 'secret.txt', 'a.log', 'src/x.ts'])
      expect(await gitIgnored.isIgnored(tree, file), file).toBe(saysGit(tree, file));
    expect(await gitIgnored.isIgnored(tree, 'secret.txt')).toBe(true);
    expect(await gitIgnored.isIgnored(tree, 'README.md')).toBe(false);
  }
});

it('in a submodule, says what Git says', async () => {
  const outer = repository();
  const inner = repository();
  git('-C', inner, 'add', 'README.md');
  git('-C', inner, 'commit', '-qm', 'a');
  git('-C', outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'part');
  writeFileSync(join(outer, '.git/modules/part/info/exclude'), 'own.txt\n');
  const part = join(outer, 'part');
  for (const file of ['README.md', 'own.txt', 'src/a.log'])
    expect(await gitIgnored.isIgnored(part, file), file).toBe(saysGit(part, file));
  expect(await gitIgnored.isIgnored(part, 'own.txt')).toBe(true);
});

it('trusts no `.git` file that the repository knows nothing of, and none that hides the lists above it', async () => {
  const { top, tree } = withWorktree(() => join(testFolder('tree'), 'tree'));
  const link = readFileSync(join(tree, '.git'), 'utf8');
  // Of somebody else's working tree.
  write(join(top, 'own/.git'), link);
  expect(await gitIgnored.isIgnored(join(top, 'own'), 'b.txt')).toBe(true);
  // One that was made up, with its way back: what the folders above ignore is ignored all the same.
  const made = testFolder('made');
  const own = join(made, 'worktrees/x');
  write(join(own, 'commondir'), '../..\n');
  write(join(own, 'gitdir'), `${join(top, 'own/.git')}\n`);
  write(join(top, 'own/.git'), `gitdir: ${own}\n`);
  rmSync(join(top, 'own/.gitignore'));
  expect(await gitIgnored.isIgnored(join(top, 'own'), 'b.txt')).toBe(false);
  expect(await gitIgnored.isIgnored(join(top, 'own'), 'b.log')).toBe(true);
  // In the folder itself, too long, a link, no file, or nothing that Git writes.
  renameSync(made, join(top, 'own/made'));
  write(join(top, 'own/.git'), 'gitdir: made/worktrees/x\n');
  expect(await gitIgnored.isIgnored(join(top, 'own'), 'b.txt')).toBe(true);
  for (const text of ['', 'gitdir: /nowhere\n', `gitdir: ${'x'.repeat(5000)}\n`, `${link}more\n`]) {
    writeFileSync(join(tree, '.git'), text);
    expect(await gitIgnored.isIgnored(tree, 'README.md'), text.slice(0, 20)).toBe(true);
  }
  rmSync(join(tree, '.git'));
  write(join(made, 'link'), link);
  symlinkSync(join(made, 'link'), join(tree, '.git'));
  expect(await gitIgnored.isIgnored(tree, 'README.md')).toBe(true);
});
