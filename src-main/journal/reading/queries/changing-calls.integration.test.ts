import { expect, it, onTestFinished } from 'vitest';
import { makeAsker } from '../../../domain/call/asker.js';
import { settled, started } from '../../writing/journal-samples.test-support.js';
import { openTestJournal, openTestReader, testFolder } from '../../writing/journal.test-support.js';

const FILES = [{ path: 'a.ts', change: 'modified', undoable: true, note: null }] as const;

function opened() {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const reader = openTestReader(folder);
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  const call = (
    callId: string,
    asker: ReturnType<typeof makeAsker>,
    more: { undoes?: readonly string[]; reads?: true } = {},
  ) => {
    const batchId = `b-${callId}`;
    journal.append([
      { type: 'batch-received', batchId, asker, workspace: '/w', mode: 'enabled' },
      ...started({ callId, batchId }),
      settled(callId, { changedFiles: more.reads === true ? [] : FILES, undoes: more.undoes ?? [] }),
    ]);
  };
  const ids = async (scope: { session?: string; agent?: string; door?: 'mcp' | 'window' }) =>
    (await reader.changing({ workspace: '/w', from: 0, ...scope })).calls.map(({ call: { callId }, undoes }) => [
      callId,
      ...undoes,
    ]);
  return { call, ids, reader };
}

const codex = makeAsker('mcp', 's1', { client: 'codex 1.0' });
const claude = makeAsker('mcp', 's2', { client: 'Claude Code', agent: 'claude' });
const person = makeAsker('window', 'compose-1');

it('The calls that changed files are given the latest first, of all, of a session or of an agent', async () => {
  const { call, ids, reader } = opened();
  call('c1', codex);
  call('c2', codex, { reads: true });
  call('c3', claude);
  call('c4', codex);
  expect(await ids({})).toEqual([['c4'], ['c3'], ['c1']]);
  expect(await ids({ session: 's1', door: 'mcp' })).toEqual([['c4'], ['c1']]);
  expect(await ids({ agent: 'claude' })).toEqual([['c3']]);
  expect(await ids({ agent: 'nobody' })).toEqual([]);
  expect((await reader.changing({ workspace: '/elsewhere', from: 0 })).calls).toEqual([]);
});

it('An undo belongs to what it undoes, and so does the undo of an undo; another’s does not', async () => {
  const { call, ids, reader } = opened();
  call('c1', codex);
  call('c2', claude);
  call('c3', codex);
  call('u1', person, { undoes: ['c3', 'c1'] });
  call('u2', person, { undoes: ['u1'] });
  call('u3', person, { undoes: ['c2'] });
  expect(await ids({ session: 's1', door: 'mcp' })).toEqual([['u2', 'u1'], ['u1', 'c3', 'c1'], ['c3'], ['c1']]);
  expect(await ids({ agent: 'claude' })).toEqual([['u3', 'c2'], ['c2']]);
  // Each call that was undone knows by which.
  const undone = await Promise.all(['c1', 'c3', 'u1', 'c2'].map((callId) => reader.detail(callId)));
  expect(undone.map((detail) => detail?.undoneBy)).toEqual(['u1', 'u1', 'u2', 'u3']);
  expect((await reader.detail('u1'))?.undoes).toEqual(['c3', 'c1']);
});

it('Of more calls than are looked at the latest are given, and that it is not all', async () => {
  const { call, reader } = opened();
  for (let n = 0; n < 501; n += 1) call(`c${n}`, codex);
  const { calls, complete } = await reader.changing({ workspace: '/w', from: 0 });
  expect([calls.length, calls[0]?.call.callId, calls.at(-1)?.call.callId, complete]).toEqual([
    500,
    'c500',
    'c1',
    false,
  ]);
});
