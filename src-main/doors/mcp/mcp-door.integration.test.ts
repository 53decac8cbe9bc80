import { describe, expect, it } from 'vitest';
import { type Doors, openDoors } from '../doors.test-support.js';
import { sampledTimes } from '../../tests/sampled.test-support.js';

const textOf = (result: { readonly content: readonly { readonly type: string; readonly text?: string }[] }): string =>
  result.content.map((block) => block.text ?? '').join('');

const metaOf = (result: object): Readonly<Record<string, unknown>> => {
  const { _meta: meta } = result as { readonly _meta?: Readonly<Record<string, unknown>> };
  return meta ?? {};
};

interface RawReply {
  readonly status: number;
  readonly session: string | null;
  readonly messages: readonly {
    readonly id?: unknown;
    readonly method?: string;
    readonly params?: Readonly<Record<string, unknown>>;
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: number; readonly message: string };
  }[];
}

const post = (doors: Doors, message: unknown, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  doors.get('/mcp', {
    ...init,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

async function rpc(doors: Doors, message: unknown, headers: Record<string, string> = {}): Promise<RawReply> {
  const response = await post(doors, message, headers);
  const text = await response.text();
  const messages =
    response.headers.get('content-type')?.includes('text/event-stream') === true
      ? [...text.matchAll(/^data: (.+)$/gm)].map((match) => JSON.parse(match[1] ?? '') as RawReply['messages'][number])
      : text === ''
        ? []
        : [JSON.parse(text) as RawReply['messages'][number]];
  return { status: response.status, session: response.headers.get('mcp-session-id'), messages };
}

const initialize = (version = '2025-11-25', name = 'raw') => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name, version: '1' } },
});

const callOf = (id: unknown, name: string, args?: unknown, more: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, ...(args === undefined ? {} : { arguments: args }), ...more },
});

async function openSession(doors: Doors, name = 'raw'): Promise<Record<string, string>> {
  const reply = await rpc(doors, initialize('2025-11-25', name));
  return { 'mcp-session-id': reply.session ?? '', 'mcp-protocol-version': '2025-11-25' };
}

describe('the MCP door', () => {
  it('serves the official client: listing, structured results, annotations', async () => {
    await using doors = await openDoors();
    const client = await doors.connect('official');
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['ask_first', 'read_file', 'stream']);
    expect(tools[0]?.annotations).toEqual({
      title: 'ask first',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
    const result = await client.callTool({ name: 'read_file', arguments: { path: 'hello.txt' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hello\n' }]);
    // A client may show its model the structure alone.
    expect(result.structuredContent).toEqual({ bytes: 6, text: 'hello\n' });
    expect(metaOf(result)).toEqual({ 'gatehouse/callId': 'call-1' });
    expect(doors.gate.requests[0]).toMatchObject({
      asker: { door: 'mcp', client: 'official 1.2.3', person: false, credential: { kind: 'persons-token' } },
      joinable: true,
    });
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    await client.ping();
  });

  it.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('negotiates %s', async (version) => {
    await using doors = await openDoors();
    const reply = await rpc(doors, initialize(version));
    expect(reply.messages[0]?.result?.['protocolVersion']).toBe(version);
  });

  it('offers its newest session revision to a client that asks for an unknown one', async () => {
    await using doors = await openDoors();
    const reply = await rpc(doors, initialize('1999-01-01'));
    expect(reply.messages[0]?.result?.['protocolVersion']).toBe('2025-11-25');
  });

  it('serves the 2026-07-28 revision without a session', async () => {
    await using doors = await openDoors();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '7' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const reply = await rpc(doors, callOf(1, 'read_file', { path: 'hello.txt' }, { _meta: meta }), {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'read_file',
    });
    expect(reply.messages.at(-1)?.result).toMatchObject({
      content: [{ type: 'text', text: 'hello\n' }],
      structuredContent: { bytes: 6 },
    });
    expect(doors.gate.requests[0]).toMatchObject({ asker: { client: 'modern 7' } });
    expect(doors.mcp.clients()).toMatchObject([{ name: 'modern 7', transport: 'http', calls: 1 }]);
  });

  it('says why a call failed, as a result that the model sees', async () => {
    await using doors = await openDoors();
    const client = await doors.connect();
    const unknown = await client.callTool({ name: 'no_such_tool', arguments: {} });
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown as never)).toContain('no_such_tool');
    expect(metaOf(unknown)).toMatchObject({ 'gatehouse/code': 'UnknownTool', 'gatehouse/callId': 'call-1' });
    const missing = await client.callTool({ name: 'read_file', arguments: { path: 'nowhere' } });
    expect(missing).toMatchObject({ isError: true, content: [{ type: 'text', text: 'There is no file nowhere.' }] });
  });

  it('treats arguments that are no object as a protocol error, and asks the gate nothing', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors);
    for (const args of ['text', 7, [], null]) {
      const reply = await rpc(doors, callOf(1, 'read_file', args), session);
      expect(reply.messages.at(-1)?.error?.code).toBe(-32_602);
    }
    expect(doors.gate.requests).toEqual([]);
  });

  it('gives stored output of a call when that is over: what is read before is not on record as given', async () => {
    const outputs = { read: async () => ({ text: 'line 1\n', complete: true }) };
    await using doors = await openDoors({ mcp: { outputs } });
    const client = await doors.connect();
    const running = client.callTool({ name: 'stream', arguments: {} });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    const uri = 'gatehouse://calls/call-1/stdout';
    await expect(client.readResource({ uri })).rejects.toThrow('There is no stored output');
    doors.gate.waiting.get('call-1')?.settle('all');
    await running;
    await expect(client.readResource({ uri })).resolves.toMatchObject({ contents: [{ text: 'line 1\n' }] });
    const other = await doors.connect('other');
    await expect(other.readResource({ uri })).rejects.toThrow('There is no stored output');
  });

  it('reports progress while a person decides and while output streams, to those who asked', async () => {
    await using doors = await openDoors({ mcp: { pace: { heartbeatMs: 20, outputMs: 5 } } });
    const client = await doors.connect();
    const messages: string[] = [];
    const waiting = client.callTool(
      { name: 'ask_first', arguments: {} },
      { onprogress: ({ message }) => void messages.push(message ?? '') },
    );
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    await expect.poll(() => messages.length).toBeGreaterThan(2);
    expect(messages[0]).toBe('Waiting for the user to decide in Gatehouse');
    doors.gate.waiting.get('call-1')?.settle('done');
    expect(textOf((await waiting) as never)).toBe('done');

    const streamed: string[] = [];
    const running = client.callTool(
      { name: 'stream', arguments: {} },
      { onprogress: ({ message }) => void streamed.push(message ?? '') },
    );
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    doors.gate.waiting.get('call-2')?.says('line 1\n');
    await expect.poll(() => streamed.join('')).toContain('line 1');
    doors.gate.waiting.get('call-2')?.settle('all');
    await running;
    // Who did not ask to be told is no listener: that a model was given output counts from when it is told.
    const quiet = client.callTool({ name: 'stream', arguments: {} });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    expect(doors.gate.waiting.get('call-3')?.isHeard).toBe(false);
    doors.gate.waiting.get('call-3')?.settle('all');
    await quiet;
  });

  it('sends no progress to a client that did not ask', async () => {
    await using doors = await openDoors({ mcp: { pace: { heartbeatMs: 5, outputMs: 5 } } });
    const session = await openSession(doors);
    const reply = rpc(doors, callOf(1, 'ask_first', {}), session);
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    doors.gate.waiting.get('call-1')?.settle('done');
    expect((await reply).messages.filter((message) => message.method === 'notifications/progress')).toEqual([]);
  });

  it('cancels the call when the request is cancelled', async () => {
    await using doors = await openDoors();
    const client = await doors.connect();
    const abort = new AbortController();
    const call = client.callTool({ name: 'ask_first', arguments: {} }, { signal: abort.signal });
    const failed = expect(call).rejects.toThrow();
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    abort.abort('changed my mind');
    await failed;
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    expect(doors.gate.settledCalls[0]?.failure?.code).toBe('Cancelled');
  });

  it('cancels what a client that left was waiting for', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors);
    const abort = new AbortController();
    const gone = post(doors, callOf(1, 'ask_first', {}), session, { signal: abort.signal });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    abort.abort();
    await gone.catch(() => undefined);
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    expect(doors.gate.settledCalls[0]?.failure?.code).toBe('Cancelled');
  });

  it('keeps it for the person where the setting says so', async () => {
    await using doors = await openDoors();
    doors.setWhenClientLeaves('keep');
    const session = await openSession(doors);
    const abort = new AbortController();
    const gone = post(doors, callOf(1, 'ask_first', {}), session, { signal: abort.signal });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    abort.abort();
    await gone.catch(() => undefined);
    await doors.gate.when(() => doors.gate.waiting.get('call-1')?.abandoned === true);
    doors.gate.waiting.get('call-1')?.settle('decided later');
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    expect(doors.gate.settledCalls[0]?.failure).toBeNull();
  });

  it('ends a session on DELETE, and what it waited for', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors);
    const pending = rpc(doors, callOf(1, 'ask_first', {}), session).catch(() => null);
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    expect((await doors.get('/mcp', { method: 'DELETE', headers: session })).status).toBe(200);
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    await pending;
    expect((await rpc(doors, callOf(2, 'read_file', {}), session)).status).toBe(404);
    expect(doors.mcp.clients()).toEqual([]);
  });

  it('puts a client out when the person says so', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors, 'unwanted');
    const pending = rpc(doors, callOf(1, 'ask_first', {}), session).catch(() => null);
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    const [client] = doors.mcp.clients();
    expect(client).toMatchObject({ name: 'unwanted 1', transport: 'http', calls: 1 });
    expect(doors.mcp.disconnect(client?.sessionId ?? '')).toBe(true);
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    await pending;
    expect(doors.gate.settledCalls[0]?.failure?.code).toBe('Cancelled');
    expect((await rpc(doors, callOf(2, 'read_file', {}), session)).status).toBe(404);
    expect(doors.mcp.disconnect('nobody')).toBe(false);
  });

  it('tells clients when the tools change', async () => {
    await using doors = await openDoors();
    const client = await doors.connect();
    const { promise, resolve } = Promise.withResolvers<null>();
    client.setNotificationHandler('notifications/tools/list_changed', () => resolve(null));
    await expect.poll(() => doors.mcp.clients().length).toBe(1);
    const again = setInterval(() => doors.gate.setTools([]), 20);
    await promise;
    clearInterval(again);
    expect((await client.listTools()).tools).toEqual([]);
  });

  it('promises no structure in parse-only mode, where a person writes the result', async () => {
    await using doors = await openDoors();
    doors.setMode('parse_only');
    const client = await doors.connect();
    expect((await client.listTools()).tools.every((tool) => tool.outputSchema === undefined)).toBe(true);
    expect(client.getInstructions()).toContain('parse-only');
  });

  it('never crosses two clients that use the same ids at the same time', async () => {
    await using doors = await openDoors();
    const [a, b] = await Promise.all([openSession(doors, 'a'), openSession(doors, 'b')]);
    const rounds = sampledTimes(1000, 240);
    let crossed = 0;
    const run = async (session: Record<string, string>, path: string): Promise<void> => {
      for (let from = 1; from <= rounds; from += 20)
        await Promise.all(
          Array.from({ length: 20 }, async (_, at) => {
            const reply = await rpc(doors, callOf(from + at, 'read_file', { path }), session);
            const answer = reply.messages.at(-1);
            const text = (answer?.result?.['content'] as readonly { readonly text: string }[] | undefined)?.[0]?.text;
            if (answer?.id !== from + at || !(text ?? '').includes(path)) crossed += 1;
          }),
        );
    };
    await Promise.all([run(a, 'missing-a'), run(b, 'missing-b')]);
    expect(crossed).toBe(0);
    expect(doors.gate.requests.length).toBe(2 * rounds);
  });

  it('refuses an id that is still in use, and answers the first call all the same', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors);
    const first = rpc(doors, callOf(5, 'ask_first', {}), session);
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    const second = await rpc(doors, callOf(5, 'read_file', { path: 'hello.txt' }), session);
    expect(second).toMatchObject({ status: 400, messages: [{ id: 5, error: { code: -32_600 } }] });
    doors.gate.waiting.get('call-1')?.settle('done');
    expect((await first).messages.at(-1)).toMatchObject({ id: 5, result: { content: [{ text: 'done' }] } });
  });

  it('bounds what one client has in flight; another is not affected', async () => {
    const { MCP_LIMITS } = await import('./mcp-door.js');
    await using doors = await openDoors({ mcp: { limits: { ...MCP_LIMITS, inFlight: 3 } } });
    const [greedy, modest] = await Promise.all([openSession(doors), openSession(doors)]);
    const held = [1, 2, 3].map((id) => rpc(doors, callOf(id, 'ask_first', {}), greedy));
    await doors.gate.when(() => doors.gate.waiting.size === 3);
    const refused = await rpc(doors, callOf(4, 'read_file', { path: 'hello.txt' }), greedy);
    expect(refused.messages.at(-1)?.error?.message).toContain('3 calls in flight');
    const served = await rpc(doors, callOf(1, 'read_file', { path: 'hello.txt' }), modest);
    expect(served.messages.at(-1)?.result).toBeDefined();
    for (const call of doors.gate.waiting.values()) call.settle('done');
    await Promise.all(held);
  });

  it('bounds how much one client asks; another is not affected', async () => {
    const { MCP_LIMITS } = await import('./mcp-door.js');
    await using doors = await openDoors({ mcp: { limits: { ...MCP_LIMITS, rate: { burst: 10, perSecond: 0.001 } } } });
    const [flood, calm] = await Promise.all([openSession(doors), openSession(doors)]);
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
    const statuses = await Promise.all(
      Array.from({ length: 30 }, (_, id) => rpc(doors, ping(id), flood).then(({ status }) => status)),
    );
    expect(statuses.filter((status) => status === 429).length).toBe(20);
    expect((await rpc(doors, ping(1), calm)).status).toBe(200);
  });

  it('lets go of sessions that fell silent, and makes room by the one silent longest', async () => {
    const { MCP_LIMITS } = await import('./mcp-door.js');
    await using doors = await openDoors({ mcp: { limits: { ...MCP_LIMITS, sessions: 2 } } });
    await openSession(doors, 'first');
    await openSession(doors, 'second');
    await openSession(doors, 'third');
    expect(doors.mcp.clients().map((client) => client.name)).toEqual(['second 1', 'third 1']);
    await using forgetful = await openDoors({ mcp: { limits: { ...MCP_LIMITS, idleMs: 10 } } });
    await openSession(forgetful, 'silent');
    await expect.poll(() => forgetful.mcp.clients()).toEqual([]);
  });

  it('counts what a message holds before it parses it: a batch of 100,000 ids takes nobody’s time', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors);
    const ids = Array.from({ length: 100_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"m":1}`);
    const names = Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`);
    const call = (args: string): string =>
      `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ask_first","arguments":${args}},"id":"mine"}`;
    for (const [message, id, why] of [
      [`[${ids.join(',')}]`, null, 'batch'],
      [call(`{${names.join(',')}}`), 'mine', 'values and names'],
      [call(`{"x":${'['.repeat(1_500_000)}${']'.repeat(1_500_000)}}`), 'mine', 'values and names'],
      [call(`{"${'k'.repeat(3_000_000)}":1}`), 'mine', 'name'],
    ] as const) {
      const reply = await rpc(doors, message, session);
      expect(reply.status).toBe(400);
      expect(reply.messages).toMatchObject([{ id, error: { code: -32_600, data: { code: 'LimitsExceeded' } } }]);
      expect(reply.messages[0]?.error?.message).toContain(why);
    }
    expect(doors.gate.requests).toEqual([]);
    // An id that a batch has twice is still told.
    const twice = await rpc(doors, [callOf(5, 'ask_first'), callOf(5, 'ask_first')], session);
    expect(twice.messages).toMatchObject([{ id: 5, error: { code: -32_600 } }]);
  });

  it('shows and records of what a client says of itself and asks for only what can be shown', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors, 'n'.repeat(3_000_000));
    expect(doors.mcp.clients()[0]?.name).toHaveLength(100);
    const reply = await rpc(doors, callOf(1, 't'.repeat(3_000_000)), session);
    expect(reply.messages.at(-1)?.result).toMatchObject({ isError: true });
    expect(doors.gate.requests[0]?.calls[0]?.tool).toHaveLength(201);
  });

  it('answers broken messages with one error each', async () => {
    await using doors = await openDoors();
    const session = await openSession(doors);
    expect(await rpc(doors, '{"jsonrpc":', session)).toMatchObject({
      status: 400,
      messages: [{ error: { code: -32_700 } }],
    });
    for (const broken of [{}, [], 7, { jsonrpc: '1.0', id: 1, method: 'ping' }, '"text"', 'null'])
      expect((await rpc(doors, broken, session)).status).toBeGreaterThanOrEqual(400);
    expect((await rpc(doors, { jsonrpc: '2.0', id: 9, method: 'no/such' }, session)).messages.at(-1)?.error?.code).toBe(
      -32_601,
    );
    expect((await rpc(doors, callOf(1, 'read_file', {}))).status).toBe(400);
    expect((await rpc(doors, callOf(1, 'read_file', {}), { 'mcp-session-id': 'made-up' })).status).toBe(404);
    expect((await rpc(doors, callOf(1, 'read_file', { path: 'hello.txt' }), session)).status).toBe(200);
    expect(doors.reported).toEqual([]);
  });
});
