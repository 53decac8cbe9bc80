import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bench, type TreeChanges, type FileTree } from './transaction.test-support.js';

const NAMES = ['a', 'b', 'c/d', 'c/e', 'f/g/h', 'f/g/i', 'j'] as const;

const contents = fc.oneof(
  fc.constantFrom('', 'x', 'one\n', 'one\ntwo\n'),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => text.toWellFormed()),
  fc.integer({ min: 1, max: 3000 }).map((times) => 'a line that comes again\n'.repeat(times)),
);

interface Plan {
  readonly tree: FileTree;
  readonly changes: TreeChanges;
}

/** Plans: some of the names with contents and modes, and what becomes of some of them. */
const plans: fc.Arbitrary<Plan> = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES),
      before: fc.option(contents),
      after: fc.option(contents),
      mode: fc.constantFrom(0o644, 0o600, 0o755, 0o4711),
      untouched: fc.boolean(),
    }),
    { selector: ({ name }) => name, minLength: 1 },
  )
  .map((files) => ({
    tree: Object.fromEntries(
      files.flatMap(({ name, before, mode }) => (before === null ? [] : [[name, { content: before, mode }] as const])),
    ),
    changes: Object.fromEntries(
      files
        .filter(({ untouched, before, after }) => !untouched && (before !== null || after !== null))
        .map(({ name, before, after }) => [name, [before, after]] as const),
    ),
  }));

/** One file was in its place, the other's content beside its place, when rolling back failed too. */
const TEMPORARY_LEFT: Plan = {
  tree: { a: { content: '', mode: 0o644 }, 'f/g/i': { content: '', mode: 0o644 } },
  changes: { 'f/g/i': ['', 'x'], 'f/g/h': [null, 'y\n'] },
};

async function withPlan(plan: Plan, work: (bench: Bench) => Promise<void>): Promise<void> {
  const bench = await Bench.create();
  try {
    await bench.write(plan.tree);
    await work(bench);
    expect(bench.problems).toEqual([]);
  } finally {
    await bench.dispose();
  }
}

/** Folders that were emptied stay; they belong to nobody. */
const filesOf = (tree: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(tree).filter(([, state]) => state !== 'folder'));

describe('any set of files, any changes', () => {
  it('are all there after the commit, all gone after undo, and there again after redo', async () => {
    await fc.assert(
      fc.asyncProperty(plans, (plan) =>
        withPlan(plan, async (bench) => {
          const before = await bench.tree();
          const changed = await bench.change('call-1', plan.changes);
          const after = await bench.tree();
          for (const [path, [, content]] of Object.entries(plan.changes)) {
            if (content === null) expect(after).not.toHaveProperty([path]);
            else expect(after[path]).toMatch(/^\d+ \d+:\d+ /);
            const bytes = content === null ? null : Buffer.from(content).toString('latin1');
            if (bytes !== null) expect(after[path]?.replace(/^\d+ \d+:\d+ /, '')).toBe(bytes);
          }
          if (changed.length === 0) return;
          await bench.undoCall('undo-1', 'call-1');
          expect(filesOf(await bench.tree())).toEqual(filesOf(before));
          bench.restart();
          await bench.undoCall('redo-1', 'undo-1');
          expect(filesOf(await bench.tree())).toEqual(filesOf(after));
        }),
      ),
      { numRuns: 60 },
    );
  });

  it('are as they were when any step fails, and after a start when the rollback fails too', async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        fc.integer({ min: 1, max: 60 }),
        fc.option(fc.integer({ min: 1, max: 25 })),
        (plan, first, second) =>
          withPlan(plan, async (bench) => {
            const before = await bench.tree();
            const transaction = await bench.begin('call-1', plan.changes);
            let steps = 0;
            bench.step = () => {
              steps += 1;
              const fails = steps === first || (second !== null && steps === first + second);
              if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
            };
            const outcome = await transaction.commit().then(
              () => 'committed',
              () => 'failed',
            );
            bench.step = () => undefined;
            bench.restart();
            await bench.transactions.recover(() => outcome === 'committed');
            // Of a rollback that was struck when all was back already.
            for (const told of bench.problems.splice(0)) expect(told).toContain('All files are as they were');
            if (outcome === 'failed') expect(await bench.tree()).toEqual(before);
            expect(await bench.pending()).toEqual([]);
          }),
      ),
      { numRuns: 150, examples: [[TEMPORARY_LEFT, 20, 1]] },
    );
  });
});
