import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, test } from 'vitest';
import { createOutside } from '../../../outside/outside-client.js';
import { DIMENSIONS } from '../../../platform/sentence-model/model-protocol.js';
import { SentenceModel } from '../../../platform/sentence-model/sentence-model.js';
import { ToolRegistry } from '../registry.js';
import { readVectors } from './vector-cache.js';
import { createOllamaEmbedder } from './ollama.js';
import { QUESTIONS, sampleTools } from './samples/sample-catalogue.test-support.js';
import { ToolSearch } from './tool-search.js';

type Answers = (
  given: { readonly model: string; readonly input: readonly string[] },
  response: ServerResponse,
) => unknown;

/** Serves as an Ollama would, over real HTTP. */
async function serve(answers: Answers) {
  const requests: { readonly path: string; readonly body: string }[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => (body += piece.toString()));
    request.on('end', () => {
      requests.push({ path: `${request.method} ${request.url}`, body });
      void answers(JSON.parse(body) as never, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function searchWith(baseUrl: string, threshold = 0.2) {
  const registry = new ToolRegistry();
  for (const tool of sampleTools()) registry.register(tool);
  const outside = createOutside({ secret: () => null, variable: () => null });
  onTestFinished(() => outside.close());
  const kept: { bytes: Uint8Array | null } = { bytes: null };
  const embedder = createOllamaEmbedder({ baseUrl, model: 'all-minilm', threshold }, outside);
  const search = new ToolSearch({
    tools: registry,
    embedder: () => embedder,
    kept: { read: async () => kept.bytes, write: async (bytes) => void (kept.bytes = bytes) },
    withoutSecrets: (text) => text,
    patienceMs: 60_000,
  });
  return { search, kept, model: embedder.model };
}

const json = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

test('an Ollama finds as well as the model that comes with the app, and is asked for nothing else', async () => {
  const model = await SentenceModel.load(join(import.meta.dirname, '../../../../resources/sentence-model'));
  const server = await serve(async ({ model: name, input }, response) => {
    const all = await model.embed(input);
    const embeddings = input.map((_, at) =>
      Array.from(all.slice(at * DIMENSIONS, (at + 1) * DIMENSIONS), (each) => each * 7),
    );
    json(response, { model: name, embeddings });
  });
  const { search, kept, model: known } = searchWith(`${server.url}/`);
  let found = 0;
  for (const [question, id] of QUESTIONS) {
    const answer = await search.find(question, 3, () => true);
    expect(answer).toMatchObject({ by: 'meaning', problem: null });
    if (answer.tools.some(({ toolId }) => toolId === id)) found += 1;
  }
  // Two of the questions are for tools that come with Gatehouse, which are not there.
  process.stdout.write(`with Ollama, among the first three: ${found} of 58\n`);
  expect(found / 58).toBeGreaterThanOrEqual(0.85);
  expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(['POST /api/embed']));
  // Two hundred tools, thirty-two at a time, once; then a question at a time.
  expect(server.requests).toHaveLength(7 + QUESTIONS.length);
  expect(readVectors(kept.bytes ?? new Uint8Array(), known).size).toBe(200);
});

const good = (count: number) => Array.from({ length: count }, () => [1, 0, 0]);

it.each<readonly [string, Answers]>([
  ['nothing', (_given, response) => response.end()],
  ['no JSON', (_given, response) => json(response, '<html>')],
  ['another shape', (_given, response) => json(response, { embedding: [1, 2] })],
  ['null', (_given, response) => json(response, 'null')],
  ['one vector too few', ({ input }, response) => json(response, { embeddings: good(input.length - 1) })],
  ['one vector too many', ({ input }, response) => json(response, { embeddings: good(input.length + 1) })],
  ['vectors of nothing', ({ input }, response) => json(response, { embeddings: input.map(() => []) })],
  [
    'vectors of different lengths',
    ({ input }, response) =>
      json(response, { embeddings: input.map((_, at) => good(1)[0]?.concat(at === 1 ? [0] : [])) }),
  ],
  ['NaN', ({ input }, response) => json(response, `{"embeddings":[${input.map(() => '[NaN,1]').join(',')}]}`)],
  ['null for a number', ({ input }, response) => json(response, { embeddings: input.map(() => [Number.NaN, 1]) })],
  ['1e308', ({ input }, response) => json(response, { embeddings: input.map(() => [1e308, 1e308]) })],
  ['1e999', ({ input }, response) => json(response, `{"embeddings":[${input.map(() => '[1e999,1]').join(',')}]}`)],
  ['only zeros', ({ input }, response) => json(response, { embeddings: input.map(() => [0, 0, 0]) })],
  ['text for numbers', ({ input }, response) => json(response, { embeddings: input.map(() => ['1', '0']) })],
  ['10 MB', (_given, response) => json(response, { embeddings: good(32), padding: 'x'.repeat(10 * 2 ** 20) })],
  ['a broken connection', (_given, response) => response.destroy()],
  [
    'an error',
    (_given, response) => response.writeHead(404).end('{"error":"model \\"all-minilm\\" not found\\u001b"}'),
  ],
  ['a redirect', (_given, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()],
])('where Ollama answers with %s, words serve, that is said, and nothing wrong is kept', async (_what, answers) => {
  const server = await serve(answers);
  const { search, kept } = searchWith(server.url);
  const answer = await search.find('post a message to a channel', 3, () => true);
  expect(answer).toMatchObject({ by: 'words', problem: expect.stringContaining('Ollama') });
  expect(answer.tools[0]?.name).toBe('slack__post_message');
  expect(kept.bytes).toBeNull();
});

it('an Ollama that is not there is told of', async () => {
  const answer = await searchWith('http://127.0.0.1:9').search.find('post a message', 3, () => true);
  expect(answer).toMatchObject({ by: 'words', problem: expect.stringMatching(/^Ollama: 127\.0\.0\.1:9 could not/u) });
});

it('an Ollama that hangs is waited for five seconds', async () => {
  const server = await serve(() => undefined);
  const answer = await searchWith(server.url).search.find('post a message', 3, () => true);
  expect(answer).toMatchObject({ by: 'words', problem: 'Ollama did not answer within 5 s.' });
});

it('an Ollama whose model becomes another one is believed from then on alone', async () => {
  let length = 3;
  const server = await serve(({ input }, response) =>
    json(response, { embeddings: input.map(() => Array.from({ length }, () => 1)) }),
  );
  const { search, kept, model } = searchWith(server.url);
  expect(await search.find('xyzzy', 3, () => true)).toMatchObject({ by: 'meaning' });
  length = 4;
  expect(await search.find('xyzzy', 3, () => true)).toMatchObject({
    by: 'words',
    problem: expect.stringContaining('another length'),
  });
  expect(
    readVectors(kept.bytes ?? new Uint8Array(), model)
      .values()
      .next().value,
  ).toHaveLength(3);
  // It can't be that all questions are answered by words from now on.
  expect(await search.find('xyzzy', 3, () => true)).toMatchObject({ by: 'meaning' });
});
