import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { never, serve, sourceOf, sourceOfText, invoke, failureOf, small } from './openapi.test-support.js';

test('A chain of schemas as long as a document is read without a deep stack, and many that are large cost no more than one', async () => {
  const chain = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => [
      `S${index}`,
      { allOf: [{ $ref: `#/components/schemas/S${index + 1}` }] },
    ]),
  );
  const body = { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } };
  const paths = Object.fromEntries(
    Array.from({ length: 3000 }, (_, index) => [
      `/p${index}`,
      { post: { operationId: `o${index}`, requestBody: body, responses: {} } },
    ]),
  );
  const source = sourceOfText(small({ paths, components: { schemas: chain } }), { base_url: 'https://a.example' });
  let turns = 0;
  const clock = setInterval(() => (turns += 1), 1);
  const { operations, refused } = await source.offer(never);
  clearInterval(clock);
  expect([operations.length, refused.length]).toEqual([0, 3000]);
  // Others had their turn meanwhile.
  expect(turns).toBeGreaterThan(5);
  expect(new Set(refused.map(({ reason }) => reason))).toEqual(
    new Set([expect.stringContaining('larger than any'), expect.stringContaining('as many schemas')]),
  );
});

test('An answer drop by drop, one that is packed, and one without end are ends in words', async () => {
  const server = await serve();
  const source = sourceOfText(small(), { base_url: server.url });
  const offer = await source.offer(never);
  const stop = new AbortController();
  server.answers.now = (response) => {
    response.write('{');
    const drops = setInterval(() => response.write(' '), 10);
    response.once('close', () => clearInterval(drops));
    setTimeout(() => stop.abort(new ToolFailure({ code: 'Timeout', message: 'late', elapsedMs: 1 })), 100);
  };
  expect(await failureOf(invoke(source, offer, 'post', { id: 1 }, { signal: stop.signal }))).toMatchObject({
    code: 'Timeout',
  });
  server.answers.now = (response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
  expect(await failureOf(invoke(source, offer, 'get', { id: 1 }))).toMatchObject({
    code: 'ExecutionFailed',
    eCode: 'E3308',
  });
  server.answers.now = (response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20, 'x')));
    };
    response.on('drain', more);
    more();
  };
  const endless = await failureOf(invoke(source, offer, 'post', { id: 1 }));
  expect(endless).toMatchObject({ code: 'ExecutionFailed', eCode: 'E3308' });
  expect(endless.message).toContain('may have had an effect');
});

test('Names that every object has are names like others', async () => {
  const server = await serve();
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
  const parameters = [
    ...names.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
    { name: '__PROTO__', in: 'header', schema: {} },
  ];
  const properties = Object.fromEntries(
    ['isPrototypeOf', 'propertyIsEnumerable'].map((name) => [name, { type: 'string' }]),
  );
  const body = {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
  };
  const paths = {
    '/p': {
      get: { operationId: 'get', parameters: parameters.slice(0, -1), responses: {} },
      put: { operationId: 'put', parameters, responses: {} },
      post: { operationId: 'post', requestBody: body, responses: {} },
    },
  };
  const source = sourceOfText(small({ paths }), { base_url: server.url });
  const offer = await source.offer(never);
  expect(offer.refused.map(({ what }) => what)).toEqual(['put (PUT /p)']);
  await invoke(source, offer, 'get', {});
  await invoke(source, offer, 'get', { constructor: 'c', valueOf: 'v' });
  await invoke(source, offer, 'post', { isPrototypeOf: 'x' });
  expect(server.seen.map(({ line, body: sent }) => `${line} ${sent}`)).toEqual([
    'GET /p ',
    'GET /p?constructor=c&valueOf=v ',
    'POST /p isPrototypeOf=x',
  ]);
});

test('Headers of the settings that no header can be are refused before anything is fetched', () => {
  for (const headers of [{ 'X-A': 'a\r\nb' }, { 'X A': 'a' }, { 'X-A': 'Bearer secret:a b' }, { 'X-A\r\nX-B': '1' }])
    expect(() => sourceOf({ url: 'https://a.example', headers })).toThrow(/header/iu);
});
