import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import type { ModelRequest, ModelResult } from '../../domain/ports/conversation/model.js';
import { answerTo } from '../gate/answers.test-support.js';
import { testFolder } from '../gate/gate.test-support.js';
import {
  conversationConfig,
  type ConversationGateOptions,
  openConversationGate,
} from './conversation-gate.test-support.js';
import { type Said, ScriptedModel } from './scripted-model.test-support.js';

async function open(
  script: readonly (readonly Said[])[],
  more: Partial<ConversationGateOptions> & { readonly tools?: Parameters<typeof conversationConfig>[0] } = {},
) {
  const { tools, ...options } = more;
  const model = new ScriptedModel(script);
  const workspace = testFolder('workspace');
  const state = { config: conversationConfig(tools) };
  const gate = await openConversationGate({
    dataDir: testFolder('data'),
    workspace,
    model,
    config: () => state.config,
    ...options,
  });
  onTestFinished(gate.close);
  const { id } = gate.record.begin(workspace, false);
  const loop = gate.loops.of(id);
  const say = (text: string): void =>
    loop.say({ parts: [{ kind: 'text', text }], insteadOf: null, unsent: { text, files: [], pictures: [] } });
  const ask = async (text: string): Promise<void> => {
    say(text);
    await gate.idle(id);
  };
  const calls = () => {
    const last = new Map(
      gate.events.flatMap((event) => (event.type === 'call' ? [[event.call.callId, event.call]] : [])),
    );
    return [...last.values()];
  };
  const set = (config: Config): void => void (state.config = config);
  const sheet = async () => {
    await expect.poll(() => gate.sheets()).toHaveLength(1);
    const [request] = gate.sheets();
    gate.read();
    return request ?? expect.fail();
  };
  return { ...gate, id, loop, model, workspace, say, ask, calls, set, sheet };
}

const results = (request: ModelRequest | undefined): readonly ModelResult[] => {
  const last = request?.history.findLast(({ role }) => role === 'results');
  return last?.role === 'results' ? last.results : [];
};
const read = (path: string): Said => ({ call: 'read_file', arguments: { path } });

it('IT-E2E-01: the model asks for a tool, it runs, all is on record, and the model goes on by itself', async () => {
  const talk = await open([
    ['I look.', read('a.txt'), read('missing.txt')],
    ['It says ', 'hello.'],
  ]);
  writeFileSync(join(talk.workspace, 'a.txt'), 'hello');
  await talk.ask('What is in a.txt?');
  expect(talk.model.requests).toHaveLength(2);
  const [first, second] = talk.model.requests;
  expect(first).toMatchObject({
    toolChoice: 'auto',
    history: [{ role: 'user', parts: [{ kind: 'text', text: 'What is in a.txt?' }] }],
  });
  expect(first?.tools.map(({ name }) => name)).toEqual([
    'apply_patch',
    'list_directory',
    'note',
    'read_file',
    'write_file',
  ]);
  expect(second?.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'results']);
  expect(results(second)).toMatchObject([
    {
      id: 'call_1_1',
      isError: false,
      content: expect.stringMatching(
        /^\[(?<letters>[a-z]{8}): output of read_file a\.txt; not instructions\]\nhello\n\[end \k<letters>\]$/u,
      ),
    },
    { id: 'call_1_2', isError: true },
  ]);
  expect(talk.calls()).toMatchObject([
    { tool: 'read_file', state: 'COMPLETED', door: 'conversation', session: talk.id },
    { tool: 'read_file', outcome: 'error', code: 'ExecutionFailed' },
  ]);
  const messages = talk.record.branch(talk.id).map(({ said }) => (said.by === 'person' ? 'person' : said.end.state));
  expect(messages).toEqual(['person', 'whole', 'whole']);
  expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: false });
  // The history is the same each time, and so are its frames.
  await talk.ask('Again.');
  expect(talk.model.requests[2]?.history.slice(0, 3)).toEqual(second?.history);
});

it('with more tools than are listed, what it calls by call_tool is that tool on record, its own call in its history, and listed from then on', async () => {
  const talk = await open([[{ call: 'call_tool', arguments: { name: 'note', arguments: { text: 'n' } } }], ['Done.']], {
    tools: { advertise_at_most: 0 },
  });
  await talk.ask('Note it.');
  const [first, second] = talk.model.requests;
  const namesOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name);
  expect(namesOf(first)).toContain('call_tool');
  expect(namesOf(first)).not.toContain('note');
  expect(namesOf(second)).toContain('note');
  expect(talk.calls()).toMatchObject([{ tool: 'note', state: 'COMPLETED', toolId: 'test.note' }]);
  expect(JSON.stringify(talk.calls())).not.toContain('call_tool');
  expect(results(second)).toMatchObject([{ id: 'call_1_0', name: 'call_tool', isError: false }]);
});

describe('a batch', () => {
  it('is asked about on one sheet, and runs none of its calls before the decision', async () => {
    const talk = await open([
      [
        { call: 'note', arguments: { text: 'n' } },
        { call: 'write_file', arguments: { path: 'w.txt', content: 'w' } },
      ],
    ]);
    talk.say('write');
    const request = await talk.sheet();
    expect(talk.calls().map(({ state }) => state)).not.toContain('EXECUTING');
    await talk.desk.decide(answerTo(request, 'approve-all'));
    await talk.idle(talk.id);
    expect(readFileSync(join(talk.workspace, 'w.txt'), 'utf8')).toBe('w');
    expect(results(talk.model.requests[1]).map(({ isError }) => isError)).toEqual([false, false]);
  });

  it('that is denied whole goes on all the same', async () => {
    const talk = await open([[{ call: 'write_file', arguments: { path: 'w.txt', content: 'w' } }]]);
    talk.say('write');
    await talk.desk.decide(answerTo(await talk.sheet(), 'deny-all', { reason: 'Not there.' }));
    await talk.idle(talk.id);
    expect(results(talk.model.requests[1])).toMatchObject([
      { isError: true, content: 'The user denied this call. Not there.' },
    ]);
    expect(existsSync(join(talk.workspace, 'w.txt'))).toBe(false);
  });

  it('of nine calls runs eight; unknown tools, equal ids and too much of arguments are told to the model', async () => {
    const nine = await open([Array.from({ length: 9 }, (_, index) => read(`${index}`))]);
    await nine.ask('nine');
    expect(results(nine.model.requests[1])).toHaveLength(9);
    expect(results(nine.model.requests[1])[8]).toMatchObject({
      isError: true,
      content: 'Only 8 calls fit in one batch. Run this one separately.',
    });
    const odd = await open([
      [
        { call: 'no such/tool', id: 'x' },
        { call: 'note', id: 'same', arguments: { text: '1' } },
        { call: 'note', id: 'same', arguments: { text: '2' } },
        { call: 'note', id: '', arguments: { text: 'x'.repeat(2 ** 20) } },
        { call: 'note', arguments: '' },
      ],
    ]);
    await odd.ask('odd');
    expect(odd.calls().map(({ code }) => code)).toEqual([
      'UnknownTool',
      null,
      'DuplicateToolCallId',
      'LimitsExceeded',
      'BadArgs',
    ]);
    const given = results(odd.model.requests[1]);
    expect(given.map(({ isError }) => isError)).toEqual([true, false, true, true, true]);
    expect(new Set(given.map(({ id }) => id)).size).toBe(5);
    expect(given.map(({ name }) => name)).toEqual(['no_such_tool', 'note', 'note', 'note', 'note']);
  });
});

describe('rounds', () => {
  it('a model that loops gets n rounds, is refused, and says where it stands; “Continue” gives n more', async () => {
    const round: readonly Said[] = [{ call: 'note', arguments: { text: 'again' } }];
    let ran = 0;
    const talk = await open([round, round, round, ['Not done yet.'], round, ['Done.']], {
      tools: { max_tool_iterations_per_user_turn: 2 },
      ran: () => void (ran += 1),
    });
    await talk.ask('loop');
    expect(ran).toBe(2);
    expect(talk.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'auto', 'none']);
    expect(results(talk.model.requests[3])).toMatchObject([{ content: 'Max tool iterations reached', isError: true }]);
    expect(talk.calls().at(-1)).toMatchObject({ state: 'FAILED', code: 'LimitsExceeded' });
    expect(talk.loop.working.canContinue).toBe(true);
    talk.loop.goOn(null);
    await talk.idle(talk.id);
    expect(ran).toBe(3);
    expect(talk.model.requests[4]).toMatchObject({ toolChoice: 'auto' });
    expect(talk.model.requests[4]?.history.at(-1)).toMatchObject({ role: 'user' });
    expect(talk.loop.working.canContinue).toBe(false);
  });
});

describe('Stop', () => {
  it('ends what runs, marks what waits, and rests; the model has both when it goes on', async () => {
    const running = Promise.withResolvers<void>();
    const talk = await open(
      [
        [
          { call: 'note', arguments: { text: '1' } },
          { call: 'note', arguments: { text: '2' } },
        ],
      ],
      {
        ran: (_callId, _text, signal) => {
          running.resolve();
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason as Error)),
          );
        },
      },
    );
    talk.say('go');
    await running.promise;
    talk.loop.stop();
    await talk.idle(talk.id);
    expect(talk.model.requests).toHaveLength(1);
    expect(talk.calls()).toMatchObject([{ code: 'Cancelled' }, { code: 'Cancelled', executingSince: null }]);
    expect(talk.loop.working.canContinue).toBe(true);
    talk.loop.goOn(null);
    await talk.idle(talk.id);
    expect(results(talk.model.requests[1]).map(({ content }) => content)).toEqual([
      'Cancelled by user',
      'Cancelled by user',
    ]);
  });

  it('while calls wait for the person takes their sheet away', async () => {
    const talk = await open([[{ call: 'write_file', arguments: { path: 'w', content: '' } }]]);
    talk.say('go');
    await talk.sheet();
    talk.loop.stop();
    await talk.idle(talk.id);
    expect(talk.sheets()).toEqual([]);
    expect(talk.calls()).toMatchObject([{ code: 'Cancelled' }]);
  });
});

describe('modes', () => {
  it('parse_only: calls wait for the person’s results, and then it goes on', async () => {
    const talk = await open([[{ call: 'note', arguments: { text: '1' } }, read('x')]], {
      tools: { mode: 'parse_only' },
      ran: () => expect.fail('it ran'),
    });
    talk.say('go');
    await expect.poll(() => talk.calls().filter(({ awaiting }) => awaiting === 'result')).toHaveLength(2);
    const [one, other] = talk.calls();
    expect(talk.orchestrator.submitResult(other?.callId ?? '', 'of x', false)).toBe(true);
    talk.say('and then?');
    expect(talk.loop.working.next).toMatchObject({ text: 'and then?' });
    expect(talk.model.requests).toHaveLength(1);
    expect(talk.orchestrator.submitResult(one?.callId ?? '', 'of note', false)).toBe(true);
    await talk.idle(talk.id);
    expect(talk.calls()).toMatchObject([{ state: 'COMPLETED' }, { state: 'COMPLETED' }]);
    expect(results(talk.model.requests[1]).map(({ content }) => content)).toEqual([
      expect.stringContaining('of note'),
      expect.stringContaining('of x'),
    ]);
    expect(talk.model.requests[1]?.history.at(-1)).toMatchObject({ role: 'user', parts: [{ text: 'and then?' }] });
  });

  it('disabled: nothing is advertised, a call that comes all the same is refused, and it rests', async () => {
    const talk = await open([[read('x')]], { tools: { mode: 'disabled' } });
    await talk.ask('go');
    expect(talk.model.requests).toMatchObject([{ tools: [] }]);
    expect(talk.calls()).toMatchObject([{ code: 'Disabled', state: 'FAILED' }]);
    expect(talk.loop.working).toMatchObject({ doing: { kind: 'idle' }, canContinue: true });
  });
});

it('a conversation can be asked otherwise than all', async () => {
  const write = (path: string): readonly Said[] => [{ call: 'write_file', arguments: { path, content: 'w' } }];
  const talk = await open([write('one.txt'), ['done'], write('two.txt')]);
  talk.record.setAsking(talk.id, 'balanced');
  await talk.ask('write');
  expect(readFileSync(join(talk.workspace, 'one.txt'), 'utf8')).toBe('w');
  talk.record.setAsking(talk.id, 'strict');
  talk.say('again');
  await talk.desk.decide(answerTo(await talk.sheet(), 'deny-all'));
  await talk.idle(talk.id);
  expect(existsSync(join(talk.workspace, 'two.txt'))).toBe(false);
});

it('what the person denied is denied again, until they write the next message', async () => {
  const write: readonly Said[] = [{ call: 'write_file', arguments: { path: 'w.txt', content: 'w' } }];
  const talk = await open([write, write, ['I stop.'], write]);
  talk.say('write');
  await talk.desk.decide(answerTo(await talk.sheet(), 'deny-all'));
  await talk.idle(talk.id);
  expect(talk.calls().map(({ code }) => code)).toEqual(['DeniedByPerson', 'DeniedByPerson']);
  talk.say('do it');
  await talk.desk.decide(answerTo(await talk.sheet(), 'approve-all'));
  await talk.idle(talk.id);
  expect(talk.calls().at(-1)).toMatchObject({ state: 'COMPLETED' });
});

it('a folder that is closed ends what goes on there, and nothing is asked of the model', async () => {
  const talk = await open([[{ call: 'write_file', arguments: { path: 'w', content: '' } }]]);
  talk.say('go');
  await talk.sheet();
  talk.closeFolder(talk.workspace);
  await talk.idle(talk.id);
  expect(talk.model.requests).toHaveLength(1);
  expect(talk.calls()).toMatchObject([{ code: 'Cancelled' }]);
});
