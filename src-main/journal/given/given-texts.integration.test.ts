import { NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import { expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import type { JournalEvent, SettledEvent } from '../../domain/call/journal-events.js';
import { batchReceived, callReceived, settled } from '../writing/journal-samples.test-support.js';
import { openTestJournal, testFolder } from '../writing/journal.test-support.js';

const WORKSPACE = '/home/someone/project';
const asker = makeAsker('mcp', 's1', { client: 'tester 1.0' });
const HOUR = 60 * 60_000;

function opened() {
  const time = { now: Date.UTC(2026, 10, 19) };
  const journal = openTestJournal(testFolder(), { clock: { now: () => time.now, monotonic: () => 0 } });
  const text = { name: 'README.md', origin: 'file', ofFolder: true, isPrivate: false, session: 's1' } as const;
  const given = { type: 'text-given', to: 'connection:s1', workspace: WORKSPACE, byCall: null, text } as const;
  const call = (callId: string, index: number) => callReceived({ callId, batchId: 'b1', index });
  journal.append([batchReceived('b1'), call('c1', 0), given]);
  const has = () => journal.given.listGivenTo(asker, WORKSPACE).map(({ name }) => name);
  return { journal, time, call, has };
}

it('what was read counts for a day without a call, and no longer', () => {
  const { journal, time, has } = opened();
  time.now += 23 * HOUR;
  expect(has()).toEqual(['README.md']);
  journal.append([{ type: 'batch-closed', batchId: 'b1' }]);
  time.now += HOUR;
  expect(has()).toEqual([]);
  journal.append([batchReceived('b2'), callReceived({ callId: 'c9', batchId: 'b2' })]);
  expect(has()).toEqual([]);
  journal.close();
});

it('a call that joins an open batch is a call: the day begins anew with it', () => {
  const { journal, time, call, has } = opened();
  for (const index of [1, 2, 3]) {
    time.now += 23 * HOUR;
    journal.append([call(`joins-${index}`, index)]);
    expect(has()).toEqual(['README.md']);
  }
  time.now += 24 * HOUR;
  expect(has()).toEqual([]);
  journal.close();
});

it('a call of somebody else keeps nobody’s texts, and what is over ends on record', () => {
  const { journal, time } = opened();
  time.now += 25 * HOUR;
  const other = { ...batchReceived('b2'), asker: makeAsker('mcp', 's2', { client: 'tester 1.0' }) } as JournalEvent;
  const facts = () => JSON.stringify(journal.given.all());
  journal.append([other, callReceived({ callId: 'c2', batchId: 'b2' })]);
  expect(facts()).toBe('[]');
  journal.close();
});

it('what a call wrote that may be others’ stays so when it goes and comes back, and in each folder that it lies in', () => {
  const { journal } = opened();
  const { given } = journal;
  const wrote = (change: 'created' | 'deleted', foreign: Partial<SettledEvent>) => {
    const changedFiles = ['NOTES.md', 'docs/a.md'].map((path) => ({ path, change, undoable: true, note: null }));
    given.wrote({ ...(settled('c1', { changedFiles }) as SettledEvent), ...foreign }, WORKSPACE);
  };
  wrote('created', { wroteForeign: true });
  wrote('deleted', { wroteForeign: true });
  wrote('deleted', {});
  expect(given.hasWrittenForeign(WORKSPACE, ['NOTES.md'])).toBe(true);
  expect(given.hasWrittenForeign(`${WORKSPACE}/docs`, ['a.md'])).toBe(true);
  expect(given.hasWrittenForeign('/home/someone', ['project/docs/a.md'])).toBe(true);
  expect(given.hasWrittenForeign(`${WORKSPACE}/docs`, ['NOTES.md'])).toBe(false);
  expect(given.foreignIn(`${WORKSPACE}/docs`)).toEqual(['a.md']);
  journal.append([{ type: 'files-looked-through', workspace: `${WORKSPACE}/docs`, paths: ['a.md'] }]);
  expect(given.hasWrittenForeign(WORKSPACE, ['docs/a.md'])).toBe(false);
  expect(given.foreignIn(WORKSPACE)).toEqual(['NOTES.md']);
  journal.close();
});

it('where more was written than is listed, all that is in the folder is so until it was looked through', () => {
  const { journal } = opened();
  const { given } = journal;
  const docs = `${WORKSPACE}/docs`;
  const aftermath = { ...NO_AFTERMATH, changesComplete: false };
  given.wrote({ ...(settled('c1', { aftermath }) as SettledEvent), wroteForeign: true }, docs);
  given.wrote(settled('c2', { aftermath }) as SettledEvent, WORKSPACE);
  expect(given.hasWrittenForeign(docs, ['deep/any.md'])).toBe(true);
  expect(given.hasWrittenForeign(docs, [''])).toBe(true);
  expect(given.hasWrittenForeign(WORKSPACE, ['docs/any.md'])).toBe(true);
  expect(given.hasWrittenForeign(`${docs}/deep`, ['any.md'])).toBe(true);
  expect(given.hasWrittenForeign(WORKSPACE, ['any.md', 'docs.md'])).toBe(false);
  expect([given.foreignIn(docs), given.foreignIn(WORKSPACE)]).toEqual([['/'], ['docs/']]);
  const looked = (workspace: string, path: string) =>
    journal.append([{ type: 'files-looked-through', workspace, paths: [path] }]);
  looked(docs, 'deep/any.md');
  expect(given.hasWrittenForeign(docs, ['deep/any.md'])).toBe(true);
  looked(WORKSPACE, 'docs/');
  expect(given.hasWrittenForeign(docs, ['deep/any.md'])).toBe(false);
  given.wrote({ ...(settled('c1', { aftermath }) as SettledEvent), wroteForeign: true }, docs);
  looked(docs, '/');
  expect(given.hasWrittenForeign(docs, ['deep/any.md'])).toBe(false);
  journal.close();
});
