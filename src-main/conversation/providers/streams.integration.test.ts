import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../domain/ports/conversation/model.js';
import { type ModelServer, startModelServer } from '../../tests/model-server/model-server.test-support.js';
import { sampledPlaces } from '../../tests/sampled.test-support.js';
import type { ScriptedTurn, Wire } from '../../tests/model-server/turns.test-support.js';
import { PROVIDERS } from './provider-table.js';
import { askModel, blocksOf, faultOf, lastOf, SERVED } from './providers.test-support.js';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const PATHS = ['ä/👋 "x"\\n.txt', 'b\u2028\u0007.txt'];
const TURN: ScriptedTurn = {
  blocks: [
    { reasoning: 'Läßt sich lösen …', signature: 'c2ln' },
    { text: 'Grüße 👋🏽, “quoted”\nand \\u00e4 escaped' },
    { call: 'read_file', id: 'call_a', arguments: { path: PATHS[0] ?? '' } },
    { call: 'read_file', id: 'call_b', arguments: { path: PATHS[1] ?? '' } },
  ],
  interleaved: true,
  piece: 5,
};
const turnWith = (wire: Wire): ScriptedTurn => ({ ...TURN, wire });
const isEnd = ({ type }: ModelEvent) => type === 'ended' || type === 'failed';

/** Asserts what must hold of any stream. */
function expectSound(events: readonly ModelEvent[]): void {
  expect(events.filter(isEnd)).toHaveLength(1);
  expect(events.findIndex(isEnd)).toBe(events.length - 1);
  expect(events.filter(({ type }) => type === 'used').length).toBeLessThanOrEqual(1);
  const ended = events.flatMap((event) => (event.type === 'block-ended' ? [event.block] : []));
  expect(new Set(ended).size).toBe(ended.length);
  for (const block of blocksOf(events).filter(({ kind, isWhole }) => kind === 'call' && isWhole))
    expect(PATHS).toContain((JSON.parse(block.text) as { readonly path: string }).path);
}

/** Asserts that the listener has the whole answer, as if the stream had come in one piece. */
function expectWhole(events: readonly ModelEvent[]): void {
  expectSound(events);
  const blocks = blocksOf(events);
  expect(blocks.map(({ kind, text }) => (kind === 'call' ? JSON.parse(text) : text))).toEqual([
    'Läßt sich lösen …',
    'Grüße 👋🏽, “quoted”\nand \\u00e4 escaped',
    ...PATHS.map((path) => ({ path })),
  ]);
  expect(blocks.every(({ isWhole }) => isWhole)).toBe(true);
  expect(blocks.map(({ id }) => id)).toEqual([undefined, undefined, 'call_a', 'call_b']);
  expect(lastOf(events)).toEqual({ type: 'ended', why: 'done' });
  expect(events.find(({ type }) => type === 'used')).toEqual({
    type: 'used',
    usage: { inputTokens: 10, outputTokens: 5, cost: null },
  });
}

describe.each(SERVED)('%s', (provider) => {
  const { protocol } = PROVIDERS[provider];
  const ask = async (turn: ScriptedTurn) => {
    server.script(turn);
    return askModel(provider, server);
  };

  test('A whole stream is told in the order of the wire, however it is split', async () => {
    for (const wire of [{}, { chunkBytes: 1 }, { chunkBytes: 7 }, { chunkBytes: 100_000 }])
      expectWhole(await ask(turnWith(wire)));
    if (protocol === 'anthropic') {
      const [thought] = blocksOf(await ask(TURN));
      expect(thought?.kept).toEqual({ provider: 'anthropic', signature: 'c2ln' });
      const sealed = blocksOf(await ask({ blocks: [{ redacted: 'c2VhbGVk' }, { reasoning: '', signature: 'c2ln' }] }));
      expect(sealed.map(({ kind, kept }) => [kind, kept])).toEqual([
        ['reasoning', { provider: 'anthropic', redactedData: 'c2VhbGVk' }],
        ['reasoning', { provider: 'anthropic', signature: 'c2ln' }],
      ]);
    }
  });

  test('Pieces of parallel calls keep their order', async () => {
    if (protocol === 'google') return;
    const pieces = (await ask(TURN)).flatMap((event) => (event.type === 'call-arguments' ? [event.block] : []));
    expect(pieces.slice(0, 4)).toEqual([2, 3, 2, 3]);
  });

  test('Line ends of any kind, comments and a last line without its blank one change nothing', async () => {
    const each = (change: (text: string) => string) => turnWith({ events: (events) => events.map(change) });
    expectWhole(await ask(each((text) => text.replaceAll('\n', '\r\n'))));
    expectWhole(await ask(each((text) => `: keep-alive\n\n${text}`)));
    expectWhole(
      await ask({
        ...each((text) => text.replaceAll('\n', '\r\n')),
        wire: { ...each((text) => text.replaceAll('\n', '\r\n')).wire, chunkBytes: 1 },
      }),
    );
    expectWhole(await ask(turnWith({ events: (events) => [events.join('').replace(/\n+$/u, '')] })));
  });

  test('Empty arguments are told as they came', async () => {
    const events = await ask({
      blocks: [
        { call: 'a', id: '1', arguments: '' },
        { call: 'b', id: '2', arguments: {} },
      ],
    });
    expect(blocksOf(events).map(({ name, text, isWhole }) => [name, text, isWhole])).toEqual([
      ['a', protocol === 'google' ? '{}' : '', true],
      ['b', '{}', true],
    ]);
  });

  test('1 MB of arguments comes whole', async () => {
    const content = 'ä'.repeat(524_288);
    for (const piece of [100, 2_000_000]) {
      const [call] = blocksOf(await ask({ blocks: [{ call: 'write', id: '1', arguments: { content } }], piece }));
      expect((JSON.parse(call?.text ?? '') as { readonly content: string }).content === content).toBe(true);
      expect(call?.isWhole).toBe(true);
    }
  });

  test.each([
    ['length', 'length'],
    ['filtered', protocol === 'anthropic' ? 'refused' : 'filtered'],
    ['refused', protocol === 'google' ? 'filtered' : 'refused'],
  ] as const)('An end by %s says so', async (ends, why) => {
    const events = await ask({ ...TURN, ends });
    expectSound(events);
    expect(lastOf(events)).toEqual({ type: 'ended', why });
    const whole = blocksOf(events).some(({ kind, isWhole }) => kind === 'call' && isWhole);
    if (protocol === 'chat') expect(whole).toBe(ends === 'refused');
  });

  test('Without its closing word a stream broke off', async () => {
    const events = await ask({ ...TURN, ends: null });
    expectSound(events);
    expect(faultOf(events)).toBe('broke-off');
    if (protocol === 'chat')
      expect(blocksOf(events).some(({ kind, isWhole }) => kind === 'call' && isWhole)).toBe(false);
  });

  // The same reader three times says no more.
  const isCut = protocol !== 'chat' || provider === 'openai-compatible';
  test.runIf(isCut).each(['end', 'reset'] as const)(
    'Cut at any byte (%s): one end each, and no call from a block that did not close',
    async (cut) => {
      server.script(TURN);
      const url =
        protocol === 'anthropic'
          ? '/messages'
          : protocol === 'google'
            ? '/models/m:streamGenerateContent'
            : '/chat/completions';
      const whole = await (await fetch(`${server.baseUrl}${url}`, { method: 'POST', body: '{}' })).text();
      const bytes = Buffer.byteLength(whole);
      let whereItIsDone = bytes;
      for (const place of sampledPlaces(bytes, cut === 'end' ? 5 : 35)) {
        const at = place - 1;
        const events = await ask(turnWith({ cutAfterBytes: at, cut }));
        expectSound(events);
        const isDone = lastOf(events)?.type === 'ended';
        if (isDone) whereItIsDone = Math.min(whereItIsDone, at);
        // Once its closing word is there, all calls are.
        if (isDone) expect(blocksOf(events).filter(({ kind, isWhole }) => kind === 'call' && isWhole)).toHaveLength(2);
        else expect(faultOf(events)).toBe('broke-off');
      }
      const closing = { anthropic: '"message_stop"', chat: '"finish_reason":"tool_calls"', google: '"finishReason"' };
      expect(Buffer.from(whole).subarray(0, whereItIsDone).toString()).toContain(closing[protocol]);
      expect(whereItIsDone).toBeGreaterThan(bytes / 2);
    },
  );

  test('Repeated, missing or swapped events never make a whole call of what is none', async () => {
    let count = 0;
    await ask(turnWith({ events: (events) => ((count = events.length), events) }));
    for (let at = 0; at < count; at += 1) {
      expectOneEnd(await ask(turnWith({ events: (events) => events.toSpliced(at, 0, ...events.slice(at, at + 1)) })));
      expectOneEnd(await ask(turnWith({ events: (events) => events.toSpliced(at, 1) })));
      expectOneEnd(
        await ask(turnWith({ events: (events) => events.toSpliced(at, 2, ...events.slice(at, at + 2).toReversed()) })),
      );
    }
  });

  test('The same message twice is broken', async () => {
    const events = await ask(
      turnWith({ events: (all) => [...all.filter((text) => !text.includes('[DONE]')), ...all] }),
    );
    expect(faultOf(events)).toBe('broke-off');
  });

  test.each([
    ['{"type":"error","error":{"type":"overloaded_error","message":"Overloaded, sorry"}}'],
    ['{"error":{"message":"Overloaded, sorry","code":503}}'],
  ])('An error event is a broken stream, in the server’s words: %s', async (data) => {
    for (const at of [0, 1, 6]) {
      const before = server.requests.length;
      const events = await ask(turnWith({ events: (all) => all.toSpliced(at, 0, `event: error\ndata: ${data}\n\n`) }));
      expect(lastOf(events)).toMatchObject({ type: 'failed', failure: { fault: 'broke-off' } });
      expect(JSON.stringify(lastOf(events))).toContain('Overloaded, sorry');
      expect(server.requests.length - before).toBe(1);
    }
  });

  test('Bytes that are no text, and what is no JSON, break it', async () => {
    server.script(
      { raw: Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a]) },
      { raw: '<html>Login</html>' },
      { raw: 'data: {"a":\n\n' },
      { raw: '' },
    );
    for (let at = 0; at < 4; at += 1) expect(faultOf(await askModel(provider, server))).toBe('broke-off');
  });

  test('A stalled stream ends in words, and can be stopped', async () => {
    const stalled = turnWith({ stallAfterEvents: 4 });
    server.script(stalled);
    const events = await askModel(provider, server, { times: { connect: 5000, firstByte: 5000, stall: 50 } });
    expect(lastOf(events)).toMatchObject({
      type: 'failed',
      failure: { fault: 'broke-off', message: expect.stringContaining('nothing more') },
    });
    expect(blocksOf(events).length).toBeGreaterThan(0);
    server.script(stalled);
    const stop = new AbortController();
    const stopped = await askModel(provider, server, { signal: stop.signal, onEvent: () => stop.abort() });
    expectOneEnd(stopped);
    expect(JSON.stringify(lastOf(stopped))).toContain('You stopped it.');
    await expect.poll(() => server.open).toBe(0);
  });

  test('A server that holds the line after its closing word is not waited for', async () => {
    server.script(
      turnWith({ events: (all) => all.filter((text) => !text.includes('[DONE]')), stallAfterEvents: 1000 }),
    );
    expectWhole(await askModel(provider, server));
    await expect.poll(() => server.open).toBe(0);
  });

  test('Nor one that says something again and again', async () => {
    const saysOn = Array.from({ length: 100_000 }, () => 'data: {"type":"ping"}\n\n');
    server.script(
      turnWith({ events: (all) => [...all.filter((text) => !text.includes('[DONE]')), ...saysOn], everyMs: 5 }),
    );
    expectWhole(await askModel(provider, server, { afterEnd: { quiet: 600_000, most: 50 } }));
    await expect.poll(() => server.open).toBe(0);
  });
});

function expectOneEnd(events: readonly ModelEvent[]): void {
  expect(events.filter(isEnd)).toHaveLength(1);
  expect(events.findIndex(isEnd)).toBe(events.length - 1);
}
