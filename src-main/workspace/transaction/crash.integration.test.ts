import { describe, expect, it } from 'vitest';
import { runChild, stepsIn } from '../../platform/run-child.test-support.js';
import { sampledPlaces } from '../../tests/sampled.test-support.js';
import { COMMAND_TREE } from '../undo/command-samples.test-support.js';
import { CRASH_CHANGES, CRASH_TREE } from './crash-samples.test-support.js';
import { benchWith } from './bench-with.test-support.js';
import type { Bench } from './transaction.test-support.js';

const CHILD = new URL('./crash-child.test-support.ts', import.meta.url).pathname;

interface Ended {
  readonly killed: boolean;
  /** The journal would hold the call's result. */
  readonly settled: boolean;
  readonly steps: number;
}

async function run(base: string, work: string, killAt: number): Promise<Ended> {
  const { lines, killed } = await runChild(CHILD, [base, work, String(killAt)]);
  return { killed, settled: lines.includes('settled'), steps: stepsIn(lines) };
}

const freshBench = (): Promise<Bench> => benchWith(CRASH_TREE);

/** Crashes at a sample of the steps, two children at a time. */
async function each(count: number, work: (at: number) => Promise<void>): Promise<void> {
  const numbers = sampledPlaces(count, 3).values();
  const runner = async () => {
    for (const at of numbers) await work(at);
  };
  await Promise.all([runner(), runner()]);
}

async function trees(): Promise<{ before: Record<string, string>; after: Record<string, string> }> {
  const bench = await freshBench();
  const before = await bench.tree();
  await bench.change('call-1', CRASH_CHANGES);
  return { before, after: await bench.tree() };
}

/** Expects each file that counts to be one of the two versions, never a part of one, whatever was going on. */
function expectWholeFiles(tree: Readonly<Record<string, string>>, sides: readonly Record<string, string>[]): void {
  const known = new Set(sides.flatMap((side) => Object.keys(side)));
  for (const [path, state] of Object.entries(tree)) {
    if (!known.has(path)) expect(path).toMatch(/\.gatehouse-[0-9a-f]{16}\.tmp$/);
    else expect(sides.map((side) => side[path])).toContain(state);
  }
}

async function expectRecovered(
  bench: Bench,
  settled: boolean,
  sides: { before: object; after: object },
): Promise<void> {
  const rolledBack = await bench.transactions.recover(() => settled);
  expect(bench.problems).toEqual([]);
  expect(await bench.tree()).toEqual(settled ? sides.after : sides.before);
  if (settled) expect(rolledBack).toEqual([]);
  expect(await bench.pending()).toEqual([]);
  expect(await bench.transactions.recover(() => settled)).toEqual([]);
}

describe('killed in the middle (SIGKILL)', () => {
  it('of a commit, at every step: wholly before, or wholly after and undoable', async () => {
    const sides = await trees();
    const { steps } = await run((await freshBench()).base, 'commit', 0);
    expect(steps).toBeGreaterThan(40);
    let settledOnes = 0;
    await each(steps, async (at) => {
      const bench = await freshBench();
      const ended = await run(bench.base, 'commit', at);
      expect(ended.killed).toBe(true);
      expectWholeFiles(await bench.tree(), [sides.before, sides.after]);
      await expectRecovered(bench, ended.settled, sides);
      if (ended.settled) {
        settledOnes += 1;
        await bench.undoCall('undo-1', 'call-1');
        expect(await bench.tree()).toEqual(sides.before);
      } else {
        // What is left of the first try is in nobody's way.
        await bench.change('call-2', CRASH_CHANGES);
        expect(await bench.tree()).toEqual(sides.after);
      }
    });
    expect(settledOnes).toBeGreaterThan(0);
  });

  it('of a rollback, at every step: wholly before after the next start', async () => {
    const sides = await trees();
    const { steps } = await run((await freshBench()).base, 'rollback', 0);
    expect(steps).toBeGreaterThan(20);
    await each(steps, async (at) => {
      const bench = await freshBench();
      expect((await run(bench.base, 'rollback', at)).killed).toBe(true);
      expectWholeFiles(await bench.tree(), [sides.before, sides.after]);
      await expectRecovered(bench, false, sides);
    });
  });

  it('of a recovery, at every step, and again in the next: it is finished by the one after', async () => {
    const sides = await trees();
    // As a crash leaves it that comes right before the result is journaled: all files changed, nothing settled.
    const crashed = async () => {
      const bench = await freshBench();
      await (await bench.begin('call-1', CRASH_CHANGES)).commit();
      bench.restart();
      return bench;
    };
    const { steps } = await run((await crashed()).base, 'recover', 0);
    expect(steps).toBeGreaterThan(20);
    await each(steps, async (at) => {
      const bench = await crashed();
      expect((await run(bench.base, 'recover', at)).killed).toBe(true);
      expectWholeFiles(await bench.tree(), [sides.before, sides.after]);
      if (at % 2 === 0) await run(bench.base, 'recover', Math.ceil(at / 3));
      expectWholeFiles(await bench.tree(), [sides.before, sides.after]);
      await expectRecovered(bench, false, sides);
    });
  });

  it('of recording what a command did, at every step: nothing is taken back, and it can be undone whole or not', async () => {
    const sides = await freshBench();
    await sides.write(COMMAND_TREE);
    const before = await sides.tree();
    const { steps } = await run(sides.base, 'command', 0);
    const after = await sides.tree();
    expect(steps).toBeGreaterThan(5);
    let kept = 0;
    await each(steps, async (at) => {
      const bench = await freshBench();
      await bench.write(COMMAND_TREE);
      const ended = await run(bench.base, 'command', at);
      expect(ended).toMatchObject({ killed: true, settled: false });
      // The journal knows of no result, and all the same nothing of a command is rolled back.
      expect(await bench.transactions.recover(() => false)).toEqual([]);
      expect(bench.problems).toEqual([]);
      expect(await bench.tree()).toEqual(after);
      expect(await bench.pending()).toEqual([]);
      if ((await bench.undo.changedFiles('call-1')) !== null) {
        kept += 1;
        await bench.undoCall('undo-1', 'call-1');
        expect(await bench.tree()).toEqual(before);
      } else {
        // What is left of it is in nobody's way.
        await bench.change('call-2', { 'untouched.txt': ['untouched', 'changed'] });
        await bench.undoCall('undo-2', 'call-2');
        expect(await bench.tree()).toEqual(after);
      }
    });
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(steps);
  });

  it('of an undo, at every step: wholly undone or not at all, and the call can still be undone', async () => {
    const done = async () => {
      const bench = await freshBench();
      await bench.change('call-1', CRASH_CHANGES);
      return bench;
    };
    const undone = await done();
    const before = await undone.tree();
    const { steps } = await run(undone.base, 'undo', 0);
    const after = await undone.tree();
    await each(steps, async (at) => {
      const bench = await done();
      const ended = await run(bench.base, 'undo', at);
      expect(ended.killed).toBe(true);
      expectWholeFiles(await bench.tree(), [before, after]);
      await expectRecovered(bench, ended.settled, { before, after });
      if (!ended.settled) {
        await bench.undoCall('undo-2', 'call-1');
        expect(await bench.tree()).toEqual(after);
      }
    });
  });
});
