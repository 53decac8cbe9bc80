import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench, failureOf } from '../transaction/transaction.test-support.js';

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.create({ durable: true });
});
afterEach(async () => {
  await bench.dispose();
});

const file = (content: string, mode = 0o644) => ({ content, mode });

describe('undo', () => {
  it('takes back edits, creations and deletions, and can itself be taken back', async () => {
    await bench.write({ 'a.txt': file('one', 0o755), 'gone.txt': file('x', 0o600) });
    const before = await bench.tree();
    await bench.change('call-1', { 'a.txt': ['one', 'two'], 'new.txt': [null, 'n'], 'gone.txt': ['x', null] });
    const after = await bench.tree();
    bench.restart();
    expect(await bench.undoCall('undo-1', 'call-1')).toMatchObject([
      { path: 'a.txt', action: 'restored' },
      { path: 'new.txt', action: 'deleted', sha256: null },
      { path: 'gone.txt', action: 'recreated' },
    ]);
    expect(await bench.tree()).toEqual(before);
    await bench.undoCall('redo-1', 'undo-1');
    expect(await bench.tree()).toEqual(after);
    await bench.undoCall('undo-2', 'redo-1');
    expect(await bench.tree()).toEqual(before);
  });

  it('removes the folders that the call created, unless something else is in them by now', async () => {
    await bench.write({ 'a.txt': file('a') });
    const before = await bench.tree();
    await bench.change('call-1', { 'x/y/z/new.txt': [null, 'n'], 'x/other/new.txt': [null, 'n'] });
    const after = await bench.tree();
    await bench.undoCall('undo-1', 'call-1');
    expect(await bench.tree()).toEqual(before);
    await bench.undoCall('redo-1', 'undo-1');
    expect(await bench.tree()).toEqual(after);
    await writeFile(join(bench.workspace, 'x/y/mine.txt'), 'mine');
    await bench.undoCall('undo-2', 'redo-1');
    expect(await bench.tree()).toEqual({ ...before, x: 'folder', 'x/y': 'folder', 'x/y/mine.txt': '644 0:0 mine' });
  });

  it('shows the three versions before it does anything', async () => {
    await bench.write({ 'a.txt': file('one'), 'b.txt': file('b1'), bin: file('\0') });
    await bench.change('call-1', { 'a.txt': ['one', 'two'], 'b.txt': ['b1', 'b2'], 'new.txt': [null, 'n'] });
    await writeFile(join(bench.workspace, 'b.txt'), 'mine');
    expect(await bench.undo.preview('call-1', bench.jail)).toEqual({
      callId: 'call-1',
      files: [
        {
          path: 'a.txt',
          action: 'restore',
          possible: true,
          problem: null,
          rights: null,
          mayBeOthers: false,
          before: 'one',
          after: 'two',
          current: 'two',
        },
        {
          path: 'b.txt',
          action: 'restore',
          possible: false,
          problem: 'It was edited after this call.',
          rights: null,
          mayBeOthers: false,
          before: 'b1',
          after: 'b2',
          current: 'mine',
        },
        {
          path: 'new.txt',
          action: 'delete',
          possible: true,
          problem: null,
          rights: null,
          mayBeOthers: false,
          before: null,
          after: 'n',
          current: 'n',
        },
      ],
      leaves: [],
    });
    expect(await bench.undo.preview('call-2', bench.jail)).toBeNull();
  });

  it('refuses all when one file changed since, and names it; the others can be undone by name', async () => {
    await bench.write({ 'a.txt': file('one'), 'b.txt': file('b1') });
    await bench.change('call-1', { 'a.txt': ['one', 'two'], 'b.txt': ['b1', 'b2'] });
    await writeFile(join(bench.workspace, 'b.txt'), 'mine');
    const failure = await failureOf(bench.undoCall('undo-1', 'call-1'));
    expect(failure).toMatchObject({
      code: 'ExecutionFailed',
      message: expect.stringContaining('“b.txt”: It was edited after this call.'),
    });
    expect(failure.message).not.toContain('a.txt');
    expect(await readFile(join(bench.workspace, 'a.txt'), 'utf8')).toBe('two');
    await bench.undoCall('undo-2', 'call-1', ['a.txt']);
    expect(await readFile(join(bench.workspace, 'a.txt'), 'utf8')).toBe('one');
    expect(await failureOf(bench.undoCall('undo-3', 'call-1', ['c.txt']))).toMatchObject({ code: 'BadArgs' });
  });

  it('refuses what is in the way, what was removed, and what leads elsewhere now', async () => {
    await bench.write({ 'a.txt': file('one'), 'gone.txt': file('x'), 'dir/c.txt': file('c1') });
    await bench.change('call-1', { 'a.txt': ['one', 'two'], 'gone.txt': ['x', null], 'dir/c.txt': ['c1', 'c2'] });
    await rm(join(bench.workspace, 'a.txt'));
    await writeFile(join(bench.workspace, 'gone.txt'), 'x');
    await rm(join(bench.workspace, 'dir'), { recursive: true });
    await mkdir(join(bench.base, 'elsewhere'));
    await symlink(join(bench.base, 'elsewhere'), join(bench.workspace, 'dir'));
    const preview = await bench.undo.preview('call-1', bench.jail);
    expect(preview?.files.map(({ problem }) => problem)).toEqual([
      'It was deleted after this call.',
      'The call deleted it, and something else is there now.',
      expect.stringContaining('leads out of the workspace'),
    ]);
  });

  it('never touches .git', async () => {
    await bench.write({ '.git/config': file('one'), 'sub/.GIT/x': file('one') });
    await bench.change('call-1', { '.git/config': ['one', 'two'], 'sub/.GIT/x': ['one', 'two'] });
    const preview = await bench.undo.preview('call-1', bench.jail);
    expect(preview?.files.every(({ possible, problem }) => !possible && problem?.includes('.git'))).toBe(true);
    expect(await failureOf(bench.undoCall('undo-1', 'call-1'))).toMatchObject({ code: 'ExecutionFailed' });
  });

  it('restores links as links', async () => {
    await bench.write({ 'target.txt': file('t') });
    const folder = await bench.jail.validate('.');
    const transaction = bench.transactions.begin('call-1');
    const wanted = { kind: 'link', target: 'target.txt' } as const;
    await transaction.stageRestore({
      folder,
      name: 'pointer',
      asked: 'pointer',
      expected: null,
      wanted,
      pruneFolders: 0,
      folderModes: new Map(),
    });
    await transaction.commit();
    await transaction.settle();
    expect(await bench.tree()).toMatchObject({ pointer: 'link target.txt' });
    await bench.undoCall('undo-1', 'call-1');
    expect(await bench.tree()).not.toHaveProperty('pointer');
    await bench.undoCall('redo-1', 'undo-1');
    expect(await bench.tree()).toMatchObject({
      pointer: 'link target.txt',
      'target.txt': expect.stringContaining(' t'),
    });
  });

  it('keeps a mode that the person changed since, and restores the one that the call changed', async () => {
    await bench.write({ 'a.txt': file('one', 0o644) });
    await bench.change('call-1', { 'a.txt': ['one', 'two'] });
    await chmod(join(bench.workspace, 'a.txt'), 0o755);
    await bench.undoCall('undo-1', 'call-1');
    expect(await bench.tree()).toEqual({ 'a.txt': '755 0:0 one' });
  });

  it('changes nothing at all where nobody was asked since it could be undone, and one file could not be', async () => {
    bench.quota = 4096;
    const large = 'x'.repeat(5000);
    await bench.write({ 'a.txt': file(large), 'b.txt': file('b1') });
    const before = await bench.tree();
    const transaction = bench.transactions.begin('call-1', true);
    await bench.stageWrite(transaction, 'b.txt', 'b2', 'b1');
    await bench.stageWrite(transaction, 'a.txt', 'small', large);
    await expect(transaction.commit()).rejects.toMatchObject({ failure: { code: 'NoDecision' } });
    expect(await bench.tree()).toEqual(before);
    expect(await bench.pending()).toEqual([]);
    const made = bench.transactions.begin('call-2', true);
    await bench.stageWrite(made, 'new.txt', large, null);
    expect(await made.commit()).toMatchObject([{ path: 'new.txt', undoable: true }]);
  });

  it('says plainly what is too large to be kept, and still rolls it back', async () => {
    bench.quota = 4096;
    const large = 'x'.repeat(5000);
    await bench.write({ 'a.txt': file(large), 'b.txt': file('b1') });
    const transaction = bench.transactions.begin('call-1');
    await bench.stageWrite(transaction, 'a.txt', 'small', large);
    await bench.stageWrite(transaction, 'b.txt', 'b2', 'b1');
    const lines = { added: 1, removed: 1 };
    expect(await transaction.commit()).toEqual([
      { path: 'a.txt', change: 'modified', undoable: false, note: expect.stringContaining('it is too large'), lines },
      { path: 'b.txt', change: 'modified', undoable: true, note: null, lines },
    ]);
    await transaction.rollback();
    expect(await readFile(join(bench.workspace, 'a.txt'), 'utf8')).toBe(large);
    expect(await bench.pending()).toEqual([]);
    await bench.change('call-2', { 'a.txt': [large, 'small'], 'b.txt': ['b1', 'b2'] });
    expect(await bench.pending()).toEqual([]);
    expect((await bench.undo.preview('call-2', bench.jail))?.files.map(({ problem }) => problem)).toEqual([
      expect.stringContaining('it is too large'),
      null,
    ]);
  });

  it('lets the oldest go when the quota is reached, whole calls at a time', async () => {
    bench.quota = 64 * 1024;
    let content = noise(0);
    await bench.write({ 'a.txt': file(content) });
    for (let index = 1; index <= 60; index += 1) {
      const next = noise(index);
      await bench.change(`call-${index}`, { 'a.txt': [content, next] });
      content = next;
    }
    expect(await bench.undo.preview('call-1', bench.jail)).toBeNull();
    expect(await bench.undo.changedFiles('call-1')).toBeNull();
    expect((await bench.undo.preview('call-60', bench.jail))?.files[0]?.possible).toBe(true);
    let kept = 0;
    for (let index = 1; index <= 60; index += 1) {
      const preview = await bench.undo.preview(`call-${index}`, bench.jail);
      if (preview !== null) expect(preview.files[0]?.before).toBe(noise(index - 1));
      kept += preview === null ? 0 : 1;
    }
    expect(kept).toBeGreaterThan(5);
  });

  it('forgets what is older than asked', async () => {
    await bench.write({ 'a.txt': file('one') });
    await bench.change('call-1', { 'a.txt': ['one', 'two'] });
    bench.restart();
    await bench.undo.prune(Date.now() - 60_000);
    expect(await bench.undo.preview('call-1', bench.jail)).not.toBeNull();
    await bench.undo.prune(Date.now() + 60_000);
    expect(await bench.undo.preview('call-1', bench.jail)).toBeNull();
  });
});

/** 2 KB of text that does not compress into nothing, the same for the same number. */
function noise(seed: number): string {
  let text = '';
  for (let index = 0; text.length < 2048; index += 1)
    text += createHash('sha256').update(`${seed} ${index}`).digest('base64');
  return text;
}
