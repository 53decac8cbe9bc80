import { expect, it } from 'vitest';
import { askerAt } from '../../domain/call/asker.js';
import type { Wanted } from '../../domain/call/wanted.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate, testFolder, type TestGate } from './gate.test-support.js';

const wanted: Wanted = { versions: '*', priority: 'normal', mustAsk: false, detached: true, limits: {} };
const asker = askerAt('gateway', 's', { agent: 'ada' });

/** A gate with one place, whose tool runs until it is told to end. */
async function open(place: { readonly dataDir: string; readonly workspace: string }, ran: string[]) {
  let end: () => void = () => undefined;
  const ends = new Promise<void>((resolve) => (end = resolve));
  const tool = noteTool(
    { name: 'tool', sideEffecting: false },
    {
      execute: async ({ text }, { signal }) => {
        ran.push(text);
        if (text === 'first')
          await new Promise<void>((resolve) => {
            void ends.then(resolve);
            signal.addEventListener('abort', () => resolve());
          });
        return noteOutput(text);
      },
    },
  );
  const base = defaultConfig();
  const config = { ...base, tools: { ...base.tools, queue: { ...base.tools.queue, places: 1 } } };
  const gate = await openTestGate({ ...place, tools: [any(tool)], config });
  return { gate, end };
}

let calls = 0;
/** As the door does: first its id is taken, then it is asked for. */
function ask(gate: TestGate, text: string, more: Partial<Wanted> = {}): Batch {
  const mine = { ...wanted, ...more };
  const { callId } = gate.journal.invocations.claim(
    {
      scope: { bearer: 'ada', agent: 'ada', tenant: '' },
      invocationId: null,
      key: null,
      digest: String((calls += 1)),
      wanted: mine,
    },
    () => false,
  );
  return gate.gate.submit({
    asker,
    folder: gate.workspace,
    calls: [{ requestId: null, tool: 'tool', arguments: { text }, callId, wanted: mine }],
    capacityBytes: null,
    joinable: false,
  });
}
const idOf = (batch: Batch): string => batch.calls[0]?.callId ?? '';
const queued = (gate: TestGate): number =>
  gate.journal
    .openBatches()
    .flatMap(({ calls: all }) => all.filter((each) => !each.settled && each.call.summary.state === 'AUTHORIZED'))
    .length;

it('what outlives a restart is queued again in its old order, once the person says so; the rest is interrupted', async () => {
  const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
  const ran: string[] = [];
  const before = await open(place, ran);
  const first = ask(before.gate, 'first');
  await expect.poll(() => ran).toEqual(['first']);
  const waiting = ['a', 'b', 'c'].map((text) => ask(before.gate, text));
  const gone = ask(before.gate, 'gone', { detached: false });
  await expect.poll(() => queued(before.gate)).toBe(4);
  await before.gate.close();
  expect(ran).toEqual(['first']);

  const after = await open(place, ran);
  expect(after.gate.recovery.isOpen).toBe(true);
  const later = ask(after.gate, 'later');
  after.gate.recovery.decide('resume');
  await later.settled;
  expect(ran).toEqual(['first', 'a', 'b', 'c', 'later']);
  const stateOf = (batch: Batch) => after.gate.journal.invocations.read(idOf(batch))?.summary.state;
  expect([first, ...waiting, gone].map(stateOf)).toEqual([
    'ROLLED_BACK',
    'COMPLETED',
    'COMPLETED',
    'COMPLETED',
    'ABORTED',
  ]);
  expect(after.gate.faults).toEqual([]);
});

it('and what is discarded is interrupted', async () => {
  const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
  const ran: string[] = [];
  const before = await open(place, ran);
  ask(before.gate, 'first');
  await expect.poll(() => ran).toEqual(['first']);
  const waits = ask(before.gate, 'waits');
  await expect.poll(() => queued(before.gate)).toBe(1);
  await before.gate.close();
  const after = await open(place, ran);
  after.gate.recovery.decide('discard');
  expect(after.gate.journal.invocations.read(idOf(waits))?.failure?.code).toBe('Interrupted');
  expect(ran).toEqual(['first']);
});

it('what may no longer run unasked is asked about again', async () => {
  const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
  const ran: string[] = [];
  const before = await open(place, ran);
  ask(before.gate, 'first');
  await expect.poll(() => ran).toEqual(['first']);
  const waits = ask(before.gate, 'waits');
  await expect.poll(() => queued(before.gate)).toBe(1);
  await before.gate.close();
  const after = await open(place, ran);
  const base = after.gate.config;
  after.gate.config = {
    ...base,
    gateway: { ...base.gateway, clients: [{ name: 'ada', access: 'ask' }] },
  };
  await after.gate.configChanged();
  after.gate.recovery.decide('resume');
  await expect
    .poll(() => after.gate.desk.requests.flatMap(({ calls: all }) => all.map(({ callId }) => callId)))
    .toEqual([idOf(waits)]);
  expect(ran).toEqual(['first']);
});
