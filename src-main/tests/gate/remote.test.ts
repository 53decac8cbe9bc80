import { CANCELLED_REASONS } from '#contract/vocabulary/call-labels.js';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { JournalUnavailableError } from '../../domain/ports/journal.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { untilAborted } from '../../tools/builtin/tools.test-support.js';
import { elsewhereTool, sent } from './elsewhere-tool.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { any } from './gate-tools.test-support.js';
import { openTestGate, type TestGate } from './gate.test-support.js';

/** Of what happens elsewhere, none of this is ever true. */
const UNTRUE = /undone|rolled back|taken back|changed nothing/iu;
const MAY = 'may have had an effect';

const call = { tool: 'elsewhere', arguments: { text: 'hello' } };

async function approved(gate: TestGate, meanwhile: (batch: ReturnType<TestGate['submit']>) => void = () => undefined) {
  const batch = gate.submit([call]);
  await gate.decide(batch, { kind: 'approve-all' });
  meanwhile(batch);
  const [settled] = await batch.settled;
  return settled ?? expect.fail('nothing settled');
}

it('a remote call is asked about with what is true of it: where it goes, and that nothing of it can be undone', async () => {
  const gate = await openTestGate({ tools: [any(elsewhereTool(async ({ text }) => sent(text)))] });
  const batch = gate.submit([call]);
  const [asked] = (await gate.sheet(batch)).calls;
  expect(asked).toMatchObject({
    terms: [{ words: 'Sent to api.example:443' }, { words: 'Runs elsewhere, can’t be undone' }],
    network: null,
    offersGit: false,
  });
  await gate.decide(batch, { kind: 'approve-all' });
  expect((await batch.settled)[0]).toMatchObject({ failure: null, summary: { state: 'COMPLETED' } });
});

it('a remote tool that starts a program here is not said to run elsewhere', async () => {
  const gate = await openTestGate({
    tools: [any(elsewhereTool(async ({ text }) => sent(text), { startedHere: true }))],
  });
  const [asked] = (await gate.sheet(gate.submit([call]))).calls;
  expect(asked?.terms.map(({ words }) => words)).toContain('Can’t be undone');
  expect(asked?.terms.map(({ words }) => words).join()).not.toContain('elsewhere');
});

it('a remote tool is handed nothing of this machine: no files, no processes', async () => {
  const had: string[] = [];
  const tool = elsewhereTool(async ({ text }, context) => {
    had.push(...Object.keys(context));
    return sent(text);
  });
  await approved(await openTestGate({ tools: [any(tool)] }));
  // The folder by its path, for a source that starts a program there: its terms say what that may see.
  expect(had.sort()).toEqual([
    'callId',
    'capacityBytes',
    'config',
    'emit',
    'folder',
    'limits',
    'onCheckpoint',
    'onProgress',
    'outputLimit',
    'pocket',
    'signal',
    'terms',
    'timeoutMs',
    'waitsForPerson',
  ]);
});

it('the time of a remote call stands still while the person is asked something for it, as long as the settings allow', async () => {
  const asks = (forMs: number) =>
    elsewhereTool(
      async ({ text }, context) => {
        const letGo = context.waitsForPerson?.();
        await Promise.race([setTimeout(forMs, undefined, { ref: false }), untilAborted(context)]);
        letGo?.();
        return sent(text);
      },
      { timeoutMs: 50 },
    );
  const answered = await approved(await openTestGate({ tools: [any(asks(200))] }));
  expect(answered.failure).toBeNull();
  const config = defaultConfig({ approval: { wait_seconds: 1 } });
  const tooLate = await approved(await openTestGate({ tools: [any(asks(3_600_000))], config }));
  expect(tooLate.failure?.code).toBe('Timeout');
});

it('a remote call that fails is aborted, and never said to be undone', async () => {
  const failure = { code: 'ExecutionFailed', message: 'The other side said no.' } as const;
  const tool = elsewhereTool(() => Promise.reject(new ToolFailure(failure)));
  const settled = await approved(await openTestGate({ tools: [any(tool)] }));
  expect(settled).toMatchObject({ failure, summary: { state: 'ABORTED' } });
  expect(settled.result.content).not.toMatch(UNTRUE);
});

it('how a program here was held is on record where its call fails, too; of one elsewhere nothing is', async () => {
  const failing = () => Promise.reject(new ToolFailure({ code: 'ExecutionFailed', message: 'It said no.' }));
  for (const startedHere of [true, false]) {
    const settled = await approved(await openTestGate({ tools: [any(elsewhereTool(failing, { startedHere }))] }));
    const held = settled.summary.confinement;
    expect(held === null, `${startedHere}: ${held}`).toBe(!startedHere);
  }
});

it('a remote call that runs out of time, or breaks, may have had an effect, and is not sent again', async () => {
  for (const how of ['Timeout', 'Internal'] as const) {
    let times = 0;
    const tool = elsewhereTool(
      (_args, context) => {
        times += 1;
        return how === 'Timeout' ? untilAborted(context) : Promise.reject(new TypeError('lost'));
      },
      { timeoutMs: how === 'Timeout' ? 30 : 10_000 },
    );
    const settled = await approved(await openTestGate({ tools: [any(tool)] }));
    expect(settled).toMatchObject({ failure: { code: how }, summary: { state: 'ABORTED' } });
    expect(settled.result.content).toContain(MAY);
    expect(settled.result.content).not.toMatch(UNTRUE);
    expect(times).toBe(1);
  }
});

it('a remote call that is cancelled while it runs may have had an effect; before it runs, nothing happened', async () => {
  const began = Promise.withResolvers<void>();
  const tool = elsewhereTool((_args, context) => {
    began.resolve();
    return untilAborted(context);
  });
  const gate = await openTestGate({ tools: [any(tool)] });
  const settled = await approved(gate, (batch) => void began.promise.then(() => batch.cancel()));
  expect(settled).toMatchObject({ failure: { code: 'Cancelled' }, summary: { state: 'ABORTED' } });
  expect(settled.result.content).toContain(MAY);
  const waiting = gate.submit([call]);
  await gate.sheet(waiting);
  waiting.cancel();
  expect((await waiting.settled)[0]?.result.content).toBe(CANCELLED_REASONS.caller);
});

it('a remote call that could not be recorded stays done elsewhere', async () => {
  const gate = await openTestGate({
    tools: [any(elsewhereTool(async ({ text }) => sent(text)))],
    wrapJournal: (journal) =>
      new Proxy(journal, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key, target);
          if (key !== 'append') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          return (events: Parameters<typeof journal.append>[0]) => {
            if (events.some(({ type }) => type === 'call-settled')) throw new JournalUnavailableError('no room');
            return target.append(events);
          };
        },
      }),
  });
  const settled = await approved(gate);
  expect(settled).toMatchObject({ recorded: false, failure: { code: 'JournalUnavailable' } });
  expect(settled.result.content).toContain('what it did there stays done');
  expect(settled.result.content).not.toMatch(UNTRUE);
});

it('the last checkpoint of a remote call is told while it runs, and stands in its record however it ended', async () => {
  const passed = { id: 'c1', kind: 'macro', label: 'parsed', at: 5, stateBytes: 12 } as const;
  const tool = elsewhereTool(async (_args, context) => {
    context.onCheckpoint({ ...passed, id: 'c0', label: 'began' });
    context.onCheckpoint(passed);
    return untilAborted(context);
  });
  const gate = await openTestGate({ tools: [any(tool)] });
  const told: unknown[] = [];
  const settled = await approved(gate, ({ calls: [running] }) => {
    running?.onProgress((progress) => {
      if (progress.type !== 'checkpoint') return;
      told.push(progress.label, running.checkpoint?.label);
      if (progress.label === 'parsed') running.cancel();
    });
  });
  expect(told).toEqual(['began', 'began', 'parsed', 'parsed']);
  expect(settled.summary).toMatchObject({ outcome: 'cancelled' });
  expect(settled.result.aftermath.checkpoint).toEqual(passed);
});
