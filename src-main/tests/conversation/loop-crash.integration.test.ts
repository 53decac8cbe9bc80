import { existsSync, readFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecoveryReport } from '#contract/window/recovery.js';
import type { ModelRequest, ModelResult } from '../../domain/ports/conversation/model.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { runChild } from '../../platform/run-child.test-support.js';
import { answerTo } from '../gate/answers.test-support.js';
import { testFolder } from '../gate/gate.test-support.js';
import { type ConversationGate, openConversationGate } from './conversation-gate.test-support.js';
import { sampledTimes } from '../sampled.test-support.js';
import { ScriptedModel } from './scripted-model.test-support.js';
import { refusedAsSent } from './wire-rules.test-support.js';

const CHILD = new URL('./loop-crash-child.test-support.ts', import.meta.url).pathname;
/** How often it is killed, at places by chance. */
const KILLS = sampledTimes(300, 12);

interface Place {
  readonly dataDir: string;
  readonly workspace: string;
}

function fresh(): Place {
  const root = testFolder('talk');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work') };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  writeFileSync(join(place.workspace, 'a.txt'), 'hello');
  return place;
}

/** Gives the conversation, and how many places there were where it came through. */
async function run(
  { dataDir, workspace }: Place,
  at: number,
): Promise<{ readonly id: string; readonly places: number | null }> {
  const { lines } = await runChild(CHILD, [dataDir, workspace, String(at)]);
  const done = lines.find((line) => line.startsWith('done '));
  return { id: lines[0] ?? '', places: done === undefined ? null : Number(done.slice(5)) };
}

async function open(place: Place) {
  const model = new ScriptedModel([]);
  const reports: (RecoveryReport | null)[] = [];
  const gate = await openConversationGate({
    ...place,
    model,
    ran: () => expect.fail('something ran again'),
    publish: (event) => event.type === 'recovery' && reports.push(event.recovery),
  });
  return { gate, model, report: reports.at(-1) ?? null };
}

const resultsIn = (request: ModelRequest): readonly ModelResult[] =>
  request.history.flatMap((message) => (message.role === 'results' ? message.results : []));

async function denyAll(gate: ConversationGate): Promise<void> {
  await expect.poll(() => gate.sheets().flatMap(({ calls }) => calls).length).toBe(gate.orchestrator.activity.waiting);
  for (const request of gate.sheets()) await gate.desk.decide(answerTo(request, 'deny-all'));
}

/** Opens it again as the app does, and holds everything against the promises. */
async function expectSound(place: Place, id: string, choice: 'resume' | 'discard'): Promise<string> {
  const { gate, model, report } = await open(place);
  const told = gate.recovery.isOpen ? 'dialog' : gate.sheets().length > 0 ? 'asked' : 'quiet';
  if (gate.recovery.isOpen) gate.recovery.decide(choice);
  await denyAll(gate);
  if (id === '' || gate.record.get(id) === null) {
    expect(told).toBe('quiet');
    await gate.close();
    return 'nothing';
  }
  await gate.idle(id);
  const { canContinue } = gate.loops.of(id).working;
  if (told === 'quiet') expect(model.requests).toEqual([]);
  else if (choice === 'resume') expect(model.requests).toHaveLength(1);
  if (report !== null && choice === 'discard') expect(model.requests).toHaveLength(0);
  if (model.requests.length === 0 && canContinue) gate.loops.of(id).goOn(null);
  await gate.idle(id);
  for (const request of model.requests) expect(await refusedAsSent('anthropic', request.history)).toEqual([]);
  expect(gate.journal.openBatches().flatMap(({ calls }) => calls.filter(({ settled }) => !settled))).toEqual([]);
  await gate.close();
  const { verify, service } = openServiceReader(place.dataDir);
  expect(await verify()).toMatchObject({ ok: true });
  const { calls } = await service.page({ limit: 100, before: null, filter: {} });
  service.close();
  const log = join(place.dataDir, 'ran.log');
  const ran = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  expect(new Set(ran).size).toBe(ran.length);
  for (const call of calls) {
    expect(call.outcome, call.tool).not.toBeNull();
    // What is said to have ended well did happen.
    if (call.tool === 'note' && call.state === 'COMPLETED') expect(ran).toContain(call.callId);
    if (call.tool === 'write_file' && call.state === 'COMPLETED')
      expect(readFileSync(join(place.workspace, 'w.txt'), 'utf8')).toBe('written');
  }
  // What the model is given of each call is what is on record of it: one result, and no other.
  const last = model.requests.at(-1);
  if (last !== undefined) {
    const asked = last.history.flatMap((message) => (message.role === 'assistant' ? message.blocks : []));
    expect(resultsIn(last)).toHaveLength(asked.filter(({ kind }) => kind === 'call').length);
  }
  return told;
}

describe('the app killed while a conversation works', () => {
  it('never runs a call twice, leaves none without its result, and goes on as the person chooses', async () => {
    const whole = await run(fresh(), 0);
    const places = whole.places ?? 0;
    expect(places).toBeGreaterThan(60);
    const tried = Array.from({ length: KILLS }, () => 1 + Math.floor(Math.random() * places));
    const told = new Map<string, number>();
    const worker = async (): Promise<void> => {
      for (let at = tried.shift(); at !== undefined; at = tried.shift()) {
        const place = fresh();
        const { id } = await run(place, at);
        const as = await expectSound(place, id, at % 2 === 0 ? 'resume' : 'discard').catch((error: unknown) => {
          throw new Error(`killed at place ${at} of ${places}`, { cause: error });
        });
        told.set(as, (told.get(as) ?? 0) + 1);
      }
    };
    await Promise.all([worker(), worker()]);
    expect([...told.values()].reduce((sum, each) => sum + each, 0)).toBe(KILLS);
  });

  it('IT-JRN-01: calls that were received and not yet on record as a batch are there, did not run, and are asked for again', async () => {
    for (const choice of ['resume', 'discard'] as const) {
      const place = fresh();
      const before = await openConversationGate({
        ...place,
        model: {
          answer: async function* () {
            yield { type: 'text', block: 0, text: 'I look.' };
            yield { type: 'call-began', block: 1, id: 'one', name: 'note' };
            yield { type: 'call-arguments', block: 1, text: '{"text":"x"}' };
            yield { type: 'block-ended', block: 1, kept: null };
            yield { type: 'call-began', block: 2, id: 'two', name: 'read_file' };
            yield { type: 'call-arguments', block: 2, text: '{"pa' };
            // The last word never comes: it dies here.
            await new Promise(() => undefined);
          },
        },
        ran: () => expect.fail('it ran'),
      });
      const { id } = before.record.begin(place.workspace, false);
      before.loops.of(id).say({
        parts: [{ kind: 'text', text: 'go' }],
        insteadOf: null,
        unsent: { text: 'go', files: [], pictures: [] },
      });
      await expect.poll(() => before.record.branch(id).length).toBe(2);
      await expect
        .poll(() => JSON.stringify(before.record.view(before.record.branch(id)[1]?.id ?? '')))
        .toContain('read_file');
      before.journal.close();

      const { gate, model, report } = await open(place);
      expect(report?.batches).toMatchObject([
        {
          door: 'conversation',
          calls: [{ foundAs: 'not-started', call: { tool: 'note' } }, { foundAs: 'not-started' }],
        },
      ]);
      expect(gate.record.branch(id)[1]?.said).toMatchObject({ end: { state: 'broke-off' } });
      gate.recovery.decide(choice);
      await gate.idle(id);
      if (choice === 'resume') await expect.poll(() => model.requests).toHaveLength(1);
      await gate.idle(id);
      expect(model.requests).toHaveLength(choice === 'resume' ? 1 : 0);
      const [first] = model.requests;
      // The history has no half message; the answer that broke off stands beside the new one.
      if (first !== undefined) expect(first.history).toEqual([{ role: 'user', parts: [{ kind: 'text', text: 'go' }] }]);
      if (choice === 'resume') {
        const shown = gate.record.branch(id)[1]?.id ?? '';
        expect(gate.record.view(shown)?.branch).toMatchObject({ at: 2, of: 2 });
      }
      await gate.close();
      const { service } = openServiceReader(place.dataDir);
      const { calls } = await service.page({ limit: 10, before: null, filter: {} });
      service.close();
      expect(calls.map(({ state, code, outcome }) => [state, code, outcome])).toEqual([
        ['ABORTED', 'Interrupted', 'interrupted'],
        ['ABORTED', 'Interrupted', 'interrupted'],
      ]);
    }
  });

  it('IT-JRN-02: a batch that was under way is told, nothing runs again, and the model gets what the person chose', async () => {
    for (const choice of ['resume', 'discard'] as const) {
      const place = fresh();
      const began = Promise.withResolvers<void>();
      const before = await openConversationGate({
        ...place,
        model: new ScriptedModel([
          [
            { call: 'read_file', arguments: { path: 'a.txt' } },
            { call: 'note', arguments: { text: 'runs' } },
            { call: 'note', arguments: { text: 'waits' } },
          ],
        ]),
        ran: () => {
          began.resolve();
          return new Promise(() => undefined);
        },
      });
      const { id } = before.record.begin(place.workspace, false);
      before.loops.of(id).say({
        parts: [{ kind: 'text', text: 'go' }],
        insteadOf: null,
        unsent: { text: 'go', files: [], pictures: [] },
      });
      await began.promise;
      before.journal.close();

      const { gate, model, report } = await open(place);
      expect(report?.batches[0]?.calls.map(({ foundAs }) => foundAs)).toEqual([
        'finished',
        'may-have-run',
        'not-started',
      ]);
      expect(gate.loops.of(id).working.doing.kind).toBe('calls');
      gate.recovery.decide(choice);
      await gate.idle(id);
      const interrupted = "Interrupted: Gatehouse stopped before this call's result was saved";
      if (choice === 'resume') {
        expect(model.requests).toHaveLength(1);
        expect(resultsIn(model.requests[0] ?? expect.fail()).map(({ content }) => content)).toEqual([
          expect.stringContaining('hello'),
          interrupted,
          interrupted,
        ]);
      } else {
        expect(model.requests).toEqual([]);
        expect(gate.loops.of(id).working).toMatchObject({ doing: { kind: 'idle' }, canContinue: true });
        gate.loops.of(id).goOn(null);
        await gate.idle(id);
        expect(resultsIn(model.requests[0] ?? expect.fail()).map(({ content }) => content)).toEqual([
          interrupted,
          interrupted,
          interrupted,
        ]);
      }
      await gate.close();
    }
  });

  it('calls that waited for the person are asked again, and once decided it goes on by itself', async () => {
    const place = fresh();
    const before = await openConversationGate({
      ...place,
      model: new ScriptedModel([[{ call: 'write_file', arguments: { path: 'w.txt', content: 'written' } }]]),
    });
    const { id } = before.record.begin(place.workspace, false);
    before.loops.of(id).say({
      parts: [{ kind: 'text', text: 'go' }],
      insteadOf: null,
      unsent: { text: 'go', files: [], pictures: [] },
    });
    await expect.poll(() => before.sheets()).toHaveLength(1);
    before.journal.close();

    const { gate, model, report } = await open(place);
    expect(report).toBeNull();
    await expect.poll(() => gate.sheets()).toHaveLength(1);
    expect(gate.sheets()).toMatchObject([{ callerGone: false }]);
    expect(gate.loops.of(id).working.doing.kind).toBe('calls');
    gate.read();
    await gate.desk.decide(answerTo(gate.sheets()[0] ?? expect.fail(), 'approve-all'));
    await gate.idle(id);
    expect(readFileSync(join(place.workspace, 'w.txt'), 'utf8')).toBe('written');
    expect(model.requests).toHaveLength(1);
    expect(resultsIn(model.requests[0] ?? expect.fail())).toMatchObject([{ isError: false }]);
    await gate.close();
  });
});
