import { describe, expect, it } from 'vitest';
import { openDoors } from '../doors.test-support.js';
import { textOf, post, rpc, callOf, openSession } from './mcp-door.test-support.js';

describe('who waits at the MCP door', () => {
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
});
