import { describe, expect, it, onTestFinished } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#contract/vocabulary/config.js';
import { tokensOf } from '../../conversation/capacity/capacity.js';
import type { ModelRequest, ModelResult } from '../../domain/ports/conversation/model.js';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { testFolder } from '../gate/gate.test-support.js';
import { conversationConfig, openConversationGate } from './conversation-gate.test-support.js';
import { type Said, ScriptedModel } from './scripted-model.test-support.js';

const TEXTS = {
  'short words': 'ab1 '.repeat(15_000),
  'a log': '2026-11-19T13:30:11.204Z INFO gate/executor: call 4711 settled in 12 ms\n'.repeat(900),
  Chinese: '政府决定修改关于保护个人数据的法律。'.repeat(1200),
  minified: '{"a":[{"b":1},{"c":[]}],"d":{}}'.repeat(2000),
  blanks: ' '.repeat(60_000),
} as const;

const withContext = (config: Config, tokens: number): Config => ({
  ...config,
  model: { ...config.model, context_tokens: tokens },
});

async function openTalk(script: readonly (readonly Said[])[], contextTokens: number) {
  const model = new ScriptedModel(script);
  const workspace = testFolder('workspace');
  const state = { config: withContext(conversationConfig({ max_tool_iterations_per_user_turn: 50 }), contextTokens) };
  const ran: string[] = [];
  const says = noteTool(
    { name: 'say', nature: 'reads', sideEffecting: false, requiredCapabilities: ['filesystem.read'] },
    {
      execute: async ({ text }, { callId, signal }) => {
        ran.push(callId);
        if (text in TEXTS) return noteOutput(TEXTS[text as keyof typeof TEXTS]);
        const stopped = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => stopped.resolve());
        await stopped.promise;
        return noteOutput('');
      },
    },
  );
  const gate = await openConversationGate({
    dataDir: testFolder('data'),
    workspace,
    model,
    config: () => state.config,
    commands: {
      runner: {
        prepare: () => undefined,
        run: () => Promise.reject(new Error('no command is run here')),
        confinement: () => Promise.resolve({ available: false, problem: null }),
      },
      tool: says,
    },
  });
  onTestFinished(gate.close);
  const { id } = gate.record.begin(workspace, false);
  const ask = async (text: string): Promise<void> => {
    gate.loops
      .of(id)
      .say({ parts: [{ kind: 'text', text }], insteadOf: null, unsent: { text, files: [], pictures: [] } });
    await gate.idle(id);
  };
  const ends = () => gate.record.branch(id).flatMap(({ said }) => (said.by === 'person' ? [] : [said.end]));
  const narrow = (tokens: number): void => void (state.config = withContext(state.config, tokens));
  return { ...gate, id, model, workspace, ask, ends, ran, narrow };
}

const say = (text: keyof typeof TEXTS): Said => ({ call: 'say', arguments: { text } });
const results = (request: ModelRequest | undefined): readonly ModelResult[] => {
  const last = request?.history.findLast(({ role }) => role === 'results');
  return last?.role === 'results' ? last.results : [];
};
const roomOf = (contextTokens: number, { maxOutputTokens }: ModelRequest): number =>
  contextTokens - Math.max(8192, maxOutputTokens) - 1024;

describe('a turn that was run can always be sent', () => {
  const names = Object.keys(TEXTS) as (keyof typeof TEXTS)[];
  it.each([16_000, 20_000, 128_000])('with %i tokens of context, whatever its results are made of', async (context) => {
    const turns = names.flatMap((name) => [
      [say(name), say(name), say(name)],
      Array.from({ length: 8 }, () => say(name)),
    ]);
    const talk = await openTalk(turns, context);
    await talk.ask('Say it all.');
    expect(talk.ends().map(({ state }) => state)).toEqual([...turns.map(() => 'whole'), 'whole']);
    expect(talk.model.requests).toHaveLength(turns.length + 1);
    expect(talk.ran).toHaveLength(turns.flat().length);
    for (const request of talk.model.requests)
      expect(tokensOf(request.history, request)).toBeLessThanOrEqual(roomOf(context, request));
    // What a model has just asked for it is given, cut to its share, and not as a line that says it was left out.
    for (const request of talk.model.requests.slice(1)) {
      const given = results(request);
      for (const { content } of given) expect(content).not.toContain('left out, ');
      expect(given.every(({ content }) => content.length > 60)).toBe(true);
    }
  });

  it('when the context is smaller by the time it is sent: the longest results become a line, and that is shown', async () => {
    const talk = await openTalk(
      [[say('a log'), { call: 'say', arguments: { text: 'nothing, until it is stopped' } }]],
      128_000,
    );
    const loop = talk.loops.of(talk.id);
    const asked = talk.ask('Say it.');
    await expect.poll(() => talk.ran).toHaveLength(2);
    loop.stop();
    await asked;
    talk.narrow(14_000);
    loop.goOn(null);
    await talk.idle(talk.id);
    const [, second] = talk.model.requests;
    expect(results(second)[0]?.content).toMatch(/^\[result of say .*left out, \d+ KB\]$/u);
    expect([...talk.record.listPresentations(talk.id).values()].map(({ folding }) => folding)).toContain('folded');
    expect(talk.ends().at(-1)).toMatchObject({ state: 'whole', failure: null });
  });
});

it('a file that has more than its share is refused with what would fit, and a part of that length is given whole', async () => {
  const read = (more: object): Said => ({ call: 'read_file', arguments: { path: 'log.txt', ...more } });
  const talk = await openTalk([[read({})], [read({ start_line: 1, end_line: 40 })]], 20_000);
  writeFileSync(join(talk.workspace, 'log.txt'), TEXTS['a log'].slice(0, 40_000));
  await talk.ask('Read it.');
  const [refused] = results(talk.model.requests[1]);
  expect(refused).toMatchObject({ isError: true, content: expect.stringContaining('start_line') as string });
  expect(results(talk.model.requests[2])[0]?.content).toContain(
    readFileSync(join(talk.workspace, 'log.txt'), 'utf8').split('\n').slice(0, 40).join('\n'),
  );
});
