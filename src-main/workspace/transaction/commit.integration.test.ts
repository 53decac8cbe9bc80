import { chmod, chown, link, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../platform/digest.js';
import { Bench, failureOf, isRoot } from './transaction.test-support.js';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create({ durable: true });
});
afterEach(async () => {
  await bench.dispose();
});

describe('a workspace transaction', () => {
  it('changes nothing before commit, and everything by it', async () => {
    await bench.write({ 'a.txt': { content: 'one\n', mode: 0o640 }, 'gone.txt': { content: 'x', mode: 0o600 } });
    const before = await bench.tree();
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'a.txt', 'two\n', 'one\n');
    await bench.stageWrite(transaction, 'new/deep/b.txt', 'three\n', null);
    await bench.stageDelete(transaction, 'gone.txt', 'x');
    expect(await bench.tree()).toEqual(before);
    expect(await transaction.commit()).toEqual([
      { path: 'a.txt', change: 'modified', undoable: true, note: null, lines: { added: 1, removed: 1 } },
      { path: 'new/deep/b.txt', change: 'created', undoable: true, note: null, lines: { added: 1, removed: 0 } },
      { path: 'gone.txt', change: 'deleted', undoable: true, note: null, lines: { added: 0, removed: 1 } },
    ]);
    expect(await bench.tree()).toEqual({
      'a.txt': '640 0:0 two\n',
      new: 'folder',
      'new/deep': 'folder',
      'new/deep/b.txt': '644 0:0 three\n',
    });
    expect(transaction.state).toBe('committed');
    expect(await bench.pending()).toEqual(['call-1.json']);
    await transaction.settle();
    expect(await bench.pending()).toEqual([]);
  });

  it('rolls back what was committed, wholly, any number of times', async () => {
    await bench.write({ 'a.txt': { content: 'one\n', mode: 0o4755 }, 'gone.txt': { content: 'x', mode: 0o600 } });
    const before = await bench.tree();
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'a.txt', 'two\n', 'one\n');
    await bench.stageWrite(transaction, 'new/deep/b.txt', 'three\n', null);
    await bench.stageDelete(transaction, 'gone.txt', 'x');
    await transaction.commit();
    await transaction.rollback();
    await transaction.rollback();
    expect(await bench.tree()).toEqual(before);
    expect(transaction.state).toBe('rolled-back');
    expect(await bench.pending()).toEqual([]);
    await transaction.settle();
    expect(await bench.undo.preview('call-1', bench.jail)).toBeNull();
  });

  it('rolls back a transaction that never committed by forgetting it', async () => {
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'a.txt', 'x', null);
    await transaction.rollback();
    expect(await bench.tree()).toEqual({});
    await expect(transaction.commit()).rejects.toThrow('over');
    await expect(bench.stageWrite(transaction, 'b.txt', 'x', null)).rejects.toThrow('over');
  });

  it.runIf(isRoot)('keeps owner and mode of a file it replaces', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o600 } });
    await chown(join(bench.workspace, 'a.txt'), 1234, 2345);
    await chmod(join(bench.workspace, 'a.txt'), 0o2751);
    await bench.change('call-1', { 'a.txt': ['one', 'two'] });
    expect(await bench.tree()).toEqual({ 'a.txt': '2751 1234:2345 two' });
  });

  it('refuses a file whose bytes are not those expected, whatever its size and times say', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 }, 'b.txt': { content: 'xyz', mode: 0o644 } });
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'b.txt', 'new', 'xyz');
    await bench.stageWrite(transaction, 'a.txt', 'two', 'eno');
    expect(await failureOf(transaction.commit())).toMatchObject({
      code: 'StaleFile',
      file: 'a.txt',
      message: expect.stringContaining('File content changed since last read'),
    });
    expect(await bench.tree()).toEqual({ 'a.txt': '644 0:0 one', 'b.txt': '644 0:0 xyz' });
    expect(await bench.pending()).toEqual([]);
  });

  it('does not trust bytes that it was handed: the file itself is looked at before it is replaced', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 }, 'b.txt': { content: 'xyz', mode: 0o644 } });
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'b.txt', 'new', 'xyz');
    const path = await bench.jail.validate('a.txt');
    const current = Buffer.from('eno');
    await transaction.stageWrite({ path, content: Buffer.from('two'), expected: sha256(current), current });
    expect(await failureOf(transaction.commit())).toMatchObject({ code: 'StaleFile', file: 'a.txt' });
    expect(await bench.tree()).toEqual({ 'a.txt': '644 0:0 one', 'b.txt': '644 0:0 xyz' });
    expect(await bench.pending()).toEqual([]);
  });

  it('notices a change that comes between the first look and the last', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 }, 'b.txt': { content: 'xyz', mode: 0o644 } });
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'a.txt', 'two', 'one');
    await bench.stageWrite(transaction, 'b.txt', 'new', 'xyz');
    bench.step = async (step, subject) => {
      if (step === 'verify' && subject === 'b.txt') await writeFile(join(bench.workspace, 'b.txt'), 'abc');
    };
    expect(await failureOf(transaction.commit())).toMatchObject({ code: 'StaleFile', file: 'b.txt' });
    expect(await bench.tree()).toEqual({ 'a.txt': '644 0:0 one', 'b.txt': '644 0:0 abc' });
  });

  it('never replaces what it was to create, not even what appears at the last moment', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 } });
    const first = bench.transactions.begin('call-1');
    await bench.stageWrite(first, 'a.txt', 'two', null);
    expect(await failureOf(first.commit())).toMatchObject({
      code: 'ExecutionFailed',
      message: expect.stringContaining('already exists'),
    });

    const second = bench.transactions.begin('call-2');
    await bench.stageWrite(second, 'b.txt', 'two', null);
    bench.step = async (step) => {
      if (step === 'place')
        await writeFile(join(bench.workspace, 'b.txt'), 'mine', { flag: 'wx' }).catch(() => undefined);
    };
    expect(await failureOf(second.commit())).toMatchObject({
      code: 'ExecutionFailed',
      message: expect.stringContaining('exists'),
    });
    expect(await readFile(join(bench.workspace, 'b.txt'), 'utf8')).toBe('mine');
    expect(await bench.pending()).toEqual([]);
  });

  it('refuses hard links, links, folders and special files', async () => {
    await writeFile(join(bench.base, 'outside'), 'one');
    await link(join(bench.base, 'outside'), join(bench.workspace, 'hard'));
    await mkdir(join(bench.workspace, 'folder'));
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 } });
    const commit = async (path: string) => {
      const transaction = bench.transactions.begin(`call-${path}`);
      await bench.stageWrite(transaction, path, 'two', 'one');
      return failureOf(transaction.commit());
    };
    expect(await commit('hard')).toMatchObject({ code: 'SandboxViolation', attempted: 'hard' });
    expect(await commit('folder')).toMatchObject({ code: 'ExecutionFailed' });
    expect(await commit('a.txt/b.txt')).toMatchObject({ code: 'ExecutionFailed' });
    const swapped = bench.transactions.begin('call-s');
    await bench.stageWrite(swapped, 'a.txt', 'two', 'one');
    await rename(join(bench.workspace, 'a.txt'), join(bench.workspace, 'moved'));
    await symlink(join(bench.base, 'outside'), join(bench.workspace, 'a.txt'));
    expect(await failureOf(swapped.commit())).toMatchObject({ code: 'StaleFile' });
    expect(await readFile(join(bench.base, 'outside'), 'utf8')).toBe('one');
  });

  it('does nothing at all where the bytes are there already', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 } });
    const { ino } = await stat(join(bench.workspace, 'a.txt'));
    expect(await bench.change('call-1', { 'a.txt': ['one', 'one'] })).toEqual([]);
    expect((await stat(join(bench.workspace, 'a.txt'))).ino).toBe(ino);
    expect(await bench.pending()).toEqual([]);
  });

  it('commits one after another, whoever asks together', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 } });
    const outcomes = await Promise.allSettled(
      ['x', 'y', 'z'].map((after, index) => bench.change(`call-${index}`, { 'a.txt': ['one', after] })),
    );
    const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
    expect(await bench.tree()).toEqual({ 'a.txt': `644 0:0 ${['x', 'y', 'z'][won]}` });
  });

  it('leaves alone, on rollback, what somebody else changed after the commit', async () => {
    await bench.write({ 'a.txt': { content: 'one', mode: 0o644 }, 'b.txt': { content: 'one', mode: 0o644 } });
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'a.txt', 'two', 'one');
    await bench.stageWrite(transaction, 'b.txt', 'two', 'one');
    await transaction.commit();
    await writeFile(join(bench.workspace, 'a.txt'), 'mine');
    await transaction.rollback();
    expect(await bench.tree()).toEqual({ 'a.txt': '644 0:0 mine', 'b.txt': '644 0:0 one' });
    expect(bench.problems).toEqual(['Changed by something else meanwhile, so left as it is: a.txt.']);
  });
});
