import { expect, it } from 'vitest';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { MESSAGE_BROKE_OFF } from '../../domain/call/failures.js';
import { JournalUnavailableError, type Journal } from '../../domain/ports/journal.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { codes, openTestGate, states } from './gate.test-support.js';

/** A gate whose appends are seen, and can be kept from happening. */
async function watched() {
  const appends: (readonly JournalEvent[])[] = [];
  const disk = { fails: false };
  const watch = (journal: SqliteJournal): Journal =>
    new Proxy<Journal>(journal, {
      get: (target, key) => {
        if (key !== 'append') {
          const value: unknown = Reflect.get(target, key);
          return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        }
        return (events: readonly JournalEvent[]) => {
          if (disk.fails) throw new JournalUnavailableError('The disk is full.');
          appends.push(events);
          return target.append(events);
        };
      },
    });
  const gate = await openTestGate({ tools: [readFileTool], wrapJournal: watch });
  const record = gate.journal.conversations(openTestRedactor());
  const { id } = record.begin(gate.workspace, false);
  await record.addPersonMessage(id, [{ kind: 'text', text: 'go' }]);
  const answer = record.beginAnswer(id, 'm');
  answer.text(0, 'text', 'Reading.');
  const call = { kind: 'call', id: 'c1', name: 'read_file', arguments: { path: 'a.txt' }, kept: null } as const;
  const ended = (state: 'whole' | 'broke-off') => (callIds: readonly string[]) =>
    answer.ended(
      [
        { kind: 'text', text: 'Reading.' },
        { ...call, callId: callIds[0] ?? '' },
      ],
      { state, failure: null },
      null,
    );
  const ask = (state: 'whole' | 'broke-off', more = {}) =>
    gate.submit([{ tool: 'read_file', arguments: { path: 'a.txt' }, requestId: 'c1' }], {
      door: 'conversation',
      sessionId: id,
      with: ended(state),
      ...more,
    });
  return { gate, record, answer, appends, disk, ask };
}

it('FR-RES-01: a message and its calls are persisted in one append, before anything runs', async () => {
  const { record, answer, appends, ask } = await watched();
  const batch = ask('whole');
  await batch.settled;
  expect(appends[0]?.map(({ type }) => type).slice(0, 3)).toEqual(['answer-ended', 'batch-received', 'call-received']);
  expect(appends.flat().filter(({ type }) => type === 'answer-ended')).toHaveLength(1);
  expect(record.message(answer.messageId)).toMatchObject({
    said: { blocks: [{}, { callId: batch.calls[0]?.callId }], end: { state: 'whole' } },
  });
});

it('where the append of a message and its calls fails neither is recorded, nothing runs, and the answer can be ended later', async () => {
  const { record, answer, disk, ask } = await watched();
  disk.fails = true;
  const [settled] = await ask('whole').settled;
  expect(settled).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
  expect(record.view(answer.messageId)).toMatchObject({ state: 'streaming', blocks: [{ text: 'Reading.' }] });
  disk.fails = false;
  answer.end([{ kind: 'text', text: 'Reading.' }], { state: 'broke-off', failure: null }, null);
  expect(record.view(answer.messageId)).toMatchObject({ state: 'broke-off' });
});

it('calls of a message that broke off are recorded as aborted and interrupted, and none runs', async () => {
  const { gate, appends, ask } = await watched();
  const settled = await ask('broke-off', { refuseAll: MESSAGE_BROKE_OFF }).settled;
  expect(codes(settled)).toEqual(['Interrupted']);
  expect(states(settled)).toEqual(['ABORTED']);
  expect(settled[0]?.summary).toMatchObject({
    outcome: 'interrupted',
    reason: 'Not run: the message broke off.',
    door: 'conversation',
  });
  expect(appends.flat().map(({ type }) => type)).not.toContain('call-executing');
  expect(gate.faults).toEqual([]);
});
