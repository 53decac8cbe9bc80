import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../domain/ports/command-runner.js';
import { openTestRunner, type RunOptions, type TestRunner } from '../../../process/process.test-support.js';
import { treeOf } from '../../transaction/transaction.test-support.js';

/** Commands that nobody was asked about, in bubblewrap: what they may write to is what can be put back. */
let runner: TestRunner;
const at = (path: string): string => join(runner.workspace, path);
const text = (path: string): string => readFileSync(at(path), 'utf8');
const kept = { writes: 'kept', deletes: [] } as const;
const LARGE = 'x'.repeat(1024 * 1024 + 1);

beforeEach(async () => {
  runner = await openTestRunner();
  for (const folder of ['src/deep', 'node_modules/a', 'dist', 'assets']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('src/a.txt'), 'one\n');
  writeFileSync(at('src/deep/b.txt'), 'b\n');
  writeFileSync(at('node_modules/a/index.js'), 'a');
  writeFileSync(at('dist/out.js'), LARGE);
  writeFileSync(at('assets/film.mp4'), LARGE);
});
afterEach(() => runner[Symbol.asyncDispose]());

const run = (command: string, options: RunOptions = {}): Promise<CommandResult> =>
  runner.run(command, { unasked: kept, ...options, settings: { confinement: 'required', ...options.settings } });
const undo = () => runner.bench.undoCall('undo', runner.lastCall());
const git = (...words: string[]) => execFileSync('git', words, { cwd: runner.workspace, stdio: 'pipe' });

describe('what is kept', () => {
  it('may be changed, deleted and replaced, and goes back byte for byte', async () => {
    const before = await treeOf(runner.workspace);
    const result = await run(
      'echo two >> src/a.txt; rm src/deep/b.txt; mkdir made; echo new > made/new.txt; mv src/a.txt c.txt',
    );
    expect(result.ending).toEqual({ kind: 'exited', code: 0 });
    expect(result.changedFiles.filter(({ undoable }) => !undoable)).toEqual([]);
    await undo();
    expect(await treeOf(runner.workspace)).toEqual(before);
  });

  it('goes back whatever stands in its place, or is called otherwise besides', async () => {
    await run(
      'rm src/a.txt; mkdir src/a.txt; echo x > src/a.txt/in; ln src/deep/b.txt other; echo lost > src/deep/b.txt',
    );
    const preview = await runner.bench.undo.preview(runner.lastCall(), runner.bench.jail);
    expect(preview?.files.map(({ path }) => path).sort()).toEqual(
      expect.arrayContaining(['src/a.txt', 'src/deep/b.txt']),
    );
  });

  it('is all that it changed, however many that is', async () => {
    for (let file = 0; file < 1200; file += 1) writeFileSync(at(`src/deep/${file}.txt`), `${file}`);
    const before = await treeOf(runner.workspace);
    const result = await run('for f in src/deep/*.txt; do echo changed > "$f"; done');
    expect(result.changedFiles).toHaveLength(1000);
    expect(result.changedFilesComplete).toBe(false);
    await undo();
    expect(await treeOf(runner.workspace)).toEqual(before);
  });
});

describe('what is not kept is read-only, and the result says so', () => {
  it.each([
    ['deleted', 'rm -f assets/film.mp4'],
    ['emptied', ': > assets/film.mp4'],
    ['deleted with its folder', 'rm -rf assets'],
    ['moved away with its folder', 'mv assets elsewhere'],
    ['put something in the place of', 'echo x > y; mv -f y assets/film.mp4'],
    ['written by another name', 'ln assets/film.mp4 second && : > second; ln -s assets/film.mp4 link && : > link'],
    ['deleted by a script', "printf \"require('fs').rmSync('assets',{recursive:true})\" > s.cjs; node s.cjs"],
  ])('a file past 1 MiB is not %s', async (_what, command) => {
    const result = await run(command);
    expect(text('assets/film.mp4')).toBe(LARGE);
    expect(result.readOnlyAsUnkept).toEqual(['assets/film.mp4']);
  });

  it('a file of secrets, one that is denied, and what Git ignores', async () => {
    git('init', '-q');
    writeFileSync(at('.gitignore'), '.env\nlocal.db\n*.log\n');
    for (const file of ['.env', 'denied.txt']) writeFileSync(at(file), 'KEY=1');
    writeFileSync(at('local.db'), LARGE);
    const result = await run('git clean -fdXq; rm -rf .env denied.txt local.db; echo > .env; true', {
      isDenied: (path) => path === 'denied.txt',
    });
    for (const file of ['.env', 'denied.txt']) expect(text(file), file).toBe('KEY=1');
    expect(text('local.db')).toBe(LARGE);
    expect(result.readOnlyAsUnkept).toEqual(expect.arrayContaining(['.env', 'denied.txt', 'local.db']));
  });

  it('one that has other names, a pipe, and a link that is no text', async () => {
    linkSync(at('src/a.txt'), at('src/second.txt'));
    execFileSync('mkfifo', [at('pipe')]);
    mkdirSync(at('links'));
    symlinkSync(Buffer.from('bad\xff', 'latin1'), at('links/odd'));
    await run('echo x > src/a.txt; rm -f src/second.txt pipe links/odd; true');
    expect(text('src/second.txt')).toBe('one\n');
    expect(text('src/a.txt')).toBe('one\n');
    expect(existsSync(at('pipe'))).toBe(true);
    expect(execFileSync('ls', [at('links')]).length).toBeGreaterThan(0);
  });

  it('one that looks like a secret where there is no key store; with one it is kept', async () => {
    writeFileSync(at('notes.ini'), `token = "ghp_${'a1B2'.repeat(9)}"\n`);
    const before = text('notes.ini');
    expect((await run('rm -f notes.ini; true')).readOnlyAsUnkept).toContain('notes.ini');
    expect(text('notes.ini')).toBe(before);
  });

  it('more than can be kept one by one is so by its folders', async () => {
    mkdirSync(at('films'));
    for (let file = 0; file < 150; file += 1) writeFileSync(at(`films/${file}`), LARGE);
    const result = await run('rm -rf films; echo x > films/new; echo y > src/a.txt');
    expect(text('films/0')).toBe(LARGE);
    expect(result.readOnlyAsUnkept).toContain('films');
    expect(text('src/a.txt')).toBe('y\n');
  });
});

describe('folders of dependencies and build outputs', () => {
  it('are written to as ever', async () => {
    const result = await run('echo b > node_modules/a/index.js; echo c > node_modules/new; echo d > dist/out.js');
    expect(result.ending).toEqual({ kind: 'exited', code: 0 });
    expect(text('dist/out.js')).toBe('d\n');
  });

  it('are not written to where Git tracks a file in them, or the command names one to delete', async () => {
    expect((await run('rm -rf dist', { unasked: { writes: 'kept', deletes: ['dist'] } })).ending).not.toEqual({
      kind: 'exited',
      code: 0,
    });
    git('init', '-q');
    git('add', '-f', 'dist/out.js');
    const result = await run('echo x > dist/out.js');
    expect(text('dist/out.js')).toBe(LARGE);
    expect(result.readOnlyAsUnkept).toContain('dist/out.js');
  });
});

describe('a command that only reads', () => {
  it('can write nothing at all, wherever in the folder, and runs beside others', async () => {
    const before = await treeOf(runner.workspace);
    const waits = run('while [ ! -e /tmp/never ] && [ ! -e go ]; do sleep 0.05; done; echo done > src/a.txt');
    const reads = await run(
      'cat src/a.txt; echo x > src/a.txt; touch new node_modules/new dist/new; rm -rf src; true',
      {
        unasked: { writes: 'nothing', deletes: [] },
      },
    );
    expect(reads.stdout).toContain('one');
    expect(await treeOf(runner.workspace)).toEqual(before);
    writeFileSync(at('go'), '');
    expect((await waits).ending).toEqual({ kind: 'exited', code: 0 });
  });
});

describe('it never runs otherwise than it was let', () => {
  it.each<[string, NonNullable<RunOptions['settings']>]>([
    ['unconfined', { confinement: 'off' }],
    ['with the network', { network: true }],
    ['with hosts', { allowed_hosts: ['example.com'] }],
  ])('%s', async (_how, settings) => {
    const result = await runner.run('echo x > src/a.txt', { unasked: kept, settings });
    expect(result.ending.kind).toBe('unstartable');
    expect(text('src/a.txt')).toBe('one\n');
  });

  it('a script that writes .git can’t', async () => {
    git('init', '-q');
    await run(
      'printf "[core]\\n\\thooksPath = x\\n" >> .git/config; echo x > .git/hooks/post-checkout; sh -c "git tag x"; true',
    );
    expect(text('.git/config')).not.toContain('hooksPath');
    expect(existsSync(at('.git/hooks/post-checkout'))).toBe(false);
  });
});
