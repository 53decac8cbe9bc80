import { expect, it } from 'vitest';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { CallHooks, HookedCall, HookJudgement } from '../../domain/ports/gate/hooks.js';
import { any, call } from './gate-tools.test-support.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { codes, openTestGate } from './gate.test-support.js';
import { refusing } from './refusing-journal.test-support.js';

const RUN: HookRun = { name: 'played', when: 'before', ms: 0, decision: 'allow', reason: null };
const NOTHING: HookJudgement = { runs: [RUN], verdict: { kind: 'nothing' } };
const ASKS: HookJudgement = {
  runs: [RUN],
  verdict: { kind: 'ask', rule: { layer: 'policy', id: 'hook:played' }, words: 'Played.' },
};

/** Hooks that a test plays, for what falls between two moments; real programs judge in hooks.integration.test.ts. */
function played() {
  const hooks = {
    by: 'one',
    judged: [] as HookedCall[],
    told: [] as HookedCall[],
    says: async (_times: number): Promise<HookJudgement> => NOTHING,
  };
  const made: CallHooks = {
    identifyJudges: () => hooks.by,
    judge: async (each) => hooks.says(hooks.judged.push(each)),
    isTold: () => true,
    tell: async (each) => {
      hooks.told.push(each);
      return [{ ...RUN, when: 'after' }];
    },
  };
  return { hooks, made };
}

const open = async (made: CallHooks, wrapJournal?: ReturnType<typeof refusing>) =>
  openTestGate({
    tools: [any(noteTool({ name: 'note', sideEffecting: true }))],
    parts: { hooks: made },
    ...(wrapJournal === undefined ? {} : { wrapJournal }),
  });

it('the person’s yes to what a hook asks about stands though it is judged anew', async () => {
  const { hooks, made } = played();
  hooks.says = async () => ASKS;
  const gate = await open(made);
  const batch = gate.submit([call('note')]);
  const sheet = await gate.sheet(batch);
  expect(sheet.calls[0]).toMatchObject({ why: 'Played.' });
  // Other hooks by now.
  hooks.by = 'two';
  await gate.decide(batch, { kind: 'approve-all' });
  expect(codes(await batch.settled)).toEqual([null]);
  expect(hooks.judged).toHaveLength(2);
});

it('what a hook said right before the start is on record, or it does not start', async () => {
  const { hooks, made } = played();
  const which: Parameters<typeof refusing>[0] = { type: null };
  const gate = await open(made, refusing(which));
  const batch = gate.submit([call('note')]);
  await gate.sheet(batch);
  hooks.by = 'two';
  which.type = 'call-hook';
  await gate.decide(batch, { kind: 'approve-all' });
  expect(codes(await batch.settled)).toEqual(['JournalUnavailable']);
});

it('a caller that took its call back while a hook looked once more is told that, whatever the hook says', async () => {
  const { hooks, made } = played();
  const looks = Promise.withResolvers<void>();
  const held = Promise.withResolvers<HookJudgement>();
  hooks.says = async (times) => {
    if (times === 1) return NOTHING;
    looks.resolve();
    return held.promise;
  };
  const gate = await open(made);
  const batch = gate.submit([call('note')]);
  await gate.sheet(batch);
  hooks.by = 'two';
  await gate.decide(batch, { kind: 'approve-all' });
  await looks.promise;
  gate.orchestrator.stopBatch(batch.batchId);
  expect(codes(await batch.settled)).toEqual(['Cancelled']);
  held.resolve({
    runs: [RUN],
    verdict: { kind: 'deny', failure: { code: 'NotPermitted', message: 'Too late.' } },
  });
  await gate.close();
  expect(gate.faults).toEqual([]);
});

it('hooks after a call are told of what ran, as the person changed it, and nothing of arguments that are not sound', async () => {
  const { hooks, made } = played();
  const gate = await open(made);
  const batch = gate.submit([call('note')]);
  const sheet = await gate.sheet(batch);
  await gate.desk.edit(batch.batchId, sheet.calls[0]?.callId ?? '', sheet.digest, { text: 'changed' });
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  await expect.poll(() => hooks.told).toHaveLength(1);
  expect(hooks.told[0]?.arguments).toEqual({ text: 'changed' });
  await gate.run({ tool: 'note', arguments: JSON.parse('{"__proto__":{"a":1},"text":"x"}') as never });
  await expect.poll(() => hooks.told).toHaveLength(2);
  expect(hooks.told[1]?.arguments).toEqual({});
});
