import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OutsideProblem } from '../domain/ports/outside.js';
import { createOutside } from './outside-client.js';
import { createOutsideFetch } from './outside-fetch.js';

const KEY = 'sk-very-secret-0123456789';

async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function fetchWithin(within: string) {
  const outside = createOutside({ secret: () => KEY, variable: () => null });
  onTestFinished(() => outside.close());
  return createOutsideFetch(outside, () => ({
    within,
    keys: [{ header: 'authorization', prefix: 'Bearer ', from: 'secret:mine', boundTo: within, asker: 'test' }],
  }));
}

test('What a library sends goes out with the key, and comes back as a Response', async () => {
  let body = '';
  const server = await serve((request, response) => {
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => response.writeHead(202, { 'mcp-session-id': 's-1' }).end('{"a":1}'));
  });
  const answer = await fetchWithin(server.url)(new URL(`${server.url}/mcp`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', host: 'evil.example' },
    body: JSON.stringify({ hello: 'ü' }),
  });
  expect([answer.status, answer.ok, answer.headers.get('mcp-session-id'), await answer.json()]).toEqual([
    202,
    true,
    's-1',
    { a: 1 },
  ]);
  expect(body).toBe('{"hello":"ü"}');
  expect(server.seen[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    host: new URL(server.url).host,
    'content-length': '14',
  });
});

test('An event stream comes piece by piece, and is closed when nobody reads on', async () => {
  let isClosed = false;
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    response.once('close', () => (isClosed = true));
  });
  for (const isWaiting of [false, true]) {
    isClosed = false;
    const answer = await fetchWithin(server.url)(server.url, { headers: { accept: 'text/event-stream' } });
    const reader = answer.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
    const next = isWaiting ? reader?.read() : undefined;
    await new Promise(setImmediate);
    await reader?.cancel();
    await expect.poll(() => isClosed).toBe(true);
    expect(await next).toEqual(isWaiting ? { done: true, value: undefined } : undefined);
  }
});

test('An event stream may be quiet for long; another answer may not', async () => {
  const server = await serve((_request, response) => void response.writeHead(200).write('a'));
  const outside = createOutside(
    { secret: () => null, variable: () => null },
    { connect: 9e5, firstByte: 9e5, stall: 1000 },
  );
  onTestFinished(() => outside.close());
  const fetched = createOutsideFetch(outside, () => ({ within: server.url, keys: [] }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [accept, isOver] of [
    ['application/json', true],
    ['application/json, text/event-stream', false],
  ] as const) {
    const reader = (await fetched(server.url, { headers: { accept } })).body?.getReader();
    await reader?.read();
    const more = reader?.read().then(
      () => 'more',
      () => 'over',
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.race([more, new Promise((resolve) => setImmediate(() => setImmediate(resolve)))])).toBe(
      isOver ? 'over' : undefined,
    );
    await reader?.cancel().catch(() => undefined);
  }
});

test('An answer without a body has none', async () => {
  const server = await serve((_request, response) => response.writeHead(204).end());
  for (const method of ['DELETE', 'HEAD'])
    expect((await fetchWithin(server.url)(server.url, { method })).body).toBeNull();
});

test('Who stops it hears so; other ends are problems in words, and other places are not asked', async () => {
  const server = await serve((_request, response) => response.writeHead(302, { location: 'https://x.example' }).end());
  const mute = await serve(() => undefined);
  const stop = new AbortController();
  const waiting = fetchWithin(mute.url)(mute.url, { signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  await expect(fetchWithin(server.url)(server.url)).rejects.toBeInstanceOf(OutsideProblem);
  await expect(fetchWithin(server.url)(mute.url)).rejects.toThrow('was not sent');
  await expect(fetchWithin(server.url)('file:///etc/passwd')).rejects.toThrow('was not sent');
  await expect(fetchWithin(server.url)(server.url, { method: 'PURGE' })).rejects.toThrow('PURGE is not sent');
  const sent = mute.seen.length;
  await expect(fetchWithin(mute.url)(mute.url, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(mute.seen.length).toBe(sent);
});
