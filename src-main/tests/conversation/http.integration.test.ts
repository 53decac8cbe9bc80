import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createServedModel } from '../../conversation/providers/served-model.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { createOutside } from '../../outside/outside-client.js';
import { testFolder } from '../gate/gate.test-support.js';
import { startModelServer } from '../model-server/model-server.test-support.js';
import type { Scripted, ScriptedBlock } from '../model-server/turns.test-support.js';
import { openConversationGate } from './conversation-gate.test-support.js';

type Provider = 'anthropic' | 'openai-compatible';
const PROVIDERS: readonly Provider[] = ['anthropic', 'openai-compatible'];

/** A conversation with a model over real HTTP. Waits that its server asks for are kept until they are let go. */
async function open(provider: Provider, ...script: readonly Scripted[]) {
  const server = await startModelServer();
  server.script(...script);
  const outside = createOutside({ secret: () => 'sk-1', variable: () => null });
  const waits: (() => void)[] = [];
  const model = createServedModel(
    { provider, baseUrl: server.baseUrl, model: 'scripted-1' },
    {
      outside,
      key: () => ({
        header: 'authorization',
        prefix: 'Bearer ',
        from: 'secret:model',
        boundTo: server.baseUrl,
        asker: 'test',
      }),
      now: () => 0,
      sleep: (_ms, signal) =>
        new Promise((resolve, reject) => {
          waits.push(resolve);
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    },
  );
  const workspace = testFolder('workspace');
  const ran: string[] = [];
  const gate = await openConversationGate({
    dataDir: testFolder('data'),
    workspace,
    model,
    provider,
    ran: (_callId, text) => void ran.push(text),
  });
  onTestFinished(async () => {
    await gate.close();
    outside.close();
    await server.close();
  });
  const { id } = gate.record.begin(workspace, false);
  const loop = gate.loops.of(id);
  const say = (text: string): void =>
    loop.say({ parts: [{ kind: 'text', text }], insteadOf: null, unsent: { text, files: [], pictures: [] } });
  const ask = async (text: string): Promise<void> => {
    say(text);
    await gate.idle(id);
  };
  const codes = () => {
    const last = new Map(
      gate.events.flatMap((event) => (event.type === 'call' ? [[event.call.callId, event.call]] : [])),
    );
    return [...last.values()].map(({ code }) => code);
  };
  const states = () => gate.record.branch(id).map(({ said }) => (said.by === 'person' ? 'person' : said.end.state));
  const letWait = (): void => waits.shift()?.();
  return { ...gate, id, loop, server, workspace, ran, waits, say, ask, codes, states, letWait };
}

const note = (text: string, more: Partial<Extract<ScriptedBlock, { call: string }>> = {}): ScriptedBlock => ({
  call: 'note',
  arguments: { text },
  ...more,
});
const DONE: Scripted = { blocks: [{ text: 'Done.' }] };

/** What a request gives of results, in the words of its protocol: id and text of each. */
function resultsIn(body: JsonObject | undefined): readonly (readonly [unknown, string])[] {
  const messages = (body?.['messages'] ?? []) as readonly JsonObject[];
  return messages.flatMap((message) => {
    if (message['role'] === 'tool') return [[message['tool_call_id'], JSON.stringify(message['content'])] as const];
    const content = Array.isArray(message['content']) ? (message['content'] as readonly JsonObject[]) : [];
    return content
      .filter(({ type }) => type === 'tool_result')
      .map((part) => [part['tool_use_id'], JSON.stringify(part['content'])] as const);
  });
}

describe.each(PROVIDERS)('over %s', (provider) => {
  it('parallel calls, whose pieces take turns in bytes, run in order and come back in order', async () => {
    const talk = await open(
      provider,
      {
        blocks: [
          { text: 'Grüße 👋' },
          note('eins'),
          { call: 'read_file', id: 'r', arguments: { path: 'ä.txt' } },
          note('drei'),
        ],
        interleaved: true,
        piece: 3,
        wire: { chunkBytes: 1 },
      },
      DONE,
      DONE,
    );
    writeFileSync(join(talk.workspace, 'ä.txt'), 'öäü');
    await talk.ask('go');
    expect(talk.ran).toEqual(['eins', 'drei']);
    const results = resultsIn(talk.server.requests[1]?.body);
    expect(results.map(([, text]) => /noted eins|öäü|noted drei/u.exec(text)?.[0])).toEqual([
      'noted eins',
      'öäü',
      'noted drei',
    ]);
    expect(results[1]?.[0]).toBe('r');
    expect(talk.states()).toEqual(['person', 'whole', 'whole']);
    await talk.ask('And now?');
    expect(talk.server.requests).toHaveLength(3);
  });

  it.each([
    ['reset', { cutAfterBytes: 900, cut: 'reset' }],
    ['ended early', { cutAfterBytes: 900 }],
  ] as const)(
    'a stream that is %s in the middle runs nothing of it, and can be asked for again',
    async (_words, wire) => {
      const talk = await open(provider, { blocks: [{ text: 'so' }, note('one'), note('x'.repeat(4000))], wire }, DONE);
      await talk.ask('go');
      expect(talk.ran).toEqual([]);
      expect(talk.states()).toEqual(['person', 'broke-off']);
      expect(new Set(talk.codes())).toEqual(new Set(['Interrupted']));
      expect(talk.server.requests).toHaveLength(1);
      talk.loop.goOn(talk.record.branch(talk.id)[1]?.id ?? '');
      await talk.idle(talk.id);
      expect(talk.states()).toEqual(['person', 'whole']);
      expect(resultsIn(talk.server.requests[1]?.body)).toEqual([]);
    },
  );

  it('all pieces and no closing word: nothing runs', async () => {
    const talk = await open(provider, { blocks: [note('one')], ends: null });
    await talk.ask('go');
    expect(talk.ran).toEqual([]);
    expect(talk.states()).toEqual(['person', 'broke-off']);
  });

  it('cut at its limit in the middle of a call: nothing runs, and it is told', async () => {
    const talk = await open(provider, {
      blocks: [note('one'), note('two', { arguments: '{"text":"tw' })],
      ends: 'length',
    });
    await talk.ask('go');
    expect(talk.ran).toEqual([]);
    expect(talk.record.branch(talk.id)[1]?.said).toMatchObject({
      end: { state: 'length', failure: { fault: 'length' } },
    });
    expect(talk.codes()).toEqual(['Interrupted', 'Interrupted']);
  });

  it('a stream that stalls is stopped by the person; what came is kept, and nothing of it ran', async () => {
    const talk = await open(
      provider,
      { blocks: [{ text: 'I begin with a longer text.' }, note('one')], wire: { stallAfterEvents: 4 } },
      DONE,
    );
    talk.say('go');
    await expect.poll(() => talk.loop.working.doing.kind).toBe('streaming');
    talk.loop.stop();
    await talk.idle(talk.id);
    await expect.poll(() => talk.server.open).toBe(0);
    expect(talk.states()).toEqual(['person', 'stopped']);
    expect(talk.ran).toEqual([]);
    await talk.ask('go on');
    expect(talk.states()).toEqual(['person', 'stopped', 'person', 'whole']);
    expect(JSON.stringify(talk.server.requests[1]?.body)).toContain('I begin');
  });

  it('429 with Retry-After is waited for, told each second, and can be stopped', async () => {
    const refusal: Scripted = { status: 429, headers: { 'retry-after': '2' } };
    const talk = await open(provider, refusal, DONE, refusal);
    talk.say('go');
    await expect.poll(() => talk.waits.length).toBe(1);
    expect(talk.loop.working.doing).toEqual({ kind: 'waiting', seconds: 2, why: 'rate-limit' });
    talk.letWait();
    await expect.poll(() => talk.waits.length).toBe(1);
    expect(talk.loop.working.doing).toEqual({ kind: 'waiting', seconds: 1, why: 'rate-limit' });
    talk.letWait();
    await talk.idle(talk.id);
    expect(talk.states()).toEqual(['person', 'whole']);
    talk.say('again');
    await expect.poll(() => talk.waits.length).toBe(1);
    talk.loop.stop();
    await talk.idle(talk.id);
    expect(talk.server.requests).toHaveLength(3);
    expect(talk.states()).toEqual(['person', 'whole', 'person', 'stopped']);
  });

  it.each([
    ['api-key', { status: 401 }],
    ['not-found', { status: 404 }],
    ['rate-limit', { status: 429, headers: { 'retry-after': '3600' } }],
    ['refused', { status: 400 }],
    ['unreachable', { hangUp: true }],
  ] as const)('a request that fails is told at once, by its word: %s', async (fault, refusal) => {
    const talk = await open(provider, refusal, DONE);
    await talk.ask('go');
    expect(talk.record.branch(talk.id)[1]?.said).toMatchObject({ end: { state: 'failed', failure: { fault } } });
    expect(talk.waits).toEqual([]);
    await talk.ask('once more');
    expect(talk.states()).toEqual(['person', 'failed', 'person', 'whole']);
  });

  it('odd calls: nine of them, unknown names, equal and empty ids, empty arguments, a megabyte of them', async () => {
    const talk = await open(provider, {
      blocks: [
        note('one', { id: 'same' }),
        note('two', { id: 'same' }),
        note('three', { id: '' }),
        { call: 'no such/tool', id: 'x.y:0', arguments: {} },
        { call: 'list_directory', arguments: '' },
        note('x'.repeat(2 ** 20)),
        note('seven', { arguments: '[]' }),
        note('eight'),
        note('nine'),
      ],
    });
    await talk.ask('go');
    // One of them has arguments that are no object: then nothing of it runs.
    expect(talk.ran).toEqual([]);
    expect(talk.codes()).toHaveLength(9);
    talk.server.script(
      {
        blocks: [
          note('one', { id: 'same' }),
          note('two', { id: 'same' }),
          note('three', { id: '' }),
          { call: 'no such/tool', id: 'x.y:0', arguments: {} },
          { call: 'list_directory', arguments: '' },
          note('x'.repeat(2 ** 20)),
          note('seven'),
          note('eight'),
          note('nine'),
        ],
      },
      DONE,
    );
    await talk.ask('again');
    expect(talk.ran).toEqual(['one', 'three', 'seven', 'eight']);
    expect(talk.codes().slice(9)).toEqual([
      null,
      'DuplicateToolCallId',
      null,
      'UnknownTool',
      'BadArgs',
      'LimitsExceeded',
      null,
      null,
      'LimitsExceeded',
    ]);
    expect(talk.states().at(-1)).toBe('whole');
    const ids = resultsIn(talk.server.requests.at(-1)?.body).map(([id]) => id);
    expect(new Set(ids).size).toBe(9);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/u);
  });
});

it('a model that answers with nothing, refuses, or never stops calling ends in one clear state', async () => {
  const empty = await open('anthropic', { blocks: [] });
  await empty.ask('go');
  expect(empty.states()).toEqual(['person', 'empty']);
  const refused = await open('openai-compatible', { blocks: [{ text: 'no' }, note('one')], ends: 'filtered' });
  await refused.ask('go');
  expect(refused.states()).toEqual(['person', 'refused']);
  expect(refused.ran).toEqual([]);
  const loops = await open('anthropic');
  loops.server.otherwise(() => ({ blocks: [note('again')] }));
  await loops.ask('go');
  expect(loops.ran).toHaveLength(4);
  expect(loops.server.requests).toHaveLength(6);
  expect(loops.server.requests.at(-1)?.body).toMatchObject({ tool_choice: { type: 'none' } });
  expect(loops.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: true });
});
