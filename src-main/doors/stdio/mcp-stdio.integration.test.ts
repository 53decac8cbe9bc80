import { describe, expect, it } from 'vitest';
import { type AddressInfo, createServer } from 'node:net';
import { writeGatewayAddress } from '../../platform/data-folder/gateway-file.js';
import { openDoors } from '../doors.test-support.js';
import { call, end, leaveSocket, never, type Reply, startBridge } from './mcp-stdio.test-support.js';

describe('MCP on stdin and stdout', () => {
  it('carries a session to the running app and back', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir);
    expect((await bridge.introduce()).result).toMatchObject({
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'gatehouse' },
    });
    expect((await bridge.ask(1, 'tools/list')).result?.['tools']).toHaveLength(3);
    const result = await bridge.ask('1', 'tools/call', call('read_file', { path: 'hello.txt' }));
    expect(result.result).toMatchObject({ content: [{ text: 'hello\n' }], structuredContent: { bytes: 6 } });
    expect(doors.mcp.clients()).toMatchObject([{ name: 'piped 3', transport: 'stdio', calls: 1 }]);
    await end(bridge);
    await expect.poll(() => doors.mcp.clients()).toEqual([]);
  });

  it('carries requests of the sessionless revision', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir);
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '7' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const found = await bridge.ask(1, 'server/discover', { _meta: meta });
    expect(found.result).toMatchObject({ supportedVersions: ['2026-07-28'] });
    const result = await bridge.ask(2, 'tools/call', { ...call('read_file', { path: 'hello.txt' }), _meta: meta });
    expect(result.result?.content?.[0]?.text).toBe('hello\n');
    const odd = await bridge.ask(3, 'tools/call', { ...call('ünbekannt ✓'), _meta: meta });
    expect(odd.result).toMatchObject({ isError: true });
    bridge.send({ id: 4, method: 'tools/call', params: { ...call('ask_first'), _meta: meta } });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    bridge.send({ method: 'notifications/cancelled', params: { requestId: 4 } });
    await doors.gate.when(() => doors.gate.waiting.size === 0);
    expect(doors.mcp.clients()).toMatchObject([{ name: 'modern 7', transport: 'stdio' }]);
    await end(bridge);
    expect(bridge.received.filter((each) => each.id === 4)).toEqual([]);
  });

  it('passes progress, news and cancellation', async () => {
    await using doors = await openDoors({ mcp: { pace: { heartbeatMs: 20, outputMs: 5 } } });
    const bridge = startBridge(doors.dataDir);
    await bridge.introduce();
    bridge.send({ id: 7, method: 'tools/call', params: { ...call('ask_first'), _meta: { progressToken: 'p' } } });
    const progress = await bridge.reply((each) => each.method === 'notifications/progress');
    expect(progress.params).toMatchObject({ progressToken: 'p', progress: 1 });
    bridge.send({ method: 'notifications/cancelled', params: { requestId: 7, reason: 'no' } });
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    expect(doors.gate.settledCalls[0]?.failure?.code).toBe('Cancelled');
    const again = setInterval(() => doors.gate.setTools([]), 20);
    await bridge.reply((each) => each.method === 'notifications/tools/list_changed');
    clearInterval(again);
    await end(bridge);
    expect(bridge.received.filter((each) => each.id === 7)).toEqual([]);
  });

  it('answers a cancellation that is sent together with its call', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir);
    await bridge.introduce();
    for (let id = 1; id <= 50; id += 1) {
      bridge.send({ id, method: 'tools/call', params: call('ask_first') });
      bridge.send({ method: 'notifications/cancelled', params: { requestId: id } });
    }
    await doors.gate.when(() => doors.gate.settledCalls.length === 50);
    expect(doors.gate.waiting.size).toBe(0);
    await end(bridge);
  });

  it('says clearly that the app stopped, and goes on when it is back', async () => {
    const first = await openDoors();
    const bridge = startBridge(first.dataDir);
    await bridge.introduce();
    bridge.send({ id: 1, method: 'tools/call', params: call('ask_first') });
    await first.gate.when(() => first.gate.waiting.size === 1);
    await first.stopServing();
    const lost = await bridge.reply((each) => each.id === 1);
    expect(lost.result).toMatchObject({ isError: true, _meta: { 'gatehouse/code': 'Interrupted' } });
    expect(lost.result?.content?.[0]?.text).toContain('history');
    const meanwhile = await bridge.ask(2, 'tools/call', call('read_file', { path: 'hello.txt' }));
    expect(meanwhile.result).toMatchObject({ isError: true });
    expect(meanwhile.result?.content?.[0]?.text).toContain('not running');
    expect((await bridge.ask(3, 'tools/list')).error?.message).toContain('not running');

    await using second = await openDoors({ dataDir: first.dataDir });
    const back = await bridge.ask(4, 'tools/call', call('read_file', { path: 'hello.txt' }));
    expect(back.result?.content?.[0]?.text).toBe('hello\n');
    expect(second.gate.requests).toMatchObject([{ asker: { client: 'piped 3' } }]);
    await end(bridge);
    await first[Symbol.asyncDispose]();
  });

  it('takes up with an app that was killed and left its socket behind', async () => {
    const first = await openDoors();
    const bridge = startBridge(first.dataDir);
    await bridge.introduce();
    await first.stopServing();
    leaveSocket(first.dataDir);
    // What was sent before the end was seen is lost with it; from then on it is known.
    await bridge.ask(0, 'ping');
    expect((await bridge.ask(1, 'ping')).error?.message).toContain('not running');
    await using second = await openDoors({ dataDir: first.dataDir });
    expect(
      (await bridge.ask(2, 'tools/call', call('read_file', { path: 'hello.txt' }))).result?.isError,
    ).toBeUndefined();
    expect(second.gate.requests).toHaveLength(1);
    await end(bridge);
    await first[Symbol.asyncDispose]();
  });

  it('goes over the socket alone: it works while HTTP is off, and no token of it is sent anywhere', async () => {
    await using doors = await openDoors();
    await doors.gateway.stop();
    const heard: string[] = [];
    const stranger = createServer((socket) => socket.on('data', (bytes) => heard.push(bytes.toString())));
    await new Promise<void>((resolve) => void stranger.listen(0, '127.0.0.1', resolve));
    const port = (stranger.address() as AddressInfo).port;
    writeGatewayAddress(doors.dataDir, { url: `http://127.0.0.1:${port}`, token: 'secret', pid: 1, version: 'dead' });
    let connections = 0;
    stranger.on('connection', () => (connections += 1));
    const bridge = startBridge(doors.dataDir);
    await bridge.introduce();
    expect((await bridge.ask(1, 'tools/list')).result?.['tools']).toHaveLength(3);
    await end(bridge);
    await doors.stopServing();
    const started: string[] = [];
    const alone = startBridge(doors.dataDir, null, async () => {
      started.push('app');
      return 'it can’t be';
    });
    expect(await alone.exit).toBe(1);
    expect(started).toEqual(['app']);
    expect({ heard, connections }).toEqual({ heard: [], connections: 0 });
    stranger.close();
  });

  it('is the agent that it says it is, and one that was put out gets its own answer', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir, null, never, 'builder');
    await bridge.introduce();
    bridge.send({ id: 1, method: 'tools/call', params: call('ask_first') });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    expect(doors.gate.requests).toMatchObject([
      { asker: { agent: 'builder', client: 'piped 3', credential: { kind: 'pipe', id: 'builder' } } },
    ]);
    expect(doors.mcp.clients()).toMatchObject([{ agent: 'builder', transport: 'stdio' }]);
    doors.mcp.disconnectAgent('builder');
    expect((await bridge.reply((each) => each.id === 1)).result).toMatchObject({ isError: true });
    expect(doors.gate.settledCalls[0]?.failure).toMatchObject({ code: 'Cancelled' });
    await end(bridge);
  });

  it('bounds the pipes of one agent; another is not affected', async () => {
    await using doors = await openDoors({
      mcp: { agentLimits: { sessions: () => 2, recordedTooMuch: () => null } },
    });
    const named = (agent: string | null) => startBridge(doors.dataDir, null, never, agent);
    const open = [named('one'), named('one'), named('two'), named(null), named(null)];
    for (const bridge of open) await bridge.introduce();
    const third = named('one');
    expect(await third.exit).toBe(1);
    expect(third.complaints.join()).toContain('one has reached its limit of 2 sessions');
    expect(await named(null).exit).toBe(1);
    for (const bridge of open) await end(bridge);
  });

  it('is answered for what holds too much, and for what may not be recorded any more', async () => {
    let full = false;
    await using doors = await openDoors({
      mcp: {
        agentLimits: {
          sessions: () => 64,
          recordedTooMuch: () => (full ? { why: 'Too much was recorded.', retrySeconds: 5 } : null),
        },
      },
    });
    const bridge = startBridge(doors.dataDir, null, never, 'builder');
    await bridge.introduce();
    const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1]));
    const tooMuch = await bridge.ask(1, 'tools/call', call('read_file', names));
    expect(tooMuch.error).toMatchObject({ code: -32_600, data: { code: 'LimitsExceeded' } });
    full = true;
    const refused = await bridge.ask(2, 'tools/call', call('read_file', { path: 'hello.txt' }));
    expect(refused.result).toMatchObject({ isError: true, _meta: { 'gatehouse/code': 'LimitsExceeded' } });
    expect((await bridge.ask(3, 'tools/list')).result?.['tools']).toHaveLength(3);
    expect(doors.gate.requests).toEqual([]);
    await end(bridge);
  });

  it('lets go of what its client waited for when the client is gone', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir);
    await bridge.introduce();
    bridge.send({ id: 1, method: 'tools/call', params: call('ask_first') });
    await doors.gate.when(() => doors.gate.waiting.size === 1);
    await end(bridge);
    await doors.gate.when(() => doors.gate.settledCalls.length === 1);
    expect(doors.gate.settledCalls[0]?.failure?.code).toBe('Cancelled');
  });

  it('ends when nobody reads it any more', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir);
    await bridge.introduce();
    bridge.output.destroy(new Error('EPIPE'));
    expect(await bridge.exit).toBe(0);
  });

  it('answers what is not JSON, not JSON-RPC, or too long with one error each', async () => {
    await using doors = await openDoors();
    const bridge = startBridge(doors.dataDir);
    await bridge.introduce();
    const errors = (): readonly Reply[] => bridge.received.filter((each) => each.error !== undefined);
    bridge.send('this is not JSON');
    await expect.poll(() => errors().length).toBe(1);
    expect(errors()[0]?.error?.code).toBe(-32_700);
    bridge.send('x'.repeat(5 * 1024 * 1024));
    await expect.poll(() => errors().length).toBe(2);
    expect(errors()[1]?.error?.code).toBe(-32_600);
    bridge.send('[]');
    bridge.send('7');
    await expect.poll(() => errors().length).toBe(4);
    expect((await bridge.ask(9, 'tools/call', { name: 'read_file', arguments: 'text' })).error?.code).toBe(-32_602);
    expect((await bridge.ask(1, 'ping')).result).toEqual({});
    await end(bridge);
  });
});
