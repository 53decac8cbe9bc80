import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { SOURCE_DEFAULTS, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { Offer, Source, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { createOutside } from '../../../outside/outside-client.js';
import { createLangChainSource } from './langchain-source.js';

const KEY = 'sk-very-secret-0123456789';
const never = new AbortController().signal;

/** A definition as `convertToOpenAITool` of @langchain/core 1.2.13 writes it. */
const CONVERTED: JsonObject = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'What the weather is like.',
    parameters: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        place: { type: 'string', description: 'A town.' },
        days: { type: 'integer', minimum: 1, maximum: 7 },
        unit: { default: 'c', type: 'string', enum: ['c', 'f'] },
      },
      required: ['place', 'unit'],
      additionalProperties: false,
    },
  },
};

interface Seen {
  readonly line: string;
  readonly body: string;
  readonly key: string | undefined;
}
type Answers = Record<string, (response: ServerResponse) => void>;
const says =
  (value: Json, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

async function serve(answers: Answers) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      seen.push({ line: `${request.method} ${request.url}`, body, key: request.headers.authorization });
      (answers[`${request.method} ${request.url}`] ?? says({ detail: 'not found' }, 404))(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function sourceOf(settings: Partial<SourceSettings>, file: Json | string = []): Source {
  const place = mkdtempSync(join(tmpdir(), 'gh-langchain-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  writeFileSync(join(place, 'tools.json'), typeof file === 'string' ? file : JSON.stringify(file));
  const outside = createOutside({ secret: () => KEY, variable: () => null });
  onTestFinished(() => outside.close());
  const source = createLangChainSource({ outside })({
    name: 'chain',
    settings: { ...SOURCE_DEFAULTS, kind: 'langchain', ...settings },
    dataFolder: place,
  });
  onTestFinished(() => source.close());
  return source;
}

function invoke(source: Source, { operations }: Offer, name: string, args: JsonObject, signal = never) {
  const operation = operations.find((each) => each.operation === name);
  if (operation === undefined) throw new Error(`${name} is not offered`);
  return source.call({
    operation: JSON.parse(JSON.stringify(operation)) as typeof operation,
    args,
    signal,
    stillAccepted: () => {
      throw new Error('changed');
    },
  } as unknown as SourceInvocation);
}

const failureOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ToolFailure);
  const { failure } = error as ToolFailure;
  return { code: failure.code, eCode: failure.eCode, message: failure.message };
};

const TRANSLATE = {
  type: 'object',
  description: 'Translates.',
  properties: { text: { type: 'string' } },
  required: ['text'],
};

test('A runnable is one tool: its input is the arguments, its output the result', async () => {
  const server = await serve({
    'GET /translate/input_schema': says(TRANSLATE),
    'GET /translate/output_schema': says({ type: 'object', properties: { text: { type: 'string' } } }),
    'POST /translate/invoke': says({ output: { text: 'hola' }, metadata: { run_id: 'r' } }),
  });
  const source = sourceOf({ url: `${server.url}/translate/`, headers: { Authorization: 'Bearer secret:mine' } });
  const offer = await source.offer(never);
  expect(await source.offer(never)).toBe(offer);
  expect(offer.operations).toMatchObject([
    {
      operation: 'invoke',
      version: '0.0.0',
      description: 'Translates.',
      inputSchema: TRANSLATE,
      outputSchema: { type: 'object' },
    },
  ]);
  expect(await invoke(source, offer, 'invoke', { text: 'hello' })).toMatchObject({
    structured: { text: 'hola' },
    content: '{"text":"hola"}',
  });
  expect(server.seen).toEqual([
    { line: 'GET /translate/input_schema', body: '', key: `Bearer ${KEY}` },
    { line: 'GET /translate/output_schema', body: '', key: `Bearer ${KEY}` },
    { line: 'POST /translate/invoke', body: '{"input":{"text":"hello"}}', key: `Bearer ${KEY}` },
  ]);
});

test('An input that is no object is one argument; a runnable without an output schema goes unchecked', async () => {
  const server = await serve({
    'GET /r/input_schema': says({
      title: 'Words',
      anyOf: [{ type: 'string' }, { $ref: '#/$defs/Many' }],
      $defs: { Many: { type: 'array' } },
    }),
    'POST /r/invoke': says({ output: ['x'] }),
  });
  const source = sourceOf({ url: `${server.url}/r` });
  const offer = await source.offer(never);
  expect(offer.operations[0]).toMatchObject({
    outputSchema: null,
    inputSchema: { type: 'object', required: ['input'], $defs: { Many: { type: 'array' } } },
  });
  expect((await invoke(source, offer, 'invoke', { input: 'hello' })).structured).toEqual(['x']);
  expect(server.seen.at(-1)?.body).toBe('{"input":"hello"}');
});

test.each([{ type: 'string' }, { anyOf: [{ type: 'string' }, { type: 'null' }] }, true])(
  'An output that is no object is promised all the same: %j',
  async (schema) => {
    const server = await serve({
      'GET /r/input_schema': says(TRANSLATE),
      'GET /r/output_schema': says(schema),
    });
    const source = sourceOf({ url: `${server.url}/r` });
    expect((await source.offer(never)).operations[0]?.outputSchema).toEqual(schema);
  },
);

test('What is no envelope, no JSON or a failure is told as what it is', async () => {
  const answers: Answers = { 'GET /r/input_schema': says(TRANSLATE) };
  const server = await serve(answers);
  const source = sourceOf({ url: `${server.url}/r` });
  const offer = await source.offer(never);
  const ends = async (answer: (response: ServerResponse) => void) => {
    answers['POST /r/invoke'] = answer;
    return failureOf(invoke(source, offer, 'invoke', { text: 'x' }));
  };
  for (const body of [{ result: 1 }, [1], 'text', null])
    expect(await ends(says(body))).toMatchObject({ code: 'OutputInvalid', eCode: 'E3308' });
  expect(await ends((response) => response.end('<html>'))).toMatchObject({ code: 'OutputInvalid', eCode: 'E3308' });
  expect(await ends(says({ detail: 'bad input' }, 422))).toEqual({
    code: 'ExecutionFailed',
    eCode: undefined,
    message: expect.stringContaining('bad input'),
  });
  expect(await ends(says({}, 403))).toMatchObject({ code: 'ExecutionFailed', eCode: 'E3307' });
  expect(await ends(says({}, 429))).toMatchObject({ code: 'RateLimited', eCode: 'E3303' });
  expect(await ends(says({}, 502))).toMatchObject({ code: 'ExecutionFailed', eCode: 'E3304' });
  expect(await ends((response) => response.writeHead(307, { location: 'https://x.example/' }).end())).toMatchObject({
    code: 'ExecutionFailed',
    eCode: 'E3308',
  });
  expect(await ends((response) => response.end(`"${'x'.repeat(9_000_000)}"`))).toMatchObject({ eCode: 'E3308' });
  const lost = await ends((response) => response.destroy());
  expect(lost).toMatchObject({ code: 'SourceUnavailable', eCode: 'E3306' });
  expect(lost.message).toContain('may have had an effect');
});

test('A file of definitions: each form, each asked at its own url', async () => {
  const server = await serve({
    'POST /weather?v=2': says({ sun: true }),
    'POST /a': says([1]),
    'POST /b': says(null),
    'POST /c': says('c'),
  });
  const source = sourceOf({ file: 'tools.json' }, [
    { ...CONVERTED, url: `${server.url}/weather?v=2` },
    { name: 'a', description: 'A.', args_schema: { properties: { x: {} } }, url: `${server.url}/a` },
    { name: 'b', description: 'B.', schema: { type: 'object' }, url: `${server.url}/b` },
    { name: 'c', url: `${server.url}/c` },
  ]);
  const offer = await source.offer(never);
  expect(offer.refused).toEqual([]);
  // Nobody says that they only read, so nothing makes them run unasked.
  for (const { claims } of offer.operations) expect(claims).toMatchObject({ readOnly: false, destructive: true });
  expect(offer.operations.map(({ operation, inputSchema }) => [operation, inputSchema])).toEqual([
    ['weather', (CONVERTED['function'] as JsonObject)['parameters']],
    ['a', { properties: { x: {} } }],
    ['b', { type: 'object' }],
    ['c', { type: 'object', properties: {}, additionalProperties: false }],
  ]);
  expect((await invoke(source, offer, 'weather', { place: 'Bern', unit: 'c' })).structured).toEqual({ sun: true });
  expect((await invoke(source, offer, 'a', { x: 1 })).structured).toEqual([1]);
  expect((await invoke(source, offer, 'b', {})).structured).toBeNull();
  expect((await invoke(source, offer, 'c', {})).structured).toBe('c');
  expect(server.seen.map(({ line, body }) => [line, body])).toEqual([
    ['POST /weather?v=2', '{"place":"Bern","unit":"c"}'],
    ['POST /a', '{"x":1}'],
    ['POST /b', '{}'],
    ['POST /c', '{}'],
  ]);
});

test('What can’t be asked for is refused with its reason, and the others stay; keys go to one place only', async () => {
  const server = await serve({ 'POST /a': says(1) });
  const file = [
    { name: 'good', url: `${server.url}/a` },
    { name: 'nowhere' },
    { name: 'file', url: 'file:///etc/passwd' },
    { name: 'user', url: 'https://user:pass@a.example/' },
    { name: 'script', url: 'javascript:alert(1)' },
    { name: '', url: server.url },
    { name: 'schema', parameters: 7, url: server.url },
    { name: 'elsewhere', url: 'https://elsewhere.example/' },
    7,
    { type: 'function', function: 'x', url: server.url },
  ];
  const source = sourceOf({ file: 'tools.json', headers: { 'X-Key': 'secret:mine' } }, file);
  const offer = await source.offer(never);
  expect(offer.operations.map(({ operation }) => operation)).toEqual(['good']);
  expect(offer.refused.map(({ what }) => what)).toEqual([
    'nowhere',
    'file',
    'user',
    'script',
    'Definition 6',
    'schema',
    'elsewhere',
    'Definition 9',
    'Definition 10',
  ]);
  expect(offer.refused.find(({ what }) => what === 'user')?.reason).toContain('write the host alone');
  for (const [text, words] of [
    ['{"name":"x"}', 'no list'],
    ['[', 'no JSON'],
  ] as const)
    await expect(sourceOf({ file: 'tools.json' }, text).offer(never)).rejects.toThrow(words);
  await expect(sourceOf({ file: 'missing.json' }).offer(never)).rejects.toThrow('no such file');
  await expect(sourceOf({ url: server.url }).offer(never)).rejects.toThrow('404');
  await expect(sourceOf({ url: 'http://127.0.0.1:1/' }).offer(never)).rejects.toThrow('could not be fetched');
});

test('A definition that changed asks before anything is sent', async () => {
  const server = await serve({ 'POST /a': says(1), 'POST /b': says(1) });
  const place = mkdtempSync(join(tmpdir(), 'gh-langchain-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const write = (url: string): void => writeFileSync(join(place, 't.json'), JSON.stringify([{ name: 'a', url }]));
  write(`${server.url}/a`);
  const outside = createOutside({ secret: () => null, variable: () => null });
  onTestFinished(() => outside.close());
  const settings = { ...SOURCE_DEFAULTS, kind: 'langchain' as const, file: 't.json' };
  const source = createLangChainSource({ outside })({ name: 'chain', settings, dataFolder: place });
  const before = await source.offer(never);
  write(`${server.url}/b`);
  await expect(invoke(source, before, 'a', {})).rejects.toThrow('changed');
  expect(server.seen).toEqual([]);
});
