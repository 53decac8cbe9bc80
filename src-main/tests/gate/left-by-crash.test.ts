import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { RecoveryReport } from '#contract/window/recovery.js';
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import { detailsOf } from './call-details.test-support.js';
import { openCrashGate } from './crash-gate.test-support.js';
import { testFolder } from './gate.test-support.js';
import { answerTo } from './answers.test-support.js';

it.each([
  ['what it changed is others’ text until it is looked through', true, ['left.md', 'made/']],
  ['where not all that it changed can be told, all of the folder is', false, ['/', 'left.md', 'made/']],
])('what a command left that a crash broke off: %s', async (_, complete, foreign) => {
  const root = testFolder('left');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work'), place: () => undefined };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  const before = await openCrashGate({ ...place, ran: () => before.journal.close() });
  const running = before.gate.submit({
    asker: makeAsker('mcp', 's', { client: 'c 1', agent: 'codex' }),
    folder: place.workspace,
    calls: [{ requestId: null, tool: 'note', arguments: { text: 'runs' } }],
    capacityBytes: null,
    joinable: false,
  });
  await expect.poll(() => before.sheets().length).toBe(1);
  before.read();
  await before.desk.decide(answerTo(before.sheets()[0], 'approve-all'));
  await running.settled;

  const left = { path: 'left.md', change: 'created' as const, undoable: false, note: 'It changed.' };
  const carried = { index: ['.envrc'], commits: [], made: [], complete: true };
  const after = await openCrashGate({
    ...place,
    ran: () => expect.fail('something ran again'),
    changedSince: async () => ({ changed: [left], createdFolders: ['made'], complete }),
    clearing: (name, _gate, { interrupted, found }) => {
      if (name === 'leavings') for (const { callId } of interrupted) found(callId, { couldWrite: true, carried });
    },
  });
  after.recovery.decide('discard');
  expect(after.journal.given.foreignIn(place.workspace).toSorted()).toEqual(foreign);
  const [callId = ''] = running.calls.map((call) => call.callId);
  await after.close();
  const [detail] = await detailsOf(place.dataDir, [callId]);
  expect(detail?.changedFiles).toEqual([left]);
  expect(detail?.changesComplete).toBe(complete);
  expect(detail?.warnings?.join()).toContain('Taken out of Git’s index');
});

it('what a crash left is put right by every wing before the person is told of it, or anything is asked or run', async () => {
  const root = testFolder('left');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work'), place: () => undefined };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  const note = (text: string) => ({ requestId: null, tool: 'note', arguments: { text } });
  const batchOf = (text: string) => ({
    asker: makeAsker('mcp', text, { client: 'c 1' }),
    folder: place.workspace,
    calls: [note(text)],
    capacityBytes: null,
    joinable: false,
  });
  const before = await openCrashGate({ ...place, ran: () => before.journal.close() });
  const running = before.gate.submit(batchOf('runs'));
  before.gate.submit(batchOf('waits for the person'));
  await expect.poll(() => before.sheets().length).toBe(2);
  before.read();
  await before.desk.decide(
    answerTo(
      before.sheets().find(({ batchId }) => batchId === running.batchId),
      'approve-all',
    ),
  );
  await running.settled;

  // The mark is beaten every few seconds: this one is older than what was recorded.
  utimesSync(join(place.dataDir, 'journal.alive'), 1, 1);
  const seen: string[] = [];
  const told: (RecoveryReport | null)[] = [];
  const asked: ApprovalRequest[] = [];
  const after = await openCrashGate({
    ...place,
    ran: () => expect.fail('something ran again'),
    publish: (event) => {
      if (event.type === 'recovery') told.push(event.recovery);
      if (event.type === 'approval') asked.push(event.approval);
    },
    clearing: (name, gate, { interrupted, wasAcknowledged }) => {
      seen.push(name);
      const callId = running.calls[0]?.callId ?? '';
      expect(interrupted).toMatchObject([{ callId, workspace: place.workspace, nature: 'command' }]);
      expect(wasAcknowledged(callId)).toBe(false);
      expect(gate.recovery.isOpen, 'the person is told afterwards').toBe(false);
      expect(asked, 'what waited is asked afterwards').toEqual([]);
    },
  });
  expect(seen).toEqual([
    'gatewayAddress',
    'socket',
    'fileChanges',
    'processes',
    'controlGroups',
    'pipes',
    'copies',
    'leavings',
    'answers',
  ]);
  expect(after.recovery.isOpen).toBe(true);
  const { startedAt } = (await running.settled)[0]?.summary ?? expect.fail('it had no end');
  expect(told[0]?.stoppedAt, 'it did not stop before the call began').toBeGreaterThanOrEqual(startedAt);
  await expect.poll(() => after.sheets()).toHaveLength(1);
  await after.close();
});
