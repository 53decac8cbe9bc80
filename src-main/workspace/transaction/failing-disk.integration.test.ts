import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, realpath, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { CRASH_CHANGES, CRASH_TREE } from './crash-samples.test-support.js';
import type { TransactionStep } from './transaction-steps.js';
import { Bench, failureOf, isRoot } from './transaction.test-support.js';

const CHILD = new URL('./crash-child.test-support.ts', import.meta.url).pathname;

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
});
afterEach(async () => {
  await bench.dispose();
});

const errno = (code: string) => Object.assign(new Error(code), { code });

async function stepsOf(work: (bench: Bench) => Promise<unknown>): Promise<readonly TransactionStep[]> {
  const dry = await Bench.create();
  try {
    const steps: TransactionStep[] = [];
    await dry.write(CRASH_TREE);
    dry.step = (step) => void steps.push(step);
    await work(dry);
    return steps;
  } finally {
    await dry.dispose();
  }
}

/** Fails the n-th step from now on (counted from 1), once. */
function failAt(at: number, code: string): void {
  let steps = 0;
  bench.step = () => {
    steps += 1;
    if (steps === at) throw errno(code);
  };
}

describe.each(['EACCES', 'ENOSPC', 'EXDEV', 'EIO'])('%s', (code) => {
  it('at any step of a commit leaves every byte, mode and name as it was', async () => {
    const steps = await stepsOf(async (dry) => (await dry.begin('call-1', CRASH_CHANGES)).commit());
    await bench.write(CRASH_TREE);
    const before = await bench.tree();
    for (let at = 1; at <= steps.length; at += 1) {
      bench.restart();
      const transaction = await bench.begin(`call-${at}`, CRASH_CHANGES);
      failAt(at, code);
      const failure = await failureOf(transaction.commit());
      expect(failure.code, steps[at - 1]).toBe(code === 'ENOSPC' ? 'ResourceExhausted' : 'ExecutionFailed');
      expect(transaction.state).toBe('rolled-back');
      expect(await bench.tree(), steps[at - 1]).toEqual(before);
      expect(await bench.pending()).toEqual([]);
      await transaction.rollback();
      await transaction.settle();
    }
    bench.step = () => undefined;
    await bench.change('call-last', CRASH_CHANGES);
    await bench.undoCall('undo-1', 'call-last');
    expect(bench.problems).toEqual([]);
  });

  it('at any step of a rollback: what stays is named, nothing else stays, and all is put right after a crash', async () => {
    const steps = await stepsOf(async (dry) => {
      const transaction = await dry.begin('call-1', CRASH_CHANGES);
      const step = dry.step;
      dry.step = () => undefined;
      await transaction.commit();
      dry.step = step;
      await transaction.rollback();
    });
    await bench.write(CRASH_TREE);
    const before = await bench.tree();
    let stayed = 0;
    for (let at = 1; at <= steps.length; at += 1) {
      const callId = `call-${at}`;
      bench.step = () => undefined;
      const transaction = await bench.begin(callId, CRASH_CHANGES);
      await transaction.commit();
      failAt(at, code);
      const problems = bench.problems.length;
      const left = await transaction.rollback();
      bench.step = () => undefined;
      const tree = await bench.tree();
      const all = [...new Set([...Object.keys(tree), ...Object.keys(before)])];
      const other = all.filter((path) => tree[path] !== before[path]);
      // A folder goes with what is in it.
      const differ = other.filter((path) => !other.some((inside) => inside.startsWith(`${path}/`)));
      if (left === null) expect([differ, bench.problems.length], steps[at - 1]).toEqual([[], problems + 1]);
      else {
        stayed += 1;
        expect(left.paths.toSorted(), steps[at - 1]).toEqual(differ.toSorted());
        // What is named once is not tried again behind the back of who was told.
        expect(await transaction.rollback()).toEqual(left);
      }
      bench.restart();
      const recovered = await bench.transactions.recover(() => false);
      // Past the very last step nothing was left to do.
      expect(recovered.length === 1 || at >= steps.length - 1).toBe(true);
      expect(await bench.tree(), steps[at - 1]).toEqual(before);
      expect(await bench.pending()).toEqual([]);
    }
    expect(stayed).toBeGreaterThan(0);
  });

  it('what stayed can be undone from the call’s record, when the disk works again', async () => {
    await bench.write(CRASH_TREE);
    const before = await bench.tree();
    const transaction = await bench.begin('call-1', CRASH_CHANGES);
    await transaction.commit();
    bench.step = (step) => {
      if (step === 'restore-file') throw errno(code);
    };
    const left = await transaction.rollback();
    bench.step = () => undefined;
    expect(left?.files.every(({ undoable }) => undoable)).toBe(true);
    expect(await bench.tree()).not.toEqual(before);
    await transaction.settle();
    bench.restart();
    await bench.transactions.recover(() => true);
    await bench.undoCall('undo-1', 'call-1');
    expect(await bench.tree()).toEqual(before);
  });

  it('at settling is said, and neither the change nor its undo is lost', async () => {
    await bench.write(CRASH_TREE);
    const transaction = await bench.begin('call-1', CRASH_CHANGES);
    await transaction.commit();
    const after = await bench.tree();
    failAt(1, code);
    await transaction.settle();
    expect(bench.problems).toHaveLength(1);
    bench.restart();
    expect(await bench.transactions.recover(() => true)).toEqual([]);
    expect(await bench.tree()).toEqual(after);
    expect((await bench.undo.preview('call-1', bench.jail))?.files.every(({ possible }) => possible)).toBe(true);
  });
});

/** Runs the changing child with the n-th of one system call failing, as the kernel would tell it. */
async function attemptWith(base: string, call: string, code: string, at: number): Promise<string> {
  const inject = [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:error=${code}:when=${at}`,
  ];
  const child = spawn('strace', [...inject, process.execPath, CHILD, base, 'attempt', '0'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  return text;
}

describe.runIf(process.platform === 'linux')('the system itself refuses', () => {
  it.each([
    ['rename', 'EIO'],
    ['rename', 'EXDEV'],
    ['link', 'EIO'],
    ['unlink', 'EIO'],
    ['fsync', 'EIO'],
    ['fdatasync', 'EIO'],
    ['pwrite64', 'ENOSPC'],
    ['fchmod', 'EPERM'],
  ])('the n-th %s with %s: nothing changed, or all of it', async (call, code) => {
    const done = await Bench.create();
    onTestFinished(() => done.dispose());
    await done.write(CRASH_TREE);
    const before = await done.tree();
    await done.change('call-1', CRASH_CHANGES);
    const after = await done.tree();
    let failed = 0;
    for (let at = 1; ; at += 1) {
      const other = await Bench.create();
      onTestFinished(() => other.dispose());
      await other.write(CRASH_TREE);
      const said = await attemptWith(other.base, call, code, at);
      expect(said).toMatch(/settled|failed (ExecutionFailed|ResourceExhausted|StateError)/);
      const settled = said.includes('settled');
      // Each thread counts for itself, so the rollback may be struck too; then it says so, and the next start does it.
      if (!said.includes('StateError')) {
        expect(await other.tree(), `${call} ${at}: ${said}`).toEqual(settled ? after : before);
      }
      await other.transactions.recover(() => settled);
      expect(await other.tree()).toEqual(settled ? after : before);
      expect(await other.pending()).toEqual([]);
      failed += settled ? 0 : 1;
      if (settled) break;
    }
    expect(failed).toBeGreaterThan(0);
  });
});

describe.runIf(isRoot)('a disk that is full', () => {
  async function smallDisk(size: string): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'small-disk-')));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    onTestFinished(async () => {
      execFileSync('umount', ['-l', folder]);
      await rmdir(folder);
    });
    return folder;
  }

  it('under the workspace: nothing changed, nothing left behind', async () => {
    const folder = await smallDisk('1m');
    await mkdir(join(folder, 'workspace'));
    const small = await Bench.at(folder, { dataDir: join(bench.base, 'data'), durable: true });
    const content = 'x'.repeat(200_000);
    await small.write({ 'a.txt': { content, mode: 0o600 }, 'b.txt': { content, mode: 0o600 } });
    const before = await small.tree();
    const larger = `${content}${'y'.repeat(250_000)}`;
    const transaction = await small.begin('call-1', {
      'a.txt': [content, larger],
      'b.txt': [content, larger],
      'new/c.txt': [null, larger],
    });
    expect(await failureOf(transaction.commit())).toMatchObject({ code: 'ResourceExhausted', limit: 'disk space' });
    expect(await small.tree()).toEqual(before);
    expect(await small.pending()).toEqual([]);
    await small.change('call-2', { 'a.txt': [content, 'less'] });
  });

  it('under what is kept for undo: nothing changed, and the next call may try again', async () => {
    const folder = await smallDisk('256k');
    const small = await Bench.at(bench.base, { dataDir: folder, durable: true });
    const content = randomBytes(300_000).toString('base64');
    await small.write({ 'a.txt': { content, mode: 0o600 } });
    const before = await small.tree();
    const transaction = await small.begin('call-1', { 'a.txt': [content, 'b'] });
    expect(await failureOf(transaction.commit())).toMatchObject({ code: 'ResourceExhausted', limit: 'disk space' });
    expect(await small.tree()).toEqual(before);
    expect(await readdir(join(folder, 'transactions')).catch(() => [])).toEqual([]);
    await writeFile(join(small.workspace, 'a.txt'), 'a');
    await small.change('call-2', { 'a.txt': ['a', 'b'] });
    await small.undoCall('undo-1', 'call-2');
    expect(await small.tree()).toEqual({ 'a.txt': '600 0:0 a' });
  });
});
