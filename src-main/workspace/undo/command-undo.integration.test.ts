import { chmod, chown, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changesOf, command, COMMAND_TREE, oneByOne } from './command-samples.test-support.js';
import { createCommandUndo } from './command-undo.js';
import { Bench, failureOf, isRoot } from '../transaction/transaction.test-support.js';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create();
  await bench.write(COMMAND_TREE);
});
afterEach(async () => {
  await bench.dispose();
});

const noFolders = { createdFolders: [], removedFolders: [], leaves: () => [] };
const at = (path: string) => join(bench.workspace, path);
const problems = async (callId: string) =>
  Object.fromEntries((await bench.undo.preview(callId, bench.jail))?.files.map((f) => [f.path, f.problem]) ?? []);

describe('what a command changed', () => {
  it('is undone to every byte, mode and link, the folders it made go too; and the undo is undone', async () => {
    const before = await bench.tree();
    const kept = await command(bench, 'call-1');
    expect([...kept].sort()).toEqual([
      'becomes-link',
      'deep/er/gone.bin',
      'edited.txt',
      'new/er/link',
      'new/er/made.txt',
      'rights.txt',
      'run.sh',
    ]);
    const after = await bench.tree();
    bench.restart();
    await bench.undoCall('undo-1', 'call-1');
    expect(await bench.tree()).toEqual(before);
    await bench.undoCall('undo-2', 'undo-1');
    expect(await bench.tree()).toEqual(after);
    await bench.undoCall('undo-3', 'undo-2');
    expect(await bench.tree()).toEqual(before);
  });

  it('is shown in its three versions', async () => {
    await command(bench, 'call-1');
    await writeFile(at('edited.txt'), 'mine');
    const preview = await bench.undo.preview('call-1', bench.jail);
    expect(preview?.files.find(({ path }) => path === 'edited.txt')).toEqual({
      mayBeOthers: false,
      path: 'edited.txt',
      action: 'restore',
      possible: false,
      problem: 'It was edited after this call.',
      rights: null,
      before: 'one\n',
      after: 'one\ntwo\n',
      current: 'mine',
    });
    expect(preview?.files.find(({ path }) => path === 'new/er/made.txt')).toMatchObject({
      action: 'delete',
      possible: true,
    });
    expect(preview?.files.find(({ path }) => path === 'run.sh')?.rights).toEqual({ before: 0o755, after: 0o700 });
  });

  it('stays where it was changed since: bytes, rights, links, what came in its place', async () => {
    await command(bench, 'call-1');
    await writeFile(at('edited.txt'), 'mine');
    await chmod(at('rights.txt'), 0o640);
    await rm(at('becomes-link'));
    await symlink('/etc/passwd', at('becomes-link'));
    await mkdir(at('deep/er'), { recursive: true });
    await writeFile(at('deep/er/gone.bin'), 'new');
    await writeFile(at('new/er/made.txt'), 'more');
    const mine = await bench.tree();
    expect(await problems('call-1')).toEqual({
      'edited.txt': 'It was edited after this call.',
      'rights.txt': 'Its permissions were changed since.',
      'becomes-link': 'It was edited after this call.',
      'deep/er/gone.bin': 'The call deleted it, and something else is there now.',
      'new/er/made.txt': 'It was edited after this call.',
      'new/er/link': null,
      'run.sh': null,
    });
    expect(await failureOf(bench.undoCall('undo-1', 'call-1'))).toMatchObject({ code: 'ExecutionFailed' });
    expect(await bench.tree()).toEqual(mine);
    // The others can still go back, and the folder stays for what is left in it.
    await bench.undoCall('undo-2', 'call-1', ['run.sh', 'new/er/link']);
    expect(await bench.tree()).toMatchObject({ 'run.sh': '755 0:0 #!/bin/sh\n', 'new/er/made.txt': '644 0:0 more' });
    expect(await bench.tree()).not.toHaveProperty('new/er/link');
  });

  it.runIf(isRoot)('gives a file back to whom it belonged', async () => {
    const before = await bench.tree();
    await command(
      bench,
      'call-1',
      async () => {
        await chown(at('edited.txt'), 1234, 1235);
        await rm(at('untouched.txt'));
      },
      [],
    );
    await bench.undoCall('undo-1', 'call-1');
    expect(await bench.tree()).toEqual(before);
  });

  it('can’t be undone past what the quota keeps, and says which', async () => {
    bench.quota = 40_000;
    await writeFile(at('large.bin'), Buffer.alloc(20_000, 1));
    const act = async () => {
      await rm(at('large.bin'));
      await writeFile(at('edited.txt'), 'small');
    };
    expect([...(await command(bench, 'call-1', act, []))]).toEqual(['edited.txt']);
    expect(await problems('call-1')).toEqual({ 'edited.txt': null });
  });

  it('goes with the oldest when the quota is reached, and with what is older than asked', async () => {
    await command(bench, 'call-1');
    bench.restart();
    await bench.undo.prune(Date.now() + 60_000);
    expect(await bench.undo.preview('call-1', bench.jail)).toBeNull();
    expect(await bench.undo.changedFiles('call-1')).toBeNull();
  });

  it('is not kept in part: a failure at any step leaves no record, and is said', async () => {
    const steps: string[] = [];
    bench.step = (step) => void steps.push(step);
    await command(bench, 'call-0');
    bench.step = () => undefined;
    await bench.undoCall('undo-0', 'call-0');
    const before = await bench.tree();
    for (let failing = 1; failing <= steps.length; failing += 1) {
      bench.restart();
      let step = 0;
      bench.step = () => {
        step += 1;
        if (step === failing) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      };
      expect(await failureOf(command(bench, `call-${failing}`)), steps[failing - 1]).toMatchObject({
        code: 'ResourceExhausted',
      });
      bench.step = () => undefined;
      expect(await bench.undo.preview(`call-${failing}`, bench.jail)).toBeNull();
      expect(await bench.pending()).toEqual([]);
      // Put back by hand, for the next round.
      await rm(bench.workspace, { recursive: true });
      await mkdir(bench.workspace);
      await bench.write(COMMAND_TREE);
    }
    expect(steps.length).toBeGreaterThan(5);
    await command(bench, 'call-last');
    await bench.undoCall('undo-last', 'call-last');
    expect(await bench.tree()).toEqual(before);
  });

  it('reads one file at a time, and waits its turn among the transactions', async () => {
    const changes = await changesOf(bench.workspace, async () => {
      await writeFile(at('edited.txt'), 'two');
      await writeFile(at('run.sh'), 'three');
    });
    const undo = createCommandUndo(bench.parts);
    const [, kept] = await Promise.all([
      bench.change('call-1', { 'untouched.txt': ['untouched', 'touched'] }),
      undo.keep({ callId: 'call-2', root: bench.workspace, changes: oneByOne(changes), ...noFolders }),
    ]);
    expect(kept.size).toBe(2);
    await bench.undoCall('undo-1', 'call-1');
    await bench.undoCall('undo-2', 'call-2');
    expect(await bench.tree()).toMatchObject({ 'edited.txt': '640 0:0 one\n', 'untouched.txt': '644 0:0 untouched' });
  });
});

describe('who else changed the workspace while a command ran', () => {
  const watch = (root = bench.workspace) => createCommandUndo(bench.parts).watch(root);

  it('is told: a tool’s commit, its rollback, and one that was under way already', async () => {
    using before = watch();
    const transaction = await bench.begin('call-1', { 'edited.txt': ['one\n', 'two\n'] });
    let during: ReturnType<typeof watch> | null = null;
    bench.step = (step) => {
      if (step === 'place') during ??= watch();
    };
    await transaction.commit();
    using after = watch();
    for (const one of [before, during]) {
      expect(one).not.toBeNull();
      expect((one as unknown as ReturnType<typeof watch>).wasChangedByTool('edited.txt')).toBe(true);
    }
    expect(after.wasChangedByTool('edited.txt')).toBe(false);
    expect(before.wasChangedByTool('run.sh')).toBe(false);
    await transaction.rollback();
    expect(after.wasChangedByTool('edited.txt')).toBe(true);
  });

  it('is told of commands in the same folder, or in one of its folders, at the same time', () => {
    const first = watch();
    expect(first.isSharedWithCommand).toBe(false);
    const inner = watch(at('deep'));
    const other = watch(`${bench.workspace}-other`);
    expect([first, inner, other].map(({ isSharedWithCommand: sharedWithCommand }) => sharedWithCommand)).toEqual([
      true,
      true,
      false,
    ]);
    for (const one of [first, inner, other]) one[Symbol.dispose]();
    expect(watch().isSharedWithCommand).toBe(false);
  });
});
