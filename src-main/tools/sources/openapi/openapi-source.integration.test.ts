import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { KEY, never, serve, folder, sourceOf, sourceOfText, invoke, failureOf, small } from './openapi.test-support.js';

test('An answer is what its JSON is, or its text; nothing is null', async () => {
  const server = await serve();
  const source = sourceOfText(small(), { base_url: server.url });
  const offer = await source.offer(never);
  expect(offer.operations.map(({ version, claims: { readOnly } }) => [version, readOnly])).toEqual([
    ['0.0.0', true],
    ['0.0.0', false],
    ['0.0.0', true],
  ]);
  const answered = async (status: number, type: string, body: string | Buffer, name = 'get') => {
    server.answers.now = (response) =>
      response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
    const { structured, content, storedOutputs } = await invoke(source, offer, name, { id: 1 });
    return [structured, content, storedOutputs.length];
  };
  expect(await answered(200, 'application/json', '{"a": 12345678901234567890}')).toEqual([
    { a: 12345678901234567000 },
    '{"a": 12345678901234567890}',
    0,
  ]);
  expect(await answered(201, 'application/hal+json; charset=utf-8', '[1]')).toEqual([[1], '[1]', 0]);
  expect(await answered(200, '', '7')).toEqual([7, '7', 0]);
  expect(await answered(200, 'application/json', 'not json')).toEqual([{ text: 'not json' }, '{"text":"not json"}', 0]);
  expect(await answered(200, 'text/plain', '{"a":1}')).toEqual([{ text: '{"a":1}' }, expect.any(String), 0]);
  expect(await answered(200, 'text/html; charset=iso-8859-1', Buffer.from([0xfc]))).toEqual([
    { text: 'ü' },
    expect.any(String),
    0,
  ]);
  expect(await answered(204, '', '')).toEqual([null, 'null', 0]);
  expect(await answered(200, 'application/json', '')).toEqual([null, 'null', 0]);
  expect(await answered(200, 'application/json', 'x', 'head')).toEqual([null, 'null', 0]);
  expect(await answered(200, 'image/png', Buffer.alloc(1234))).toEqual([
    { text: '[image image/png, 1234 bytes: stored output 1]' },
    expect.any(String),
    1,
  ]);
});

test.each([
  [400, 'ExecutionFailed', undefined],
  [404, 'ExecutionFailed', undefined],
  [401, 'ExecutionFailed', 'E3307'],
  [403, 'ExecutionFailed', 'E3307'],
  [429, 'RateLimited', 'E3303'],
  [500, 'ExecutionFailed', 'E3304'],
  [503, 'ExecutionFailed', 'E3304'],
  [302, 'ExecutionFailed', 'E3308'],
])('The status %i is %s', async (status, code, eCode) => {
  const server = await serve();
  const source = sourceOfText(small(), { base_url: server.url });
  const offer = await source.offer(never);
  server.answers.now = (response) =>
    response.writeHead(status, { location: 'https://elsewhere.example/' }).end('{"error":"why it is so"}');
  const failure = await failureOf(invoke(source, offer, 'get', { id: 1 }));
  expect([failure.code, failure.eCode]).toEqual([code, eCode]);
  expect(failure.message).toContain(status === 302 ? 'elsewhere.example' : 'why it is so');
  expect(server.seen.length).toBe(1);
});

test('What would lead elsewhere in a path, or end a line of headers, is refused before anything is sent', async () => {
  const server = await serve();
  const source = sourceOfText(small(), { base_url: `${server.url}/v1` });
  const offer = await source.offer(never);
  for (const id of ['.', '..', '...', '../../admin', 'a/../b', '..\\b', '', null, [], ['a', '..'], '/..'])
    expect((await failureOf(invoke(source, offer, 'get', { id }))).code, JSON.stringify(id)).toBe('BadArgs');
  for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\u0000b', '\u2603', { a: 'b\r\nc' }])
    expect((await failureOf(invoke(source, offer, 'get', { id: 1, 'X-Id': value }))).code).toBe('BadArgs');
  expect(server.seen).toEqual([]);
  for (const [id, line] of [
    ['a b', '/v1/a/a%20b'],
    ['%2e%2e', '/v1/a/%252e%252e'],
    ['a..b', '/v1/a/a..b'],
    ['x\r\ny', '/v1/a/x%0D%0Ay'],
    ['\ud800', '/v1/a/%EF%BF%BD'],
  ]) {
    await invoke(source, offer, 'get', { id: id ?? '' });
    expect(server.seen.at(-1)?.line).toBe(`GET ${line}`);
  }
});

test('Where its requests go: the settings, else the first server of the document', async () => {
  const server = await serve();
  const goesTo = async (servers: unknown, settings: Partial<SourceSettings> = {}) => {
    const source = sourceOfText(small({ servers }), settings);
    try {
      const offer = await source.offer(never);
      await invoke(source, offer, 'get', { id: 1 });
      return server.seen.at(-1)?.line;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const { port } = new URL(server.url);
  expect(await goesTo([{ url: `${server.url}/x/` }, { url: 'https://second.example' }])).toBe('GET /x/a/1');
  expect(
    await goesTo([
      {
        url: 'http://{host}:{port}/{v}',
        variables: { host: { default: '127.0.0.1' }, port: { default: port }, v: { default: 'v2' } },
      },
    ]),
  ).toBe('GET /v2/a/1');
  expect(await goesTo([{ url: 'https://second.example' }], { base_url: `${server.url}/mine` })).toBe('GET /mine/a/1');
  expect(await goesTo(undefined)).toMatch(/Set base_url/u);
  expect(await goesTo([{ url: '/v1' }])).toMatch(/relative to nothing. Set base_url/u);
  expect(await goesTo([{ url: 'https://{region}.example' }])).toMatch(/no default/u);
  expect(await goesTo([{ url: 'https://user:pass@second.example' }])).toMatch(/name or password/u);
  expect(await goesTo([{ url: 'javascript:alert(1)' }])).toMatch(/Only https/u);
  expect(await goesTo([], { base_url: 'https://user@second.example' })).toMatch(/name or password/u);
  expect(await goesTo([{ url: 'http://169.254.169.254/' }])).toMatch(/nothing was sent/u);
});

test('A document that is served is relative to where it is, and its headers go nowhere else', async () => {
  const api = await serve();
  const document = { now: small({ servers: [{ url: '/api/v2' }] }) };
  const home = await serve({
    now: (response) => response.setHeader('content-type', 'application/json').end(document.now),
  });
  const headers = { Authorization: 'Bearer secret:mine', 'X-Plain': 'p' };
  const source = sourceOf({ url: `${home.url}/docs/openapi.json?format=json`, headers });
  const offer = await source.offer(never);
  expect(source.identity).toEqual({
    kind: 'openapi',
    url: `${home.url}/docs/openapi.json?format=json`,
    headers: ['Authorization', 'X-Plain'],
  });
  await invoke(source, offer, 'get', { id: 1 });
  expect(home.seen.map(({ line }) => line)).toEqual(['GET /docs/openapi.json?format=json', 'GET /api/v2/a/1']);
  for (const { headers: sent } of home.seen)
    expect(sent).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-plain': 'p' });

  document.now = small({ servers: [{ url: api.url }] });
  await expect(sourceOf({ url: `${home.url}/docs/openapi.json`, headers }).offer(never)).rejects.toThrow('base_url');
  // Without headers it may name another place, but not one on this computer that nobody chose.
  const led = sourceOf({ url: `${home.url}/docs/openapi.json` });
  expect((await failureOf(invoke(led, await led.offer(never), 'get', { id: 1 }))).message).toContain('this computer');
  const chosen = sourceOf({ url: `${home.url}/docs/openapi.json`, base_url: api.url, headers });
  await invoke(chosen, await chosen.offer(never), 'get', { id: 1 });
  expect(home.seen.at(-1)?.headers.authorization).toBeUndefined();
  expect(home.seen.at(-1)?.headers['x-plain']).toBeUndefined();
  expect(api.seen.map(({ line, headers: sent }) => [line, sent.authorization])).toEqual([
    ['GET /a/1', `Bearer ${KEY}`],
  ]);
});

test('A document that changed is offered anew, and a call of what was accepted before asks', async () => {
  const server = await serve();
  const place = folder();
  writeFileSync(join(place, 'openapi.json'), small());
  const source = sourceOf({ file: 'openapi.json', base_url: server.url }, place);
  const before = await source.offer(never);
  expect(await source.offer(never)).toBe(before);
  writeFileSync(
    join(place, 'openapi.json'),
    small().replace('"operationId":"get"', '"operationId":"get","summary":"New words"'),
  );
  await expect(invoke(source, before, 'get', { id: 1 })).rejects.toThrow('changed');
  await invoke(source, before, 'post', { id: 1 });
  const after = await source.offer(never);
  expect(after).not.toBe(before);
  expect(after.operations[0]?.pinned).not.toEqual(before.operations[0]?.pinned);
});

test('What is no document, or one of another kind, is refused in words', async () => {
  for (const [text, words] of [
    ['{"swagger": "2.0"}', 'Swagger 2.0'],
    ['openapi: 4.0.0', '3.0 and 3.1'],
    ['hello', 'no OpenAPI document'],
    ['[1', 'no JSON'],
    ['a: !!js/function "x"', 'no YAML'],
    ['x'.repeat(17 * 2 ** 20), 'over 16 MB'],
  ] as const)
    await expect(sourceOfText(text, { base_url: 'https://a.example' }).offer(never)).rejects.toThrow(words);
  await expect(sourceOf({ file: 'missing.json' }).offer(never)).rejects.toThrow('no such file');
  await expect(sourceOf({ url: 'http://127.0.0.1:1/x' }).offer(never)).rejects.toThrow('could not be fetched');
  const home = await serve({ now: (response) => response.writeHead(404).end() });
  const source = sourceOf({ url: home.url });
  await expect(source.offer(never)).rejects.toThrow('404');
  expect(source.state()).toMatchObject({ running: 'failed', problem: expect.stringContaining('404') });
});

test('A lost connection says whether the call may have had an effect', async () => {
  const server = await serve({ now: (response) => response.destroy() });
  const source = sourceOfText(small(), { base_url: server.url });
  const offer = await source.offer(never);
  const lost = await failureOf(invoke(source, offer, 'post', { id: 1 }));
  expect([lost.code, lost.eCode]).toEqual(['SourceUnavailable', 'E3306']);
  expect(lost.message).toContain('may have had an effect');
  expect((await failureOf(invoke(source, offer, 'get', { id: 1 }))).message).not.toContain('effect');
  const nobody = sourceOfText(small(), { base_url: 'http://127.0.0.1:1' });
  expect((await failureOf(invoke(nobody, await nobody.offer(never), 'post', { id: 1 }))).message).not.toContain(
    'effect',
  );
  expect(server.seen.length).toBe(2);
});
