import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../tests/model-server/model-server.test-support.js';
import { askModel, faultOf, KEY, lastOf, messageOf, SERVED } from './providers.test-support.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const DONE = { blocks: [{ text: 'ok' }] } as const;

test.each(SERVED)('%s: each refusal has its word, and what to do', async (provider) => {
  const cases = [
    [401, 'invalid x-api-key', 'api-key'],
    [404, 'model: scripted-1', 'not-found'],
    [413, 'too large', 'too-long'],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', 'too-long'],
    [400, 'This model’s maximum context length is 8192 tokens', 'too-long'],
    [400, 'tools.0.name: bad', 'refused'],
    [403, 'not yours', 'refused'],
    [402, 'pay', 'refused'],
  ] as const;
  for (const [status, message, fault] of cases) {
    server.script({ status, body: { error: { message } } });
    const events = await askModel(provider, server);
    expect([events.length, faultOf(events)]).toEqual([1, fault]);
    expect(messageOf(events)).toContain(message);
    expect(messageOf(events)).toMatch(/Settings|Begin a new one|account/u);
  }
  for (const body of ['<html>', '', '[]', 'null', '{"error":"x"}', '{"error":{"message":{"a":1}}}']) {
    server.script({ status: 401, body });
    expect(faultOf(await askModel(provider, server))).toBe('api-key');
  }
});

test.each(SERVED)('%s: it waits as Retry-After says, three times, and tells each second', async (provider) => {
  const waits = async (...headers: (string | null)[]) => {
    const refusals = headers.map((after) => ({
      status: 429,
      headers: after === null ? {} : { 'retry-after': after },
    }));
    server.script(...refusals, DONE);
    const events = await askModel(provider, server, { slept: [], now: Date.UTC(2026, 0, 1, 0, 0, 0) });
    const told = events.flatMap((event) => (event.type === 'waiting' ? [event.seconds] : []));
    return [told, lastOf(events)?.type];
  };
  expect(await waits('3')).toEqual([[3, 2, 1], 'ended']);
  expect(await waits('0')).toEqual([[], 'ended']);
  expect(await waits('Thu, 01 Jan 2026 00:00:02 GMT')).toEqual([[2, 1], 'ended']);
  expect(await waits('Wed, 31 Dec 2025 00:00:02 GMT')).toEqual([[], 'ended']);
  expect((await waits(null, 'soon', '-5'))[0]).toEqual([2, 1, ...from(8), ...from(30)]);
  expect((await waits('60'))[0]).toHaveLength(60);
});

const from = (seconds: number) => Array.from({ length: seconds }, (_, at) => seconds - at);

test('A fourth refusal, and a wait of more than a minute, are told at once', async () => {
  const before = server.requests.length;
  server.script(...Array.from({ length: 4 }, () => ({ status: 529, headers: { 'retry-after': '0' } })));
  expect(faultOf(await askModel('anthropic', server))).toBe('overloaded');
  expect(server.requests.length - before).toBe(4);
  for (const [after, again] of [
    ['61', 'Send again in 2 minutes.'],
    ['Thu, 01 Jan 2026 03:00:00 GMT', 'Send again in 3 hours.'],
    ['99999999999', 'Send again later.'],
  ] as const) {
    server.script({ status: 429, headers: { 'retry-after': after } });
    const events = await askModel('anthropic', server, { now: Date.UTC(2026, 0, 1) });
    expect([events.length, faultOf(events)]).toEqual([1, 'rate-limit']);
    expect(messageOf(events)).toContain(again);
  }
  for (const status of [500, 502, 503, 529]) {
    server.script({ status }, DONE);
    expect((await askModel('anthropic', server)).slice(0, 2)).toEqual([
      { type: 'waiting', seconds: 2, why: 'overloaded' },
      { type: 'waiting', seconds: 1, why: 'overloaded' },
    ]);
  }
});

test('An answer that is no stream says so', async () => {
  for (const raw of ['<html>Log in</html>', '{"error":"no"}', '']) {
    server.script({ raw });
    const events = await askModel('openai-compatible', server);
    expect([faultOf(events), messageOf(events)]).toEqual(['broke-off', expect.stringContaining('no event came')]);
  }
});

test('A wait can be stopped', async () => {
  const stop = new AbortController();
  server.script({ status: 429, headers: { 'retry-after': '50' } });
  const events = await askModel('openai', server, { signal: stop.signal, onEvent: () => stop.abort() });
  expect(events.map(({ type }) => type)).toEqual(['waiting', 'failed']);
});

test('Nothing is asked again once a part of an answer came, nor where the connection went', async () => {
  for (const turn of [{ ...DONE, wire: { cutAfterBytes: 300, cut: 'reset' } }, { hangUp: true }] as const) {
    const before = server.requests.length;
    server.script(turn);
    expect(['broke-off', 'unreachable']).toContain(faultOf(await askModel('anthropic', server)));
    expect(server.requests.length - before).toBe(1);
  }
});

test('Where nothing listens, nothing answers, or something else does, it says so', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const away = await askModel('ollama', server, { baseUrl: `http://127.0.0.1:${port}/v1` });
  expect([faultOf(away), messageOf(away)]).toEqual(['unreachable', expect.stringContaining('nothing listens there')]);
  server.script({ silent: true });
  const mute = await askModel('ollama', server, { times: { connect: 5000, firstByte: 60, stall: 5000 } });
  expect([faultOf(mute), messageOf(mute)]).toEqual(['unreachable', expect.stringContaining('did not begin to answer')]);
  server.script({ status: 302, headers: { location: 'https://elsewhere.example/v1/messages' } });
  const moved = await askModel('anthropic', server);
  expect([faultOf(moved), messageOf(moved)]).toEqual(['unreachable', expect.stringContaining('elsewhere.example')]);
});

test.each([302, 400, 401, 404, 529])('The words for %i say no key', async (status) => {
  await using own = await startModelServer();
  own.otherwise(() => ({ status, headers: { 'retry-after': '0', location: '/x' } }));
  const events = await askModel('anthropic', own);
  expect(lastOf(events)?.type).toBe('failed');
  expect(JSON.stringify(events)).not.toContain(KEY);
});
