import { expect, it, vi } from 'vitest';
import { openTestJournal, testFolder } from './journal.test-support.js';

const call = (requestId: string, text: string) => ({
  messageId: 'm1',
  requestId,
  sessionId: 's',
  tool: 'read_file',
  text,
});

it('keeps what a model was writing when the app died, in order, as far as it was noted', () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  for (const text of ['{', '{"path"', '{"path":"a']) journal.streamed.note(call('r1', text));
  journal.streamed.note(call('r2', '{'));
  journal.streamed.flush();
  journal.streamed.note({ ...call('r3', '{'), messageId: 'm2' });
  journal.close();
  const again = openTestJournal(folder);
  expect(again.streamed.left()).toEqual([
    call('r1', '{"path":"a'),
    call('r2', '{'),
    { ...call('r3', '{'), messageId: 'm2' },
  ]);
  again.streamed.forget('m1');
  expect(again.streamed.left().map((left) => left.requestId)).toEqual(['r3']);
  again.close();
});

it('asks the disk once for many pieces, by itself', async () => {
  const journal = openTestJournal(testFolder());
  for (let n = 0; n < 500; n += 1) journal.streamed.note(call('r1', 'x'.repeat(n)));
  expect(journal.streamed.left()).toEqual([]);
  await vi.waitFor(() => expect(journal.streamed.left()).toEqual([call('r1', 'x'.repeat(499))]), { timeout: 20_000 });
  journal.streamed.note(call('r1', 'late'));
  journal.streamed.forget('m1');
  journal.streamed.flush();
  expect(journal.streamed.left()).toEqual([]);
  journal.close();
});
