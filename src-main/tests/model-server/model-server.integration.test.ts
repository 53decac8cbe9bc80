import { expect, test } from 'vitest';
import { startModelServer } from './model-server.test-support.js';
import type { ScriptedTurn } from './turns.test-support.js';

const ask = (url: string, body: object = { model: 'm' }) =>
  fetch(url, { method: 'POST', headers: { authorization: 'Bearer k' }, body: JSON.stringify(body) });
const turn: ScriptedTurn = {
  blocks: [
    { text: 'Grüße 👋' },
    { call: 'read_file', id: 'a', arguments: { path: 'ä.txt' } },
    { call: 'noop', id: 'b', arguments: '' },
  ],
  interleaved: true,
};
const dataOf = (text: string) =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Record<string, never>);

test('It speaks both protocols, in the order of its script, and keeps what it was asked', async () => {
  await using server = await startModelServer();
  server.script(turn, turn, { status: 429, headers: { 'retry-after': '7' } });
  const anthropic = await (await ask(`${server.baseUrl}/messages`)).text();
  const openAi = await (await ask(`${server.baseUrl}/chat/completions`)).text();
  const refused = await ask(`${server.baseUrl}/messages`);
  expect(
    dataOf(anthropic)
      .map(({ type }) => String(type).replace('content_block_', ''))
      .join(' '),
  ).toBe('message_start ping start delta stop start start delta stop stop message_delta message_stop');
  expect(anthropic).toContain('"stop_reason":"tool_use"');
  expect(openAi).toContain('"finish_reason":"tool_calls"');
  expect(openAi.endsWith('data: [DONE]\n\n')).toBe(true);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
  expect(server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/v1/messages', 'Bearer k'],
    ['/v1/chat/completions', 'Bearer k'],
    ['/v1/messages', 'Bearer k'],
  ]);
  expect((await ask(`${server.baseUrl}/messages`)).status).toBe(500);
});

test('A stream is cut, torn, held and repeated as told', async () => {
  await using server = await startModelServer();
  server.script(
    { ...turn, wire: { cutAfterBytes: 100, chunkBytes: 1 } },
    { ...turn, wire: { cutAfterBytes: 100, cut: 'reset' } },
    { ...turn, wire: { events: (events) => [...events, ...events] } },
    { ...turn, wire: { stallAfterEvents: 2 } },
  );
  expect((await (await ask(`${server.baseUrl}/messages`)).arrayBuffer()).byteLength).toBe(100);
  await expect(ask(`${server.baseUrl}/messages`).then((answer) => answer.text())).rejects.toThrow();
  expect((await (await ask(`${server.baseUrl}/messages`)).text()).match(/"message_start"/g)).toHaveLength(2);
  const held = await ask(`${server.baseUrl}/messages`);
  const reader = held.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('message_start');
  expect(server.open).toBe(1);
  server.release();
  let rest = '';
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read())
    rest += new TextDecoder().decode(part.value);
  expect(rest).toContain('message_stop');
});
