import { expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { type FileContent, WHOLE_FOLDER } from '../../domain/policy/given-texts.js';
import { batchReceived, callReceived } from '../writing/journal-samples.test-support.js';
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

it('a text that was read counts for a day without a call, and no longer', () => {
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

it('a file that a call wrote after reading others’ text is foreign in each folder that it lies in', () => {
  const { journal } = opened();
  const { given } = journal;
  const wroteForeign = ['NOTES.md', 'docs/a.md'].map((path) => ({ path, content: null }));
  given.wrote({ callId: 'c1', wroteForeign }, WORKSPACE);
  given.wrote({ callId: 'c2' }, WORKSPACE);
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

it('where more was written than is listed, all that is in the folder is foreign until it was looked through', () => {
  const { journal } = opened();
  const { given } = journal;
  const docs = `${WORKSPACE}/docs`;
  const wroteAnything = { callId: 'c1', wroteForeign: [{ path: WHOLE_FOLDER, content: null }] };
  given.wrote(wroteAnything, docs);
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
  given.wrote(wroteAnything, docs);
  looked(docs, '/');
  expect(given.hasWrittenForeign(docs, ['deep/any.md'])).toBe(false);
  journal.close();
});

it('the content of a foreign file is known by its bytes, as long as the person has not looked at just that', () => {
  const { journal } = opened();
  const { given } = journal;
  const [first, second] = ['a', 'b'].map((digit) => ({ size: 9, sha256: digit.repeat(64) })) as [
    FileContent,
    FileContent,
  ];
  const large = { size: 70_000_000, sha256: null };
  const left = (path: string, content: FileContent | null) =>
    given.wrote({ callId: 'c1', wroteForeign: [{ path, content }] }, WORKSPACE);
  const looked = (path: string) =>
    journal.append([{ type: 'files-looked-through', workspace: WORKSPACE, paths: [path] }]);
  left('NOTES.md', first);
  left('NOTES.md', second);
  left('large.bin', large);
  left('gone.md', null);
  const known = () => [first, second, large].map((content) => given.isForeignContent(content));
  expect(known()).toEqual([true, true, true]);
  expect([9, 10].map((size) => given.hasForeignSize(size))).toEqual([true, false]);
  expect(given.isForeignContent({ size: 9, sha256: 'c'.repeat(64) })).toBe(false);
  looked('gone.md');
  looked('NOTES.md');
  expect(known()).toEqual([true, false, true]);
  looked('large.bin');
  expect(known()).toEqual([true, false, false]);
  journal.close();
});
