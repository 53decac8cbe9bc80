import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderBeside, HAS_PLACE_BESIDE } from '../beside.test-support.js';
import { openTestRunner, type RunOptions } from '../process.test-support.js';

const UNASKED: RunOptions = { unasked: { writes: 'kept', deletes: [] } };
const READS: RunOptions = { unasked: { writes: 'nothing', deletes: [] } };
const GIT: RunOptions = { ...UNASKED, mayLeave: { git: true, gitCommands: null } };

const git = (folder: string, ...words: string[]): string =>
  execFileSync(
    'git',
    ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', ...words],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );

describe.runIf(HAS_PLACE_BESIDE)('what a command sees that nobody was asked about', () => {
  it('is not what lies outside its folder, however it is named; it is told which place it lacked', async () => {
    await using runner = await openTestRunner();
    const other = join(folderBeside(), 'other-project');
    mkdirSync(other);
    writeFileSync(join(other, 'x.txt'), 'planted');
    const python = `python3 -c "print(open('/'.join(['${other}', 'x.txt'])).read())"`;
    for (const command of [`cat ${other}/x.txt`, python, `cd ${other} && cat x.txt`]) {
      const ran = await runner.run(command, READS);
      expect(ran.stdout, command).not.toContain('planted');
      expect(ran.notShown, command).toEqual([other]);
    }
    expect((await runner.run(python)).stdout).toBe('planted\n');
    const readable = { ...READS, readable: [other] };
    expect((await runner.run(python, readable)).stdout).toBe('planted\n');
    expect((await runner.run(python, { ...READS, settings: { readable: [other] } })).stdout).toBe('planted\n');
    const wrote = await runner.run(`echo x > ${other}/x.txt`, { ...UNASKED, readable: [other] });
    expect(wrote.ending).not.toEqual({ kind: 'exited', code: 0 });
    const { stdout } = await runner.run('ls -A / /var /srv /mnt /media /home 2>/dev/null', READS);
    expect(stdout).not.toMatch(/boot|\bsys\b|lost\+found/u);
    expect(stdout).toContain('usr');
    expect((await runner.run('ls ~', READS)).notShown ?? []).toEqual([]);
  });

  it('is not a secret of a place that it may read, nor a socket there', async () => {
    await using runner = await openTestRunner();
    const other = folderBeside();
    mkdirSync(join(other, 'lib'));
    const server = createServer((socket) => socket.end('REACHED'));
    await new Promise<void>((done) => server.listen(join(other, 'lib/s'), done));
    onTestFinished(() => void server.close());
    const script = `import socket; s = socket.socket(socket.AF_UNIX); s.connect('${other}/lib/s'); print(s.recv(99))`;
    const { stdout } = await runner.run(`python3 -c "${script}"`, { ...UNASKED, readable: [other] });
    expect(stdout).not.toContain('REACHED');
  });

  it('is no file of secrets of its folder: where it failed for one, that is named, and it may be let read it', async () => {
    await using runner = await openTestRunner();
    const { workspace } = runner;
    mkdirSync(join(workspace, 'config'));
    writeFileSync(join(workspace, '.env'), 'KEY=planted\n');
    writeFileSync(join(workspace, 'config/id_rsa'), 'planted\n');
    writeFileSync(
      join(workspace, 'look.py'),
      'import sys\nprint(open(".env").read() + open("config/id_rsa").read())\nsys.exit(3)\n',
    );
    const ran = await runner.run('python3 look.py', UNASKED);
    expect(ran.stdout.trim()).toBe('');
    expect(ran.hiddenFiles).toEqual(expect.arrayContaining(['.env', 'config/id_rsa']));
    const allowed = await runner.run('python3 look.py', { ...UNASKED, readable: ['.env'] });
    expect(allowed.stdout).toContain('KEY=planted');
    expect(allowed.hiddenFiles).toEqual(['config/id_rsa']);
    // A person's yes to this very call covers nothing.
    expect((await runner.run('python3 look.py')).stdout).toContain('planted\nplanted');
    // What stands there stays as it is, whatever is tried.
    await runner.run('rm -f .env; mv config elsewhere; echo x >.env; ln -sf /dev/null .env', UNASKED);
    expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe('KEY=planted\n');
  });

  it('is, to Git’s own commands, what Git tracks: it does not look changed', async () => {
    await using runner = await openTestRunner();
    const { workspace } = runner;
    git(workspace, 'init', '-qb', 'main');
    writeFileSync(join(workspace, 'server.pem'), 'planted\n');
    writeFileSync(join(workspace, '.env'), 'planted\n');
    git(workspace, 'add', '-f', 'server.pem');
    git(workspace, 'commit', '-qm', 'first');
    expect((await runner.run('git status --short', { ...READS, mayLeave: GIT.mayLeave ?? {} })).stdout).toBe(
      '?? .env\n',
    );
    expect((await runner.run('git diff', { ...READS, mayLeave: GIT.mayLeave ?? {} })).stdout).toBe('');
    expect((await runner.run('cat server.pem .env', READS)).stdout).toBe('');
  });

  it('is what a link leads to only where it may read that: a linked package, and what stands above', async () => {
    await using runner = await openTestRunner();
    const base = folderBeside();
    const folder = join(base, 'mono/app');
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    mkdirSync(join(base, 'linked/lib'), { recursive: true });
    writeFileSync(join(base, 'linked/package.json'), '{"name":"linked","main":"lib/index.js"}');
    writeFileSync(join(base, 'linked/lib/index.js'), 'module.exports = "linked"');
    symlinkSync('../../../linked', join(folder, 'node_modules/linked'));
    mkdirSync(join(base, 'mono/node_modules/above'), { recursive: true });
    writeFileSync(join(base, 'mono/node_modules/above/index.js'), 'module.exports = "above"');
    const at = { ...READS, workingDirectory: folder };
    for (const [name, place] of [
      ['linked', join(base, 'linked')],
      ['above', join(base, 'mono/node_modules')],
    ] as const) {
      const command = `node -p "require('${name}')"`;
      const ran = await runner.run(command, at);
      expect(ran.ending).toEqual({ kind: 'exited', code: 1 });
      expect(ran.notShown).toEqual([place]);
      expect((await runner.run(command, { ...at, readable: [place] })).stdout).toBe(`${name}\n`);
    }
    const manifest = await runner.run('cat ../package.json || cat ../../linked/package.json', at);
    expect(manifest.notShown).toEqual([join(base, 'linked')]);
  });
});

describe.runIf(HAS_PLACE_BESIDE)('ordinary work goes on', () => {
  it('in a virtual environment, whatever its interpreter is', async () => {
    await using runner = await openTestRunner();
    const made = await runner.run(
      'python3 -m venv --without-pip .venv && .venv/bin/python -c "import json; print(json.dumps(1))"',
      UNASKED,
    );
    expect(made).toMatchObject({ stdout: '1\n', ending: { kind: 'exited', code: 0 } });
    // One that lies elsewhere: it is shown where it is Python's, and nothing beside it.
    const own = join(folderBeside(), 'python');
    for (const folder of ['bin', 'lib/python3.99']) mkdirSync(join(own, folder), { recursive: true });
    const says = '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../lib/python3.99/os.py"\n';
    writeFileSync(join(own, 'bin/python3'), says, { mode: 0o755 });
    writeFileSync(join(own, 'lib/python3.99/os.py'), 'library\n');
    writeFileSync(join(own, 'bin/notes'), 'planted');
    writeFileSync(join(own, 'private.txt'), 'planted');
    mkdirSync(join(runner.workspace, 'env/bin'), { recursive: true });
    symlinkSync(join(own, 'bin/python3'), join(runner.workspace, 'env/bin/python3'));
    writeFileSync(join(runner.workspace, 'env/pyvenv.cfg'), `home = ${own}/bin\nversion = 3.99.0\n`);
    const ran = await runner.run(`env/bin/python3; cat ${own}/private.txt ${own}/bin/notes`, READS);
    expect(ran.stdout).toBe('library\n');
    // What a folder says of its interpreter opens nothing that is none.
    rmSync(join(own, 'lib/python3.99/os.py'));
    writeFileSync(join(runner.workspace, 'env/pyvenv.cfg'), `home = ${own}/bin\n`);
    expect((await runner.run(`ls ${own}`, READS)).stdout).toBe('');
  });

  it('with tools that PATH names, by where they lead, and with no folder that tools may write to', async () => {
    const base = folderBeside();
    const [tools, shims, project] = [join(base, 'tool-1'), join(base, 'links'), join(base, 'project')];
    for (const folder of [join(tools, 'bin'), join(tools, 'lib'), shims, join(project, 'bin')])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(tools, 'bin/mine'), '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../lib/words"\n', {
      mode: 0o755,
    });
    writeFileSync(join(tools, 'lib/words'), 'at work\n');
    writeFileSync(join(base, 'notes.txt'), 'planted');
    writeFileSync(join(project, 'notes.txt'), 'planted');
    writeFileSync(join(project, 'bin/own'), '#!/bin/sh\necho PLANTED\n', { mode: 0o755 });
    symlinkSync(join(tools, 'bin/mine'), join(shims, 'mine'));
    symlinkSync(join(project, 'bin/own'), join(shims, 'own'));
    const environment = {
      PATH: `${shims}:${join(project, 'bin')}:/usr/bin:/bin`,
      HOME: '/nonexistent',
      LANG: 'C.UTF-8',
    };
    await using runner = await openTestRunner(environment, { writable: [project] });
    expect((await runner.run('mine', READS)).stdout).toBe('at work\n');
    const { stdout } = await runner.run(`own; cat ${base}/notes.txt ${project}/notes.txt`, READS);
    expect(stdout).toBe('');
  });

  it('in a worktree and in a submodule: their repository is seen, and Git’s own commands write there', async () => {
    await using runner = await openTestRunner();
    const base = folderBeside();
    const [main, tree, library, whole] = ['main', 'tree', 'library', 'whole'].map((name) => join(base, name));
    if (main === undefined || tree === undefined || library === undefined || whole === undefined)
      throw new Error('no folders');
    for (const folder of [main, library, whole]) {
      mkdirSync(folder);
      git(folder, 'init', '-qb', 'main');
      writeFileSync(join(folder, 'a.txt'), 'first\n');
      git(folder, 'add', '.');
      git(folder, 'commit', '-qm', 'first');
    }
    writeFileSync(join(main, 'beside.txt'), 'planted');
    git(main, 'worktree', 'add', '-q', tree);
    git(whole, 'submodule', 'add', '-q', library, 'sub');
    for (const [folder, repository] of [
      [tree, join(main, '.git')],
      [join(whole, 'sub'), join(whole, '.git/modules/sub')],
    ] as const) {
      const at = { workingDirectory: folder };
      expect((await runner.run('git log --oneline | wc -l; git status --short', { ...READS, ...at })).stdout).toBe(
        '1\n',
      );
      writeFileSync(join(folder, 'b.txt'), 'second\n');
      const who = '-c user.name=t -c user.email=t@t';
      const committed = await runner.run(`git add b.txt && git ${who} commit -qm second && git log --oneline | wc -l`, {
        ...GIT,
        ...at,
      });
      expect(committed, committed.stderr).toMatchObject({ stdout: '2\n' });
      // What is not Git writes nothing there, and Git nothing that it would obey.
      const wrote = await runner.run(`echo x >> ${repository}/HEAD`, { ...UNASKED, ...at });
      expect(wrote.ending).not.toEqual({ kind: 'exited', code: 0 });
      const config = readFileSync(join(repository, 'config'), 'utf8');
      await runner.run('git config core.fsmonitor planted', { ...GIT, ...at });
      expect(readFileSync(join(repository, 'config'), 'utf8')).toBe(config);
      expect((await runner.run(`cat ${main}/beside.txt ${whole}/a.txt`, { ...READS, ...at })).stdout).toBe('');
    }
    // A hook runs what stands in the tree: it reaches no other working tree, and not what says where the repository is.
    git(main, 'worktree', 'add', '-q', '-b', 'beside', join(base, 'beside'));
    mkdirSync(join(main, '.git/modules'), { recursive: true });
    const places = ['worktrees/beside/HEAD', 'worktrees/beside/new', 'modules/new', 'worktrees/tree/commondir'];
    writeFileSync(
      join(tree, 'try.sh'),
      places.map((place) => `(echo x >> ${main}/.git/${place}) 2>/dev/null && echo wrote ${place}`).join('\n'),
    );
    const tried = await runner.run(
      `sh try.sh; mv ${main}/.git/worktrees ${main}/.git/w; mv ${main}/.git/worktrees/tree x`,
      {
        ...GIT,
        workingDirectory: tree,
      },
    );
    expect(tried.stdout).toBe('');
    expect(tried.ending).not.toEqual({ kind: 'exited', code: 0 });
    expect(readFileSync(join(main, '.git/worktrees/tree/commondir'), 'utf8')).toBe('../..\n');
    // What a folder says of itself alone opens nothing.
    writeFileSync(join(runner.workspace, '.git'), `gitdir: ${join(main, '.git')}\n`);
    expect((await runner.run(`cat ${main}/.git/HEAD`, READS)).stdout).toBe('');
    const forged = join(runner.workspace, 'worktrees/x');
    mkdirSync(forged, { recursive: true });
    writeFileSync(join(forged, 'gitdir'), join(runner.workspace, '.git'));
    writeFileSync(join(forged, 'commondir'), join(main, '.git'));
    writeFileSync(join(runner.workspace, '.git'), `gitdir: ${forged}\n`);
    expect((await runner.run(`cat ${main}/.git/HEAD`, READS)).stdout).toBe('');
    expect(existsSync(join(main, '.git/HEAD'))).toBe(true);
  });
});
