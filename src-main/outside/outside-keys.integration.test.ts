import { expect, test } from 'vitest';
import { createOutside } from './outside-client.js';
import { KEY, QUICK, serve, never, keyed, get, client, problemOf } from './outside-client.test-support.js';

test('A key of the store or of a variable goes to the address that it was entered for', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const answer = await client().send(get(`${server.url}/v1/x`, { keys: [keyed(`${server.url}/v1`)] }), never);
  expect([answer.status, await answer.text(10)]).toEqual([200, 'ok']);
  await (await client().send(get(server.url, { keys: [keyed(server.url, 'env:MINE')] }), never)).text(10);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
});

test('It goes nowhere else: another host, port, scheme or name', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const { port } = new URL(server.url);
  for (const bound of [
    `http://127.0.0.1:1`,
    `https://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    'https://api.example.com',
    '',
    'nonsense',
  ])
    expect((await problemOf(get(server.url, { keys: [keyed(bound)] })))[0]).toBe('key');
  expect((await problemOf(get(server.url, { keys: [keyed(server.url, 'secret:other')] })))[0]).toBe('key');
  expect((await problemOf(get(server.url, { keys: [keyed(server.url, KEY)] })))[0]).toBe('key');
  expect(server.seen).toEqual([]);
});

test('A request outside its address is not sent', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const { port } = new URL(server.url);
  for (const [url, within] of [
    [`${server.url}/v2/x`, `${server.url}/v1`],
    [`${server.url}/v1/../x`, `${server.url}/v1`],
    [server.url, `http://api.example.com@127.0.0.1:${port}`],
    [server.url, 'https://127.0.0.1'],
    [`http://localhost:${port}/`, server.url],
  ] as const)
    expect((await problemOf(get(url, { within })))[0]).toBe('address');
  expect(server.seen).toEqual([]);
});

test('With a key, only https and this computer are spoken to', async () => {
  for (const url of [
    'http://api.example.com/v1',
    'http://10.0.0.1/v1',
    'http://0.0.0.0/v1',
    'http://localhost.evil.example/',
  ]) {
    const [kind, message] = await problemOf(get(url, { keys: [keyed(url)] }));
    expect([kind, message]).toEqual(['address', expect.stringContaining('in the clear')]);
  }
});

test('Several keys go out together, or nothing does', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const second = { header: 'X-Second', prefix: '', from: 'env:MINE', boundTo: server.url, asker: 'test' };
  await (await client().send(get(server.url, { keys: [keyed(server.url), second] }), never)).text(10);
  expect(server.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-second': KEY });
  const missing = { ...second, from: 'env:NOT_THERE' };
  expect(await problemOf(get(server.url, { keys: [keyed(server.url), missing] }))).toEqual([
    'key',
    expect.stringContaining('NOT_THERE'),
  ]);
  expect(server.seen.length).toBe(1);
});

test('A key that no header can hold is not sent, and not said', async () => {
  const server = await serve((_request, response) => response.end('ok'));
  const outside = createOutside({ secret: () => `${KEY}\r\nx-evil: 1`, variable: () => null }, QUICK);
  await expect(outside.send(get(server.url, { keys: [keyed(server.url)] }), never)).rejects.toThrow(
    /^(?!.*sk-very).*Enter it again/u,
  );
  expect(server.seen).toEqual([]);
});
