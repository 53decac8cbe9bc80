import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { CommandResult } from '../../domain/ports/command-runner.js';
import { createQuarantineStore } from '../quarantine/quarantine-store.js';
import { createCommandUndo } from '../undo/command-undo.js';
import { type Bench, treeOf } from '../transaction/transaction.test-support.js';
import { openTestRunner, type RunOptions, type TestRunner, UNHURRIED } from '../../process/process.test-support.js';
import { AfterReader } from './after-reader.js';
import { listWorkspace } from './workspace-list.js';
import { Snapshots } from './snapshot/snapshots.js';
import { SNAPSHOT_BOUNDS, WorkspaceSnapshot } from './snapshot/workspace-snapshot.js';
import { CommandGuard } from './control/command-guard.js';
import { TrackedCommand } from './tracked-command.js';

let runner: TestRunner;
/** A bench whose undo works on the runner's own folders. */
let bench: Bench;
const at = (path: string) => join(runner.workspace, path);
const tree = () => treeOf(runner.workspace);

beforeEach(async () => {
  runner = await openTestRunner();
  bench = runner.bench;
  mkdirSync(at('src/deep'), { recursive: true });
  writeFileSync(at('text.txt'), 'one\n');
  writeFileSync(at('src/binary'), Buffer.from([0, 255, 10, 13, 0, 1]));
  chmodSync(at('src/binary'), 0o640);
  writeFileSync(at('src/deep/run.sh'), '#!/bin/sh\n');
  chmodSync(at('src/deep/run.sh'), 0o4755);
  writeFileSync(at('app.asar'), 'no archive');
  symlinkSync('text.txt', at('link'));
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
});

/** Unconfined, unless what is shown needs more: how it is run makes no difference to what is undone. */
async function run(command: string, options: RunOptions = {}): Promise<CommandResult> {
  return runner.run(command, { ...options, settings: { confinement: 'off', ...options.settings } });
}
const undo = (call: string, paths: readonly string[] | null = null) => bench.undoCall(`undo-${call}`, call, paths);
const told = ({ changedFiles }: Pick<CommandResult, 'changedFiles'>) =>
  Object.fromEntries(changedFiles.map(({ path, undoable, note }) => [path, undoable ? true : note]));

const EVERYTHING = `
  echo two >> text.txt; chmod 600 text.txt
  printf '\\001\\000' > src/binary
  rm -r src/deep; ln -sf /etc/hostname link; chmod 777 app.asar; echo >> app.asar
  mkdir -p new/er; echo made > new/er/made.txt; ln -s made.txt new/er/link; chmod 400 new/er/made.txt
`;

describe('what a command did', () => {
  it.each(['off', 'required'] as const)('is undone, and done again, byte for byte; confinement %s', async (mode) => {
    const before = await tree();
    const result = await run(EVERYTHING, { settings: { confinement: mode } });
    expect(told(result)).toEqual({
      'app.asar': true,
      link: true,
      'new/er/link': true,
      'new/er/made.txt': true,
      'src/binary': true,
      'src/deep/run.sh': true,
      'text.txt': true,
    });
    const after = await tree();
    expect(after).not.toEqual(before);
    await undo('call-1');
    expect(await tree()).toEqual(before);
    await bench.undoCall('redo', 'undo-call-1');
    expect(await tree()).toEqual(after);
  });

  it.each([
    ['failed', `${EVERYTHING} exit 3`, { kind: 'exited', code: 3 }],
    ['was ended by a limit', `${EVERYTHING} yes`, { kind: 'limit', limit: 'max_output_file_bytes', code: null }],
  ] as const)('is undone also where it %s', async (_, command, ending) => {
    const before = await tree();
    const result = await run(command, { settings: { max_output_file_bytes: 100_000 } });
    expect(result.ending).toEqual(ending);
    await undo('call-1');
    expect(await tree()).toEqual(before);
  });

  it('is undone also where it was stopped', async () => {
    const before = await tree();
    const stop = new AbortController();
    const result = await run(`${EVERYTHING} echo done; sleep 600`, {
      signal: stop.signal,
      onOutput: async () => stop.abort(),
    });
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(Object.values(told(result))).toEqual(Array.from({ length: 7 }, () => true));
    await undo('call-1');
    expect(await tree()).toEqual(before);
  });

  it('is found right for two commands in a row, and a file tool between them', async () => {
    await run('echo first > text.txt');
    const first = await tree();
    await bench.change('tool', { 'text.txt': ['first\n', 'tool\n'] });
    const second = await tree();
    expect(told(await run('echo last > text.txt; rm app.asar'))).toEqual({ 'text.txt': true, 'app.asar': true });
    await undo('call-2');
    expect(await tree()).toEqual(second);
    await undo('tool');
    expect(await tree()).toEqual(first);
    await undo('call-1');
    expect(readFileSync(at('text.txt'), 'utf8')).toBe('one\n');
  });

  it('is refused where something changed it since, and the rest still goes back', async () => {
    await run('echo two > text.txt; echo x > src/binary');
    writeFileSync(at('text.txt'), 'mine');
    await expect(undo('call-1')).rejects.toThrow(/edited after this call/);
    expect(readFileSync(at('src/binary'), 'utf8')).toBe('x\n');
    await undo('call-1', ['src/binary']);
    expect(readFileSync(at('src/binary'))).toEqual(Buffer.from([0, 255, 10, 13, 0, 1]));
    expect(readFileSync(at('text.txt'), 'utf8')).toBe('mine');
  });

  it('brings a folder back no wider open than it was', async () => {
    chmodSync(at('src/deep'), 0o700);
    mkdirSync(at('src/deep/shared'), { mode: 0o755 });
    writeFileSync(at('src/deep/shared/x'), 'x');
    const before = await tree();
    await run('rm -r src');
    await undo('call-1');
    expect(await tree()).toEqual(before);
    const modes = ['src/deep', 'src/deep/shared'].map((path) => lstatSync(at(path)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o755]);
  });

  it('takes back much that it made, without keeping it', async () => {
    const before = await tree();
    const result = await run('for i in $(seq 20); do head -c 1048576 /dev/urandom > "made$i"; done');
    expect(Object.values(told(result))).toEqual(Array.from({ length: 20 }, () => true));
    expect(lstatSync(join(runner.outputs, 'undo/00000001/images')).size).toBeLessThan(17 * 1024 * 1024);
    await undo('call-1');
    expect(await tree()).toEqual(before);
  });

  it('takes back a large file that it made, by its hash', async () => {
    const before = await tree();
    const result = await run('head -c 5000000 /dev/urandom > large; head -c 2000000 /dev/zero > other');
    expect(told(result)).toEqual({ large: true, other: true });
    await undo('call-1', ['large']);
    const changed = readFileSync(at('other'));
    changed[1_999_999] = 1;
    writeFileSync(at('other'), changed);
    await expect(undo('call-1', ['other'])).rejects.toThrow(/edited after this call/);
    rmSync(at('other'));
    expect(await tree()).toEqual(before);
  });
});

describe('what holds secrets', () => {
  it('can be removed again where the command made it, and its content is nowhere kept', async () => {
    expect(told(await run('echo KEY=1 > .env'))).toEqual({ '.env': true });
    const preview = await bench.undo.preview('call-1', bench.jail);
    expect(preview?.files).toMatchObject([{ path: '.env', action: 'delete', possible: true, after: null }]);
    expect(readFileSync(join(runner.outputs, 'undo/00000001/images')).byteLength).toBe(0);
    await undo('call-1');
    expect(() => lstatSync(at('.env'))).toThrow(/ENOENT/);
  });
});

describe('what can’t be undone is said, with the reason', () => {
  it('of each file', async () => {
    writeFileSync(at('large'), Buffer.alloc(1024 * 1024 + 1));
    writeFileSync(at('.env'), 'KEY=1');
    writeFileSync(at('denied'), 'x');
    linkSync(at('app.asar'), at('other-name'));
    writeFileSync(at('touched'), 'same');
    mkdirSync(at('.git/info'), { recursive: true });
    execFileSync('mkfifo', [at('gone-pipe')]);
    const command = `
      for f in large .env denied; do echo more >> $f; done
      echo x >> app.asar; touch touched; echo x > .git/info/exclude; mkfifo pipe; rm gone-pipe
      rm text.txt; mkdir text.txt; echo x > text.txt/in; printf x > "$(printf 'bad\\377')"
      rm src/deep/run.sh; rmdir src/deep; echo x > src/deep; echo y > src/binary`;
    const result = await run(command, { isDenied: (path) => path === 'denied', mayLeave: { git: true } });
    const secret = 'It may hold secrets, so Gatehouse keeps no copy of it.';
    const special = 'It is a device, pipe or socket, not a regular file.';
    const tied = 'It has, or had, other names (hard links), which may lie outside.';
    expect(told(result)).toEqual({
      '.env': secret,
      '.git/info/exclude': 'It is inside .git, which undo never touches.',
      'app.asar': tied,
      'bad\ufffd': 'Its name is not valid text.',
      denied: secret,
      'gone-pipe': special,
      large: 'It was larger than 1 MiB, so no copy of it was kept.',
      'other-name': tied,
      pipe: special,
      'src/binary': true,
      'src/deep': true,
      'src/deep/run.sh': 'A file or a folder stands in its way now.',
      'text.txt': 'A file or a folder stands in its way now.',
      'text.txt/in': true,
      touched: 'Its content and rights are as they were; only its times were touched.',
    });
    await undo('call-1');
    expect(readFileSync(at('src/binary'))).toEqual(Buffer.from([0, 255, 10, 13, 0, 1]));
    // The folder that it made is gone with what was in it.
    expect(() => lstatSync(at('text.txt'))).toThrow(/ENOENT/);
  });

  it('where two commands ran at once: neither is given the other’s changes', async () => {
    const started = Promise.withResolvers<null>();
    const first = run('echo begun; while [ ! -e go ]; do sleep 0.05; done; echo 1 > one.txt', {
      onOutput: async () => started.resolve(null),
    });
    await started.promise;
    const second = await run('echo 2 > two.txt; echo > go');
    const note = 'Another command ran in this workspace at the same time, so whose change it is can’t be told.';
    expect(told(second)).toMatchObject({ 'two.txt': note });
    expect(told(await first)).toMatchObject({ 'one.txt': note, 'two.txt': note });
    // Alone again, it is as ever.
    expect(told(await run('rm one.txt'))).toEqual({ 'one.txt': true });
  });

  it('where a file tool changed it meanwhile: that is the tool’s', async () => {
    const started = Promise.withResolvers<null>();
    const running = run('echo begun; while [ ! -e go ]; do sleep 0.05; done; echo 1 > one.txt', {
      onOutput: async () => started.resolve(null),
    });
    await started.promise;
    await bench.change('tool', { 'text.txt': ['one\n', 'tool\n'] });
    writeFileSync(at('go'), '');
    expect(told(await running)).toMatchObject({
      'one.txt': true,
      'text.txt': 'A file tool changed it while the command ran. What that call did can be undone there.',
    });
    await undo('call-1', ['one.txt']);
    await undo('tool');
    expect(readFileSync(at('text.txt'), 'utf8')).toBe('one\n');
  });

  // Only root can mount the small disk.
  it.runIf(process.getuid?.() === 0)(
    'where the disk for it is full: the command runs all the same, and the log says why',
    async () => {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-small-')));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
      onTestFinished(async () => {
        execFileSync('umount', ['-l', folder]);
        await rmdir(folder);
      });
      await using small = await openTestRunner(undefined, { copies: folder });
      writeFileSync(join(small.workspace, 'text.txt'), 'one');
      const result = await small.run('echo two > text.txt; echo new > new.txt');
      expect(result.ending).toEqual({ kind: 'exited', code: 0 });
      expect(told(result)).toEqual({
        'new.txt': true,
        'text.txt': 'The disk is full, or almost, so no copy of it was kept.',
      });
      expect(small.log).toEqual([expect.stringContaining('the disk is full')]);
      await rm(join(small.workspace, 'new.txt'));
    },
  );

  it('where the record can’t be kept', async () => {
    bench.step = () => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
    };
    const result = await run('echo two > text.txt');
    bench.step = () => undefined;
    expect(result.ending).toEqual({ kind: 'exited', code: 0 });
    expect(told(result)).toEqual({ 'text.txt': 'What it was could not be kept for undo; the log says why.' });
    expect(runner.log).toEqual([expect.stringContaining('call-1')]);
    expect(await bench.undo.changedFiles('call-1')).toBeNull();
  });

  it('where there was no time to copy it before; what the command made can go all the same', async () => {
    const { log, outputs, workspace: root } = runner;
    const say = (message: string) => void log.push(message);
    const bounds = { ...SNAPSHOT_BOUNDS, catchUpMs: -1 };
    const snapshot = new WorkspaceSnapshot({
      keeps: async () => true,
      folder: join(outputs, 'late'),
      hidden: [],
      log: say,
      bounds,
    });
    onTestFinished(() => snapshot.close());
    const guard = new CommandGuard({
      store: createQuarantineStore(bench.parts),
      folder: join(outputs, 'owed'),
      hidden: [],
      home: null,
      log: say,
    });
    const snapshots = new Snapshots(() => snapshot);
    const parts = {
      undo: createCommandUndo(bench.parts),
      snapshots,
      guard,
      calls: { checkResidents: () => Promise.resolve([]) },
      hidden: [],
      log: say,
      list: UNHURRIED.list,
    };
    await using tracked = await TrackedCommand.begin(
      parts,
      'call-1',
      { root, isDenied: () => false },
      { mayLeave: { git: false, gitCommands: null, named: [] }, unasked: null, names: [], isHeld: false },
    );
    writeFileSync(at('text.txt'), 'two');
    writeFileSync(at('new.txt'), 'new');
    const found = await tracked.end();
    expect(told(found)).toEqual({
      'new.txt': true,
      'text.txt': 'No copy of it had been made when the command started.',
    });
  });

  it('where something stands in its place right after the command: no byte of that is read', async () => {
    writeFileSync(join(runner.outside, 'secret'), 'SECRET');
    mkdirSync(join(runner.outside, 'deep'));
    writeFileSync(join(runner.outside, 'deep/run.sh'), 'SECRET');
    const { files } = await listWorkspace(runner.workspace, UNHURRIED.list);
    const reader = new AfterReader(runner.workspace, () => false);
    const read = (path: string) => {
      const status = files.get(path);
      if (status === undefined) throw new Error(`${path} is not there`);
      return reader.read(path, status);
    };
    expect(await read('text.txt')).toMatchObject({ kind: 'file', size: 4 });
    rmSync(at('text.txt'));
    symlinkSync(join(runner.outside, 'secret'), at('text.txt'));
    rmSync(at('src/deep'), { recursive: true });
    symlinkSync(join(runner.outside, 'deep'), at('src/deep'));
    rmSync(at('link'));
    symlinkSync('src', at('link'));
    for (const path of ['text.txt', 'src/deep/run.sh', 'link']) expect(await read(path), path).toBe('changed');
  });
});
