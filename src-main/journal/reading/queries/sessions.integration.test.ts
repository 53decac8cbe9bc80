import { expect, it, onTestFinished } from 'vitest';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { makeAsker } from '../../../domain/call/asker.js';
import { settled, started, systemClock } from '../../writing/journal-samples.test-support.js';
import { openTestJournal, openTestReader, testFolder } from '../../writing/journal.test-support.js';

const DENIED: Failure = { code: 'DeniedByPerson', message: 'The user denied this call.', reason: null };
const FAILED: Failure = { code: 'ExecutionFailed', message: 'It failed.' };
const DAY = 24 * 60 * 60_000;

function opened() {
  const folder = testFolder();
  let now = Date.UTC(2026, 10, 18, 12);
  const journal = openTestJournal(folder, { clock: { ...systemClock, now: () => now } });
  const reader = openTestReader(folder);
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  const batch = (session: string, agent: string | null = null): void => {
    const asker = makeAsker('mcp', session, { client: 'codex 1.0', agent });
    journal.append([
      { type: 'batch-received', batchId: `b-${session}`, asker, workspace: `/${session}`, mode: 'enabled' },
    ]);
  };
  let calls = 0;
  const call = (
    session: string,
    nature: Nature,
    { files = [], failure = null }: { files?: readonly string[]; failure?: Failure | null } = {},
  ): void => {
    calls += 1;
    const callId = `c${calls}`;
    const changedFiles = files.map((path) => ({ path, change: 'modified', undoable: true, note: null }) as const);
    const begun = started({ callId, batchId: `b-${session}`, nature });
    // What was denied never began.
    if (failure === DENIED) journal.append([...begun.slice(0, 2), settled(callId, {}, failure, 'DENIED')]);
    else journal.append([...begun, settled(callId, { changedFiles }, failure)]);
  };
  return {
    reader,
    batch,
    call,
    nextDay: () => {
      now += DAY;
      return now;
    },
  };
}

it('What each session did in a span of time is counted, each changed file once; what came before it is not', async () => {
  const { reader, batch, call, nextDay } = opened();
  batch('old');
  batch('both', 'claude');
  call('old', 'reads');
  call('both', 'reads');
  const today = nextDay();
  batch('new');
  call('both', 'files', { files: ['a.ts', 'b.ts'] });
  call('both', 'files', { files: ['a.ts'] });
  call('both', 'command', { files: ['c.ts'] });
  call('new', 'reads');
  call('new', 'command', { failure: FAILED });
  call('new', 'remote');

  const now = await reader.sessions({ from: today, to: Number.MAX_SAFE_INTEGER });
  expect(now.complete).toBe(true);
  expect(now.sessions).toMatchObject([
    { session: 'new', agent: null, client: 'codex 1.0', calls: 3, read: 1, ran: 0, elsewhere: 1, failed: 1, files: 0 },
    { session: 'both', agent: 'claude', workspace: '/both', calls: 3, read: 0, ran: 1, failed: 0, files: 3 },
  ]);
  const of = async (workspace: string) =>
    (await reader.sessions({ from: today, to: Number.MAX_SAFE_INTEGER, workspace })).sessions;
  expect(await of('/both')).toMatchObject([{ session: 'both', calls: 3, files: 3 }]);
  expect(await of('/nothing')).toEqual([]);
  const before = await reader.sessions({ from: 0, to: today });
  expect(before.sessions.map(({ session, calls }) => [session, calls])).toEqual([
    ['both', 1],
    ['old', 1],
  ]);
});

it('What was denied and what failed is counted as that alone', async () => {
  const { reader, batch, call } = opened();
  batch('s');
  call('s', 'command', { failure: FAILED });
  call('s', 'reads', { failure: FAILED });
  call('s', 'command', { failure: DENIED });
  const { sessions } = await reader.sessions({ from: 0, to: Number.MAX_SAFE_INTEGER });
  expect(sessions).toMatchObject([{ calls: 3, read: 0, ran: 0, denied: 1, failed: 2 }]);
});

it('Nothing happened: nothing is given', async () => {
  const { reader } = opened();
  expect(await reader.sessions({ from: 0, to: 1 })).toEqual({ sessions: [], complete: true });
});

it('A session’s calls can be listed alone', async () => {
  const { reader, batch, call } = opened();
  batch('one');
  batch('two');
  call('one', 'reads');
  call('two', 'reads');
  const { calls } = await reader.page({ limit: 10, before: null, filter: { session: 'two' } });
  expect(calls.map(({ session }) => session)).toEqual(['two']);
});
