import { describe, expect, it } from 'vitest';
import { type Journal, JournalUnavailableError } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { noteOutput, noteTool, untilAborted } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, states, type TestGate } from './gate.test-support.js';
import { any, call, ran, reads, stuck, tracing } from './gate-tools.test-support.js';
import { until } from '../until.test-support.js';

/** A tool whose calls run until they are let go. */
function gated() {
  const going = new Map<string, () => void>();
  const tool = any(
    noteTool(
      { name: 'gated' },
      {
        timeoutMs: () => 60_000,
        execute: async ({ text }) => {
          await new Promise<void>((resolve) => going.set(text, resolve));
          return noteOutput(text);
        },
      },
    ),
  );
  return { tool, going };
}

const queue = (limits: object) => defaultConfig({ queue: limits });
const of = (session: string, agent: string | null = null) => ({ door: 'mcp' as const, sessionId: session, agent });
const isQueued = (batch: Batch, at = 0): Promise<void> =>
  new Promise((resolve) =>
    batch.calls[at]?.onProgress((progress) => progress.type === 'waiting-for-place' && resolve()),
  );
const isRunning = (batch: Batch, at = 0): Promise<void> =>
  new Promise((resolve) => batch.calls[at]?.onProgress((progress) => progress.type === 'executing' && resolve()));

async function detailOf(gate: TestGate, callId: string) {
  const { service } = openServiceReader(gate.dataDir);
  const detail = await service.detail(callId);
  service.close();
  return detail;
}

describe('the queue in front of the executor', () => {
  it('runs as many side by side as may; the next waits, and its history and its summary say why', async () => {
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool], config: queue({ per_tool: 2 }) });
    const running = ['a', 'b'].map((name) => gate.submit([call('gated', name)], of(name)));
    await until(() => going.size === 2);
    const third = gate.submit([call('gated', 'c')], of('c'));
    await isQueued(third);
    const callId = third.calls[0]?.callId ?? '';
    expect(await detailOf(gate, callId)).toMatchObject({
      state: 'AUTHORIZED',
      reason: 'Waiting: 2 calls of gated are running',
    });
    expect(going.has('c')).toBe(false);
    going.get('a')?.();
    await until(() => going.has('c'));
    for (const name of ['b', 'c']) going.get(name)?.();
    expect(codes((await Promise.all([...running, third].map((batch) => batch.settled))).flat())).toEqual([
      null,
      null,
      null,
    ]);
    const settled = await detailOf(gate, callId);
    expect(settled?.reason).toBeNull();
    expect(JSON.stringify(settled?.events)).toContain('Waiting: 2 calls of gated are running');
  });

  it('the calls of one session run one after another, whichever batch they are of', async () => {
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool, reads()] });
    ran.length = 0;
    const first = gate.submit([call('gated', 'a')], of('same'));
    await until(() => going.has('a'));
    const second = gate.submit([call('reads', 'after')], of('same'));
    await isQueued(second);
    expect(codes(await gate.submit([call('reads', 'elsewhere')], of('other')).settled)).toEqual([null]);
    going.get('a')?.();
    await Promise.all([first.settled, second.settled]);
    expect(ran).toEqual(['reads:elsewhere', 'reads:after']);
  });

  it('a batch stays in order, and its next call lets others go first that waited', async () => {
    ran.length = 0;
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool, reads(), tracing('more', false)], config: queue({ places: 1 }) });
    const first = gate.submit([call('gated', 'a'), call('reads', '1'), call('more', '2')], of('one', 'one'));
    await until(() => going.has('a'));
    const other = gate.submit([call('reads', 'other')], of('two', 'two'));
    await isQueued(other);
    going.get('a')?.();
    await Promise.all([first.settled, other.settled]);
    expect(ran.filter((each) => !each.includes('other'))).toEqual(['reads:1', 'more:2']);
    expect(ran[0]).toBe('reads:other');
  });

  it('what waits can be taken back, did not run, and leaves its place in the queue', async () => {
    ran.length = 0;
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool, reads()], config: queue({ places: 1, max_waiting: 1 }) });
    const first = gate.submit([call('gated', 'a')], of('one'));
    await until(() => going.has('a'));
    const gone = gate.submit([call('reads', 'gone')], of('two'));
    await isQueued(gone);
    gone.cancel();
    const [settled] = await gone.settled;
    expect(settled).toMatchObject({ failure: { code: 'Cancelled' }, summary: { state: 'ABORTED' }, recorded: true });
    const stopped = gate.submit([call('reads', 'stopped')], of('three'));
    await isQueued(stopped);
    expect(gate.orchestrator.stopBatch(stopped.batchId)).toBe(true);
    expect(codes(await stopped.settled)).toEqual(['Cancelled']);
    going.get('a')?.();
    await first.settled;
    expect(ran).toEqual([]);
    expect(codes(await gate.run(call('reads')))).toEqual([null]);
  });

  it('over what may wait a call is refused in plain words and does not run', async () => {
    ran.length = 0;
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool, reads()], config: queue({ places: 1, max_waiting: 1 }) });
    const first = gate.submit([call('gated', 'a')], of('one'));
    await until(() => going.has('a'));
    const waiting = gate.submit([call('reads', 'waited')], of('two'));
    await isQueued(waiting);
    const [full] = await gate.submit([call('reads', 'full')], of('three')).settled;
    expect(full).toMatchObject({ failure: { code: 'LimitsExceeded' }, summary: { state: 'FAILED' } });
    expect(full?.result.content).toContain('The queue is full');
    going.get('a')?.();
    await Promise.all([first.settled, waiting.settled]);
    expect(ran).toEqual(['reads:waited']);
  });

  it('over how long it may wait, a call is refused in plain words and does not run', async () => {
    ran.length = 0;
    const { tool, going } = gated();
    const gate = await openTestGate({
      tools: [tool, reads()],
      config: queue({ places: 1, max_wait_seconds: 0.05 }),
    });
    const first = gate.submit([call('gated', 'a')], of('one'));
    await until(() => going.has('a'));
    const [waited] = await gate.submit([call('reads')], of('two')).settled;
    expect(waited).toMatchObject({ failure: { code: 'LimitsExceeded' }, summary: { state: 'FAILED' } });
    expect(waited?.result.content).toContain('in the queue, which is the limit');
    going.get('a')?.();
    await first.settled;
    expect(ran).toEqual([]);
  });

  it('more places are used as soon as the person gives them', async () => {
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool], config: queue({ places: 1 }) });
    const batches = ['a', 'b'].map((name) => gate.submit([call('gated', name)], of(name)));
    await until(() => going.size === 1);
    gate.config = queue({ places: 2 });
    await gate.configChanged();
    await until(() => going.size === 2);
    for (const go of going.values()) go();
    await Promise.all(batches.map((batch) => batch.settled));
  });

  it('what changed while it waited is judged again: its grant is not used on another workspace’s terms', async () => {
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool, reads()], config: queue({ places: 1 }) });
    const first = gate.submit([call('gated', 'a')], of('one'));
    await until(() => going.has('a'));
    ran.length = 0;
    const waiting = gate.submit([call('reads')], of('two'));
    await isQueued(waiting);
    gate.config = defaultConfig({ queue: { places: 1 }, mode: 'disabled' });
    await gate.configChanged();
    going.get('a')?.();
    await first.settled;
    const [settled] = await waiting.settled;
    expect(settled?.failure).not.toBeNull();
    expect(ran).toEqual([]);
  });

  it.each(['throws', 'too late', 'stopped', 'not recorded', 'not started', 'refused'])(
    'a place is given back whatever happens to its call: %s',
    async (what) => {
      const which: { type: JournalEvent['type'] | null } = { type: null };
      const wrapJournal = (journal: Journal) =>
        new Proxy<Journal>(journal, {
          get: (target, key) => {
            const value: unknown = Reflect.get(target, key, target);
            if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value;
            return (events: readonly JournalEvent[]) => {
              if (events.some(({ type }) => type === which.type))
                throw new JournalUnavailableError('The disk is full.');
              return target.append(events);
            };
          },
        });
      const throws = any(noteTool({ name: 'throws' }, { execute: () => Promise.reject(new Error('no')) }));
      const late = any(
        noteTool({ name: 'late' }, { execute: (_args, context) => untilAborted(context), timeoutMs: () => 10 }),
      );
      const gate = await openTestGate({
        tools: [throws, late, stuck(), reads(), tracing('writes', true)],
        config: defaultConfig({ queue: { places: 1 }, approval: { mode: 'auto' } }),
        wrapJournal,
      });
      for (let times = 0; times < 3; times += 1) {
        if (what === 'throws') await gate.run(call('throws'));
        if (what === 'too late') await gate.run(call('late'));
        if (what === 'refused')
          await gate.run(call('reads'), { tool: 'reads', arguments: { text: 1 } }, call('nobody'));
        if (what === 'stopped') {
          const batch = gate.submit([call('stuck')]);
          await isRunning(batch);
          batch.cancel();
          await batch.settled;
        }
        if (what === 'not recorded' || what === 'not started') {
          which.type = what === 'not recorded' ? 'call-settled' : 'call-executing';
          await gate.run(call('writes'), call('reads'));
          which.type = null;
        }
      }
      const next = gate.submit([call('reads')], of('another'));
      let waited = false;
      next.calls[0]?.onProgress((progress) => (waited ||= progress.type === 'waiting-for-place'));
      expect(states(await next.settled)).toEqual(['COMPLETED']);
      expect(waited).toBe(false);
    },
  );

  it('those that wait wait for the disk no oftener than those that don’t: twice a call, and less where they come together', async () => {
    let appends = 0;
    const wrapJournal = (journal: Journal) =>
      new Proxy<Journal>(journal, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (key === 'append') appends += 1;
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    const gate = await openTestGate({ tools: [reads()], config: queue({ places: 2 }), wrapJournal });
    appends = 0;
    const names = Array.from({ length: 20 }, (_, at) => String(at));
    const settled = await Promise.all(names.map((name) => gate.submit([call('reads', name)], of(name)).settled));
    expect(codes(settled.flat())).toEqual(names.map(() => null));
    expect(appends).toBeLessThanOrEqual(2 * names.length);
  });

  it.each(['call-received', 'call-executing', 'call-settled'] as const)(
    'a call that is taken back while its %s waits for the disk has one end, and the record knows it',
    async (type) => {
      ran.length = 0;
      let batch: Batch | null = null;
      const wrapJournal = (journal: Journal) =>
        new Proxy<Journal>(journal, {
          get: (target, key) => {
            const value: unknown = Reflect.get(target, key, target);
            if (key !== 'append') return typeof value === 'function' ? value.bind(target) : value;
            return (events: readonly JournalEvent[]) => {
              const committed = target.append(events);
              if (events.some((event) => event.type === type)) batch?.cancel();
              return committed;
            };
          },
        });
      const config = defaultConfig({ approval: { mode: 'auto' } });
      const gate = await openTestGate({ tools: [tracing('writes', true)], config, wrapJournal });
      batch = gate.submit([call('writes')]);
      const over = type === 'call-settled';
      const [settled] = await batch.settled;
      expect(settled).toMatchObject({ recorded: true, summary: { state: over ? 'COMPLETED' : 'ABORTED' } });
      expect(ran).toEqual(over ? ['writes:x'] : []);
      expect(await detailOf(gate, batch.calls[0]?.callId ?? '')).toMatchObject({ state: settled?.summary.state });
      expect(gate.faults).toEqual([]);
    },
  );

  it('what was queued when the app stopped did not run, and is told so', async () => {
    ran.length = 0;
    const { tool, going } = gated();
    const gate = await openTestGate({ tools: [tool, reads()], config: queue({ places: 1 }) });
    gate.submit([call('gated', 'a')], of('one'));
    await until(() => going.has('a'));
    const waiting = gate.submit([call('reads')], of('two'));
    await isQueued(waiting);
    const callId = waiting.calls[0]?.callId ?? '';
    // As a crash leaves it: the journal ends here.
    gate.journal.close();
    const after = await openTestGate({ tools: [tool, reads()], dataDir: gate.dataDir, workspace: gate.workspace });
    const report = after.events.findLast((event) => event.type === 'recovery');
    const told = report?.type === 'recovery' ? report.recovery?.batches.flatMap(({ calls }) => calls) : undefined;
    expect(told?.find((each) => each.call.callId === callId)).toMatchObject({ foundAs: 'not-started' });
    after.recovery.decide('resume');
    expect(await detailOf(after, callId)).toMatchObject({
      state: 'ABORTED',
      code: 'Interrupted',
      reason: expect.stringContaining('It did not run.'),
    });
    going.get('a')?.();
    expect(ran).toEqual([]);
  });
});
