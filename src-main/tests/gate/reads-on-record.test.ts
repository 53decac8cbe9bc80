import { contextRoom } from '../../domain/text/cut-to-context.js';
import { expect, it } from 'vitest';
import { type Journal, JournalUnavailableError } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import type { SqliteJournal } from '../../journal/writing/sqlite-journal.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate, type TestGate } from './gate.test-support.js';
import { any, call, reads, stuck, writes } from './gate-tools.test-support.js';

const auto = defaultConfig({ approval: { mode: 'auto' } });

/** What each commit held, of calls. */
function commitsOf(gate: TestGate): JournalEvent['type'][][] {
  const commits: JournalEvent['type'][][] = [];
  gate.journal.onCommit((events) => void commits.push(events.map(({ type }) => type)));
  return commits;
}

const READ: readonly JournalEvent['type'][] = ['call-received', 'call-validated', 'call-authorized', 'call-executing'];

function full(journal: SqliteJournal, disk: { readonly isFull: boolean }): Journal {
  return new Proxy<Journal>(journal, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value;
      return (events: readonly JournalEvent[]) => {
        if (disk.isFull) throw new JournalUnavailableError('The disk is full.');
        return target.append(events);
      };
    },
  });
}

it('what only reads is on record in one commit with what it read, before its caller has that', async () => {
  const gate = await openTestGate({ tools: [reads()], config: auto });
  const commits = commitsOf(gate);
  await gate.run(call('reads'));
  expect(commits).toEqual([['batch-received', ...READ, 'call-settled']]);
});

it('a read that takes its time is on record while it runs', async () => {
  const gate = await openTestGate({ tools: [stuck()], config: auto });
  const commits = commitsOf(gate);
  const batch = gate.submit([call('stuck')]);
  while (commits.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(commits).toEqual([['batch-received', ...READ]]);
  batch.cancel();
  const [settled] = await batch.settled;
  expect(settled).toMatchObject({ recorded: true, failure: { code: 'Cancelled' } });
});

it('what acts is on record before it begins, and whatever it is asked together with', async () => {
  const gate = await openTestGate({ tools: [reads(), writes()], config: auto });
  const commits = commitsOf(gate);
  await gate.run(call('writes'));
  expect(commits.map((types) => types.at(-1))).toEqual(['call-authorized', 'call-executing', 'call-settled']);
  commits.length = 0;
  await gate.run(call('reads'), call('reads'));
  expect(commits[0]).not.toContain('call-settled');
});

it('what is asked of another program is on record before it is asked', async () => {
  const commits: JournalEvent['type'][][] = [];
  const before: number[] = [];
  const remote = any(
    noteTool(
      { name: 'elsewhere', nature: 'remote', sideEffecting: false, requiredCapabilities: ['upstream'] },
      {
        execute: ({ text }) => {
          before.push(commits.length);
          return Promise.resolve(noteOutput(text));
        },
      },
    ),
  );
  const gate = await openTestGate({ tools: [remote], config: auto });
  gate.journal.onCommit((events) => void commits.push(events.map(({ type }) => type)));
  await gate.run(call('elsewhere'));
  expect(before).toEqual([1]);
});

it('where the disk is full, a read that takes its time is ended and says so, and the next one is recorded whole', async () => {
  const disk = { isFull: true };
  const wrapJournal = (journal: SqliteJournal): Journal => full(journal, disk);
  const gate = await openTestGate({ tools: [reads(), stuck()], config: auto, wrapJournal });
  const joined = { joinable: true, door: 'mcp' } as const;
  const [ended] = await gate.submit([call('stuck')], joined).settled;
  expect(ended).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
  const [quick] = await gate.submit([call('reads')], joined).settled;
  expect(quick).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
  expect(quick?.result.content).not.toContain('"x"');
  disk.isFull = false;
  const [recorded] = await gate.submit([call('reads')], joined).settled;
  expect(recorded).toMatchObject({ recorded: true, failure: null });
  expect(gate.faults).toEqual([]);
  await gate.close();
  const { service, verify } = openServiceReader(gate.dataDir);
  const { calls } = await service.page({ limit: 10, before: null, filter: {} });
  expect(calls.map(({ state }) => state)).toEqual(['COMPLETED']);
  expect(await verify()).toMatchObject({ ok: true });
  service.close();
});

const asked = (gate: TestGate, ...calls: ReadonlyArray<ReturnType<typeof call>>) =>
  gate.submit(calls, { door: 'conversation', sessionId: 'c' });

it('what a message reads is written together, and its model is told when all of it is there', async () => {
  const gate = await openTestGate({ tools: [reads(), writes()], config: auto });
  const commits = commitsOf(gate);
  const told: number[] = [];
  const batch = asked(gate, call('reads'), call('reads'), call('reads'), call('reads'));
  for (const one of batch.calls) void one.settled.then(() => told.push(commits.length));
  expect((await batch.settled).map(({ recorded, failure }) => [recorded, failure])).toEqual(
    Array.from({ length: 4 }, () => [true, null]),
  );
  expect(commits.map((types) => types.filter((type) => type === 'call-settled').length)).toEqual([0, 4]);
  expect(commits[1]?.filter((type) => type !== 'text-given')).toEqual([
    ...Array.from({ length: 3 }, () => ['call-settled', 'call-executing']).flat(),
    'call-settled',
  ]);
  expect(told).toEqual([2, 2, 2, 2]);
  expect(gate.faults).toEqual([]);
});

it('what a message read is on record before it acts', async () => {
  const gate = await openTestGate({ tools: [reads(), writes()], config: auto });
  const commits = commitsOf(gate);
  await asked(gate, call('reads'), call('reads'), call('writes'), call('reads')).settled;
  const flat = commits.map((types) => types.join(' '));
  const ran = flat.findIndex((types) => types === 'call-executing');
  expect(
    flat
      .slice(0, ran)
      .join(' ')
      .match(/call-settled/gu),
  ).toHaveLength(2);
  expect(gate.faults).toEqual([]);
});

it('a read that takes its time holds back no result of its message, and its own start is on record', async () => {
  const gate = await openTestGate({ tools: [reads(), stuck()], config: auto });
  const batch = asked(gate, call('reads'), call('stuck'));
  const [first] = batch.calls;
  expect(await first?.settled).toMatchObject({ recorded: true, failure: null });
  const [open] = gate.journal.openBatches();
  expect(open?.calls[1]).toMatchObject({ settled: false, call: { summary: { state: 'EXECUTING' } } });
  batch.cancel();
  expect((await batch.settled)[1]).toMatchObject({ recorded: true, failure: { code: 'Cancelled' } });
});

it('where what a message read can’t be written, nothing of it is told, and each call ends once when writing works again', async () => {
  const disk = { isFull: false };
  const gate = await openTestGate({ tools: [reads()], config: auto, wrapJournal: (journal) => full(journal, disk) });
  let begun = 0;
  gate.journal.onCommit(() => {
    begun += 1;
    if (begun === 1) disk.isFull = true;
  });
  const settled = await asked(gate, call('reads'), call('reads'), call('reads')).settled;
  for (const each of settled) {
    expect(each).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
    expect(each.result.content).not.toContain('"x"');
  }
  disk.isFull = false;
  const [next] = await asked(gate, call('reads')).settled;
  expect(next).toMatchObject({ recorded: true, failure: null });
  expect(gate.faults).toEqual([]);
  await gate.close();
  const { service, verify } = openServiceReader(gate.dataDir);
  const { calls } = await service.page({ limit: 10, before: null, filter: {} });
  expect(calls.map(({ state, outcome }) => [state, outcome])).toEqual([
    ['COMPLETED', 'success'],
    ...Array.from({ length: 3 }, () => ['FAILED', 'error']),
  ]);
  expect(await verify()).toMatchObject({ ok: true });
  service.close();
});

it('what one call of a message leaves of the model’s room is shared by those that have no result, written or not', async () => {
  const shares: number[] = [];
  const greedy = any(
    noteTool(
      { name: 'greedy', nature: 'reads', sideEffecting: false, requiredCapabilities: ['filesystem.read'] },
      {
        execute: (_args, context) => {
          shares.push(context.capacityBytes);
          return Promise.resolve(noteOutput('x'));
        },
      },
    ),
  );
  const gate = await openTestGate({ tools: [greedy], config: auto });
  const calls = [call('greedy'), call('greedy'), call('greedy')];
  const settled = await gate.submit(calls, { door: 'conversation', sessionId: 'c', capacityBytes: 3000 }).settled;
  const used = settled.map(({ result }) => contextRoom(result.content));
  expect(shares).toEqual([1000, Math.floor((3000 - (used[0] ?? 0)) / 2), 3000 - (used[0] ?? 0) - (used[1] ?? 0)]);
});
