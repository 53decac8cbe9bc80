import { expect, onTestFinished, test, vi } from 'vitest';
import type { OutsideRequest } from '../domain/ports/outside.js';
import { QUICK, serve, never, get, client, problemOf } from './outside-client.test-support.js';

test('An event stream may be quiet, and as long as it likes', async () => {
  const server = await serve((_request, response) => {
    response.write('a');
    setTimeout(() => response.end('b'), 200);
  });
  const answer = await client({ ...QUICK, stall: 50 }).send(get(server.url, { endless: true }), never);
  expect(await answer.text(10)).toBe('ab');
});

test('It waits so long and no longer, and is stopped at once', async () => {
  const mute = await serve(() => undefined);
  expect((await problemOf(get(mute.url), { ...QUICK, firstByte: 50 }))[0]).toBe('no-answer');
  const slow = await serve((_request, response) => response.write('a'));
  expect((await problemOf(get(slow.url), { ...QUICK, stall: 50 }))[0]).toBe('stalled');
  const stop = new AbortController();
  const waiting = client().send(get(mute.url), stop.signal);
  stop.abort();
  await expect(waiting).rejects.toThrow('stopped');
  await expect(client().send(get(mute.url), AbortSignal.abort())).rejects.toThrow('stopped');
});

test('What is refused by its head is not left open', async () => {
  const closed: Promise<unknown>[] = [];
  const unread = await serve((request, response) => {
    closed.push(new Promise((resolve) => request.socket.once('close', resolve)));
    response.writeHead(302, { location: 'http://x.example/' }).write('x');
  });
  expect((await problemOf(get(unread.url)))[0]).toBe('redirect');
  await Promise.all(closed);
  expect(closed).toHaveLength(1);
});

test('Who reads in pieces gets no more than 64 MB, unless it was to have no end; who stops reading ends it', async () => {
  const piece = Buffer.alloc(2 ** 20);
  const closed = Promise.withResolvers<void>();
  const server = await serve((request, response) => {
    let left = 66;
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= 1;
        if (!response.write(piece)) return void response.once('drain', more);
      }
      if (request.url !== '/on') response.end();
    };
    if (request.url === '/on') response.once('close', closed.resolve);
    more();
  });
  const lengthOf = async (more: Partial<OutsideRequest>): Promise<number> => {
    let length = 0;
    for await (const part of (await client().send(get(server.url, more), never)).body) length += part.length;
    return length;
  };
  await expect(lengthOf({})).rejects.toMatchObject({ kind: 'too-large' });
  expect(await lengthOf({ endless: true })).toBe(66 * 2 ** 20);
  const { body } = await client().send(get(`${server.url}/on`, { within: server.url, endless: true }), never);
  const reading = body[Symbol.asyncIterator]();
  await reading.next();
  await reading.return?.();
  await closed.promise;
});

test('Each piece gives it time anew, what is endless has all of it, and no clock goes on when it is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const under: { write(text: string): unknown; end(text: string): unknown }[] = [];
  const server = await serve((_request, response) => {
    response.write('a');
    under.push(response);
  });
  for (const endless of [false, true] as const) {
    const { body } = await client().send(get(server.url, endless ? { endless } : {}), never);
    const parts = body[Symbol.asyncIterator]();
    const next = async (): Promise<string> => Buffer.from(((await parts.next()).value as Uint8Array) ?? []).toString();
    expect(await next()).toBe('a');
    for (const said of ['b', 'c', 'd']) {
      await vi.advanceTimersByTimeAsync(endless ? QUICK.stall * 10 : QUICK.stall - 1);
      under.at(-1)?.write(said);
      expect(await next()).toBe(said);
    }
    under.at(-1)?.end('e');
    expect(await next()).toBe('e');
    expect((await parts.next()).done).toBe(true);
    await vi.waitUntil(() => vi.getTimerCount() === 0);
  }
});
