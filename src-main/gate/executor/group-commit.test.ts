import { describe, expect, it } from 'vitest';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { type CommitReceipt, JournalUnavailableError } from '../../domain/ports/journal.js';
import { GroupCommit } from './group-commit.js';

const closed = (batchId: string): JournalEvent => ({ type: 'batch-closed', batchId });
const PROOF = { calls: [] } as unknown as CommitReceipt;

function group(write: (ids: readonly string[]) => CommitReceipt | JournalUnavailableError = () => PROOF) {
  const commits: string[][] = [];
  const together = new GroupCommit((events) => {
    const ids = events.flatMap((event) => ('batchId' in event ? [event.batchId] : []));
    const written = write(ids);
    commits.push(ids);
    return written;
  });
  return {
    together,
    commits,
    add: (...ids: string[]) => together.add(ids.map(closed)),
    addSoon: (id: string, lost: (problem: string) => void = () => undefined) => together.addSoon([closed(id)], lost),
  };
}

describe('what several calls write in one turn', () => {
  it('is one commit, in the order in which they asked, and nobody goes on before it', async () => {
    const { commits, add } = group();
    const all = Promise.all([add('a', 'b'), add('c')]);
    expect(commits).toEqual([]);
    expect(await all).toEqual([PROOF, PROOF]);
    expect(commits).toEqual([['a', 'b', 'c']]);
    await add('d');
    expect(commits).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('is on the disk before what does not wait', async () => {
    const { together, commits, add } = group();
    const waiting = add('a');
    together.flush();
    expect(commits).toEqual([['a']]);
    await waiting;
    await new Promise((resolve) => setImmediate(resolve));
    expect(commits).toEqual([['a']]);
  });

  it('takes along what could wait, in the order in which it was asked for', async () => {
    const { commits, add, addSoon } = group();
    const soon = addSoon('a');
    const now = add('b');
    expect(await Promise.all([soon, now])).toEqual([PROOF, PROOF]);
    expect(commits).toEqual([['a', 'b']]);
  });

  it('writes what could wait by itself where nothing else comes', async () => {
    const { commits, addSoon } = group();
    const soon = addSoon('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect(commits).toEqual([]);
    await soon;
    expect(commits).toEqual([['a']]);
  });

  it('tells who could wait that it is lost, before anything else can happen', () => {
    const { together, addSoon } = group(() => new JournalUnavailableError('The disk is full.'));
    const told: string[] = [];
    void addSoon('a', (problem) => told.push(problem));
    together.flush();
    expect(told).toEqual(['The disk is full.']);
  });

  it('is all unrecorded where the journal can’t write', async () => {
    const unavailable = new JournalUnavailableError('The disk is full.');
    const { add } = group(() => unavailable);
    expect(await Promise.all([add('a'), add('b')])).toEqual([unavailable, unavailable]);
  });

  it('does not suffer for the one whose step can’t follow', async () => {
    const { commits, add } = group((ids) => {
      if (ids.includes('bad')) throw new Error('it can’t follow');
      return PROOF;
    });
    const all = await Promise.allSettled([add('a'), add('bad'), add('c')]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(commits).toEqual([['a'], ['c']]);
  });
});
