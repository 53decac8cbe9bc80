import { expect, test } from 'vitest';
import { invoke, KEY, never, serve, small, sourceOfText } from './openapi.test-support.js';

const HEADERS = ['Authorization', 'authorization', 'Cookie', 'Host', 'Content-Length', 'X-Mine', 'x-mine', 'X-Free'];

test('A header parameter sets neither who asks nor what the settings have, whatever its document calls it', async () => {
  const server = await serve();
  const parameters = HEADERS.map((name) => ({ name, in: 'header', schema: { type: 'string' } }));
  const paths = { '/a': { get: { operationId: 'get', parameters, responses: {} } } };
  const headers = { Authorization: 'Bearer secret:service', 'X-Mine': 'mine' };
  const source = sourceOfText(small({ paths }), { base_url: server.url, headers });
  const offer = await source.offer(never);
  const { inputSchema } = offer.operations[0] ?? expect.fail('not offered');
  expect(Object.keys((inputSchema as { properties: object }).properties)).toEqual(['X-Free']);
  const args = Object.fromEntries(HEADERS.map((name) => [name, 'forged']));
  await invoke(source, offer, 'get', args);
  expect(server.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    'x-mine': 'mine',
    'x-free': 'forged',
    host: new URL(server.url).host,
  });
  expect(server.seen[0]?.headers).not.toHaveProperty('cookie');
});
