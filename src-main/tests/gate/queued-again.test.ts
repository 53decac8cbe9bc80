import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { makeAsker } from '../../domain/call/asker.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { openTestGate, testFolder, type TestGate } from './gate.test-support.js';

const wanted: CallOptions = { versions: '*', priority: 'normal', mustAsk: false, detached: true, limits: {} };
const asker = makeAsker('gateway', 's', { agent: 'ada' });

/** A gate with one place, whose tool runs until it is told to end. */
async function open(place: { readonly dataDir: string; readonly workspace: string }, ran: string[], asks = false) {
  let end: () => void = () => undefined;
  const ends = new Promise<void>((resolve) => (end = resolve));
  const tool = noteTool(
    { name: 'tool', sideEffecting: false, ...(asks ? { requiresApproval: true } : {}) },
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
  const gate = await openTestGate({ ...place, tools: [any(tool), any(writeFileTool)], config });
  return { gate, end };
}

let calls = 0;
/** As the door does: first its id is taken, then it is asked for. */
function ask(
  gate: TestGate,
  text: string,
  more: Partial<CallOptions> = {},
  call: { readonly tool: string; readonly arguments: JsonObject } = { tool: 'tool', arguments: { text } },
): Batch {
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
    calls: [{ requestId: null, ...call, callId, wanted: mine }],
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

it('calls that outlive a restart are queued again in their old order, once the person says so; the rest are interrupted', async () => {
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

it('a queued call that the person discards is interrupted', async () => {
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

it('a queued call that may no longer run unasked is asked about again', async () => {
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
    .poll(() => after.gate.sheets().flatMap(({ calls: all }) => all.map(({ callId }) => callId)))
    .toEqual([idOf(waits)]);
  expect(ran).toEqual(['first']);
});

const stateIn = (gate: TestGate, batch: Batch) => gate.journal.invocations.read(idOf(batch))?.summary.state;
const asked = (gate: TestGate): readonly string[] =>
  gate.sheets().flatMap(({ calls: all }) => all.map(({ callId }) => callId));

describe('while unfinished work is to be decided about', () => {
  it('what outlives its caller is on record before it waits, and begins after another end in the old order', async () => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const ran: string[] = [];
    const before = await open(place, ran);
    ask(before.gate, 'first');
    await expect.poll(() => ran).toEqual(['first']);
    const old = ask(before.gate, 'old');
    await expect.poll(() => queued(before.gate)).toBe(1);
    await before.gate.close();

    const between = await open(place, ran);
    expect(between.gate.recovery.isOpen).toBe(true);
    const held = ['a', 'b'].map((text) => ask(between.gate, text));
    const gone = ask(between.gate, 'gone', { detached: false });
    const back = ask(between.gate, 'back');
    await expect
      .poll(() => [...held, back].map((batch) => stateIn(between.gate, batch)))
      .toEqual(Array(3).fill('DECLARED'));
    // What was said to be cancelled does not come back.
    back.calls[0]?.cancel();
    expect(stateIn(between.gate, back)).toBe('ABORTED');
    expect(stateIn(between.gate, gone)).toBeUndefined();
    await between.gate.close();
    expect(ran).toEqual(['first']);

    const after = await open(place, ran);
    after.gate.recovery.decide('resume');
    await expect.poll(() => ran).toEqual(['first', 'old', 'a', 'b']);
    await expect
      .poll(() => [old, ...held].map((batch) => stateIn(after.gate, batch)))
      .toEqual(Array(3).fill('COMPLETED'));
    expect(stateIn(after.gate, back)).toBe('ABORTED');
    expect([...before.gate.faults, ...between.gate.faults, ...after.gate.faults]).toEqual([]);
  });

  it('a call that came meanwhile begins behind what was there before it, once the person decided', async () => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const ran: string[] = [];
    const before = await open(place, ran);
    ask(before.gate, 'first');
    await expect.poll(() => ran).toEqual(['first']);
    ask(before.gate, 'old');
    await expect.poll(() => queued(before.gate)).toBe(1);
    await before.gate.close();
    const after = await open(place, ran);
    const held = ask(after.gate, 'held');
    await expect.poll(() => stateIn(after.gate, held)).toBe('DECLARED');
    after.gate.recovery.decide('resume');
    await held.settled;
    expect(ran).toEqual(['first', 'old', 'held']);
    expect(stateIn(after.gate, held)).toBe('COMPLETED');
    expect(after.gate.faults).toEqual([]);
  });

  it('a call that is refused anyway ends at once, and is not asked for again', async () => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const ran: string[] = [];
    const before = await open(place, ran);
    ask(before.gate, 'first');
    await expect.poll(() => ran).toEqual(['first']);
    ask(before.gate, 'old');
    await expect.poll(() => queued(before.gate)).toBe(1);
    await before.gate.close();
    const after = await open(place, ran);
    const refused = after.gate.gate.submit({
      asker,
      folder: after.gate.workspace,
      calls: [{ requestId: null, tool: 'tool', arguments: { text: 'refused' }, wanted }],
      capacityBytes: null,
      joinable: false,
      refuseAll: { code: 'NotPermitted', message: 'No.' },
    });
    expect((await refused.settled)[0]?.failure?.code).toBe('NotPermitted');
    expect(after.gate.recovery.isOpen).toBe(true);
  });
});

describe('the yes for a call that had not begun', () => {
  /** Two calls that the person said yes to: one runs, one waits for its place. */
  async function approved() {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const ran: string[] = [];
    const before = await open(place, ran, true);
    const first = ask(before.gate, 'first');
    await before.gate.decide(first, { kind: 'approve-all' });
    await expect.poll(() => ran).toEqual(['first']);
    const waits = ask(before.gate, 'waits');
    await before.gate.decide(waits, { kind: 'approve-all' });
    await expect.poll(() => queued(before.gate)).toBe(1);
    await before.gate.close();
    return { place, ran, waits };
  }

  it('counts after a restart, where all that it was said to is so still', async () => {
    const { place, ran, waits } = await approved();
    const after = await open(place, ran, true);
    after.gate.recovery.decide('resume');
    await expect.poll(() => stateIn(after.gate, waits)).toBe('COMPLETED');
    expect(ran).toEqual(['first', 'waits']);
    expect(after.gate.sheets()).toEqual([]);
    expect(after.gate.journal.invocations.read(idOf(waits))?.summary.decidedBy).toBe('person');
    expect(after.gate.faults).toEqual([]);
  });

  it('is asked for again, where settings that it runs by are others by now', async () => {
    const { place, ran, waits } = await approved();
    const after = await open(place, ran, true);
    const base = after.gate.config;
    const output = { ...base.tools.output, max_bytes: base.tools.output.max_bytes - 1 };
    after.gate.config = { ...base, tools: { ...base.tools, output } };
    await after.gate.configChanged();
    after.gate.recovery.decide('resume');
    await expect.poll(() => asked(after.gate)).toEqual([idOf(waits)]);
    expect(ran).toEqual(['first']);
  });

  it.each([
    ['as it was', false],
    ['another', true],
  ])('the folder that it writes in: %s', async (_what, isAnother) => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const ran: string[] = [];
    const before = await open(place, ran);
    ask(before.gate, 'first');
    await expect.poll(() => ran).toEqual(['first']);
    const waits = ask(before.gate, '', {}, { tool: 'write_file', arguments: { path: 'd/a.txt', content: 'new' } });
    await before.gate.decide(waits, { kind: 'approve-all' });
    await expect.poll(() => queued(before.gate)).toBe(1);
    await before.gate.close();
    const folder = join(place.workspace, 'd');
    if (isAnother) mkdirSync(folder);
    const after = await open(place, ran);
    after.gate.recovery.decide('resume');
    if (isAnother) {
      await expect.poll(() => asked(after.gate)).toEqual([idOf(waits)]);
      expect(readdirSync(folder)).toEqual([]);
    } else {
      await expect.poll(() => stateIn(after.gate, waits)).toBe('COMPLETED');
      expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('new');
    }
  });

  it('does not count where a rule denies the call by now', async () => {
    const { place, ran, waits } = await approved();
    const after = await open(place, ran, true);
    const base = after.gate.config;
    after.gate.config = { ...base, tools: { ...base.tools, approval: { ...base.tools.approval, denylist: ['tool'] } } };
    await after.gate.configChanged();
    after.gate.recovery.decide('resume');
    await expect.poll(() => after.gate.journal.invocations.read(idOf(waits))?.failure?.code).toBe('Denylisted');
    expect(ran).toEqual(['first']);
  });
});
