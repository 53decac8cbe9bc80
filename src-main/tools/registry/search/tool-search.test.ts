import { expect, it } from 'vitest';
import type { Embedder } from '../../../domain/ports/embedder.js';
import type { Tool } from '../../../domain/tool/tool.js';
import { ToolRegistry } from '../registry.js';
import { toRegistered } from '../../builtin/tools.test-support.js';
import { sampleTools, sourceTool } from './samples/sample-catalogue.test-support.js';
import { ToolSearch } from './tool-search.js';

/** Every text means the same but those that it is told of, which mean what the question does. */
class Scripted implements Embedder {
  readonly model = 'scripted';
  threshold = 0;
  readonly asked: string[][] = [];
  before: () => Promise<void> = async () => undefined;
  near = '';
  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.asked.push([...texts]);
    await this.before();
    const isQuestion = texts.length === 1 && texts[0]?.startsWith('Q ') === true;
    return texts.map((text) =>
      isQuestion || text.includes(this.near) ? Float32Array.of(1, 0) : Float32Array.of(0, 1),
    );
  }
}

function open(embedder: Embedder | null, patienceMs = 60_000) {
  const registry = new ToolRegistry();
  const offer = (tools: readonly Tool<never>[]) => registry.replaceForeign(toRegistered(tools), new Map());
  offer(sampleTools());
  const search = new ToolSearch({
    tools: registry,
    embedder: () => embedder,
    kept: { read: async () => null, write: async () => undefined },
    withoutSecrets: (text) => text.replaceAll('s3cret', '[redacted]'),
    patienceMs,
  });
  return { offer, search };
}

const everything = () => true;

it('a description that changed is embedded anew before it is listed', async () => {
  const embedder = new Scripted();
  embedder.near = 'burns the house down';
  const { offer, search } = open(embedder);
  offer([...sampleTools(), sourceTool('evil', ['helper', 'Helps.', []])]);
  expect((await search.find('Q xyzzy', 5, everything)).tools).toEqual([]);
  offer([...sampleTools(), sourceTool('evil', ['helper', 'It burns the house down.', []])]);
  expect((await search.find('Q xyzzy', 5, everything)).tools.map(({ name }) => name)).toEqual(['evil__helper']);
  expect(embedder.asked.filter(([text]) => text?.includes('burns') === true)).toHaveLength(1);
});

it('a tool that is taken away or changed during a search is not among its results', async () => {
  const embedder = new Scripted();
  embedder.near = 'slack';
  const { offer, search } = open(embedder);
  await search.prepare();
  embedder.before = async () => {
    const gone = ['slack__post_message', 'slack__add_reaction'];
    const others = sampleTools().filter(({ declaration: { name } }) => !gone.includes(name));
    offer([...others, sourceTool('slack', ['add_reaction', 'Something else.', []])]);
  };
  const { tools } = await search.find('Q Slack', 50, everything);
  expect(tools.map(({ name }) => name)).toContain('slack__reply_to_thread');
  expect(tools.map(({ name }) => name)).not.toContain('slack__post_message');
  expect(tools.map(({ name }) => name)).not.toContain('slack__add_reaction');
});

it('the search is as good as by words alone where the model fails, and says why', async () => {
  const failing: Embedder = { model: 'm', threshold: 0, embed: () => Promise.reject(new Error('It is not there.')) };
  const [by, words] = [open(failing).search, open(null).search];
  const question = 'post a message to a channel';
  const [failed, plain] = [await by.find(question, 5, everything), await words.find(question, 5, everything)];
  expect(failed.tools).toEqual(plain.tools);
  expect(failed).toMatchObject({ by: 'words', problem: 'It is not there.' });
  expect(plain).toMatchObject({ by: 'words', problem: null });
});

it('the search does not wait for ever for a slow model, nor compares where not all vectors are there', async () => {
  const embedder = new Scripted();
  const gate = Promise.withResolvers<void>();
  embedder.before = () => gate.promise;
  const { search } = open(embedder, 1);
  expect(await search.find('post a message', 5, everything)).toMatchObject({
    by: 'words',
    problem: expect.stringContaining('not read yet'),
  });
  gate.resolve();
});

it.each<readonly [string, Float32Array]>([
  ['longer', Float32Array.of(1, 0, 0)],
  ['shorter', Float32Array.of(1)],
  ['none', Float32Array.of()],
])('a question whose vector is %s is answered by words', async (_how, odd) => {
  const embedder: Embedder = {
    model: 'm',
    threshold: 0,
    embed: async (texts) => texts.map((text) => (text === 'post a message' ? odd : Float32Array.of(1, 0))),
  };
  expect(await open(embedder).search.find('post a message', 5, everything)).toMatchObject({ by: 'words' });
});

it('a tool that is less near than the threshold is found by its words or not at all', async () => {
  const embedder = new Scripted();
  embedder.near = 'slack';
  const { search } = open(embedder);
  embedder.threshold = 1.01;
  expect((await search.find('Q xyzzy', 5, everything)).tools).toEqual([]);
  embedder.threshold = 0.99;
  expect((await search.find('Q xyzzy', 5, everything)).tools).toHaveLength(5);
});

it('a model is given what tools say of themselves and the question, without secrets, and nothing else', async () => {
  const embedder = new Scripted();
  const { search } = open(embedder);
  await search.find('Q with s3cret', 5, everything);
  await search.find('Q with s3cret', 5, everything);
  await search.find('', 5, everything);
  expect(embedder.asked.map((texts) => texts.length)).toEqual([64, 64, 64, 8, 1, 1]);
  expect(embedder.asked.slice(4)).toEqual([['Q with [redacted]'], ['Q with [redacted]']]);
});

it('many searches at once have the same answers, and each description is embedded once', async () => {
  const embedder = new Scripted();
  embedder.near = 'slack';
  const { search } = open(embedder);
  const all = await Promise.all(Array.from({ length: 20 }, () => search.find('Q xyzzy', 5, everything)));
  for (const answer of all) expect(answer).toEqual(all[0]);
  expect(embedder.asked.filter((texts) => texts.length > 1)).toHaveLength(4);
});
