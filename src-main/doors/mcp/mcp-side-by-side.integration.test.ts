import { describe, expect, it } from 'vitest';
import { openDoors } from '../doors.test-support.js';
import { sampledTimes } from '../../tests/sampled.test-support.js';
import { rpc, callOf, openSession } from './mcp-door.test-support.js';

describe('clients side by side at the MCP door', () => {
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
