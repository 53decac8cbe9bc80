import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { type Doors, type DoorsOptions, openDoors, WRONG_SOURCE } from '../doors.test-support.js';

async function withAgents(options: DoorsOptions = {}): Promise<Doors> {
  const doors = await openDoors(options);
  for (const name of ['one', 'two']) doors.tokens.set(name, `token-of-${name}-${'x'.repeat(30)}`);
  return doors;
}

const read = { name: 'read_file', arguments: { path: 'hello.txt' } };
const ask = { name: 'ask_first', arguments: {} };
const idOf = (result: object): string => {
  const { _meta: meta } = result as { readonly _meta?: Readonly<Record<string, unknown>> };
  return String(meta?.['gatehouse/callId']);
};

it('an agent is told that a source was refused; its file, line and reason are the person’s', async () => {
  await using doors = await withAgents();
  const seen = async (agent?: string): Promise<unknown> => await (await doors.get('/v1/sources', {}, agent)).json();
  expect(await seen()).toEqual({ sources: [WRONG_SOURCE] });
  const refused = [{ what: 'docs', file: null, line: null, e_code: 'E3008', reason: null }];
  expect(await seen('one')).toEqual({ sources: [{ ...WRONG_SOURCE, problem: null, refused }] });
});

it('an agent’s token shows that agent’s calls and no others; the person’s own shows all', async () => {
  await using doors = await withAgents();
  const one = await doors.connect('same name', 'one');
  const two = await doors.connect('same name', 'two');
  const person = await doors.connect('same name');
  const ids = {
    one: idOf(await one.callTool(read)),
    two: idOf(await two.callTool(read)),
    person: idOf(await person.callTool(read)),
  };
  const pending = [one, two, two].map((client) => client.callTool(ask).catch(() => null));
  await doors.gate.when(() => doors.gate.waiting.size === 3);

  const seen = async (agent?: string) => {
    const get = async (path: string) => (await (await doors.get(path, {}, agent)).json()) as Record<string, unknown>;
    const { calls } = (await get('/v1/calls')) as { calls: { callId: string; agent: string | null }[] };
    const { approvals } = (await get('/v1/approvals')) as { approvals: { agent: string | null }[] };
    const { running } = await get('/v1/status');
    return {
      calls: calls.map(({ callId }) => callId).toSorted(),
      approvals: approvals.map((each) => each.agent ?? '').toSorted(),
      running,
    };
  };
  expect(await seen('one')).toEqual({ calls: [ids.one], approvals: ['one'], running: 1 });
  expect(await seen('two')).toEqual({ calls: [ids.two], approvals: ['two', 'two'], running: 2 });
  expect(await seen()).toEqual({
    calls: [ids.one, ids.two, ids.person].toSorted(),
    approvals: ['one', 'two', 'two'],
    running: 3,
  });
  // A filter of one’s own can’t widen it.
  const filtered = await doors.get('/v1/calls?agent=two', {}, 'one');
  expect(await filtered.json()).toMatchObject({ calls: [{ callId: ids.one, agent: 'one' }] });
  const status = async (callId: string, agent?: string) => (await doors.get(`/v1/calls/${callId}`, {}, agent)).status;
  expect([await status(ids.one, 'one'), await status(ids.two, 'one'), await status(ids.person, 'one')]).toEqual([
    200, 404, 404,
  ]);
  const other = await doors.get(`/v1/calls/${ids.two}`, {}, 'one');
  const never = await doors.get('/v1/calls/no-such-call', {}, 'one');
  expect(await other.text()).toBe(await never.text());
  expect(await status(ids.two)).toBe(200);
  for (const call of doors.gate.waiting.values()) call.settle('done');
  await Promise.all(pending);
});

it('a session belongs to the token that opened it', async () => {
  await using doors = await withAgents();
  const client = new Client({ name: 'raw', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${doors.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${doors.tokens.get('one') ?? ''}` } },
  });
  await client.connect(transport);
  const request = (agent?: string) =>
    doors.get(
      '/mcp',
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': transport.sessionId ?? '',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'tools/list' }),
      },
      agent,
    );
  expect((await request('one')).status).toBe(200);
  expect((await request('two')).status).toBe(404);
  expect((await request()).status).toBe(404);
  await client.close();
});

it('an agent that is put out loses all that it has open, and no other loses anything', async () => {
  await using doors = await withAgents();
  doors.setWhenClientLeaves('keep');
  const one = await doors.connect('a', 'one');
  const two = await doors.connect('a', 'two');
  void one.callTool(ask).catch(() => null);
  const kept = two.callTool(ask).catch(() => null);
  await doors.gate.when(() => doors.gate.waiting.size === 2);
  doors.tokens.delete('one');
  doors.mcp.disconnectAgent('one');
  await doors.gate.when(() => doors.gate.settledCalls.length === 1);
  expect(doors.gate.settledCalls[0]).toMatchObject({ failure: { code: 'Cancelled' }, summary: { agent: 'one' } });
  expect([...doors.gate.waiting.values()].map(({ summary }) => summary.agent)).toEqual(['two']);
  expect(doors.mcp.clients().map(({ agent }) => agent)).toEqual(['two']);
  expect((await doors.get('/v1/status', {}, 'one')).status).toBe(401);
  for (const call of doors.gate.waiting.values()) call.settle('done');
  await kept;
});

it('changing the person’s own token puts no agent out', async () => {
  await using doors = await withAgents();
  const one = await doors.connect('a', 'one');
  await doors.connect('mine');
  doors.gateway.rotateToken();
  expect((await one.listTools()).tools).toHaveLength(3);
  expect(doors.mcp.clients().map(({ agent }) => agent)).toEqual(['one']);
});

it('the gateway bounds what one agent has open, with 429 and when to try again; others and the person are not affected', async () => {
  await using doors = await withAgents({
    mcp: { agentLimits: { sessions: () => 2, recordedTooMuch: () => null } },
    intake: { atOnce: 4, readsAtOnce: 2, bytes: { burst: 20_000, perSecond: 1 } },
  });
  await doors.connect('a', 'one');
  await doors.connect('b', 'one');
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  });
  const post = (body: string, agent?: string) =>
    doors.get(
      '/mcp',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body,
      },
      agent,
    );
  const third = await post(initialize, 'one');
  expect(third.status).toBe(429);
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await third.json()).toMatchObject({ error: { code: 'LimitsExceeded' } });
  for (const name of ['c', 'd', 'e']) await doors.connect(name);
  await doors.connect('a', 'two');

  const tooMuch = await post('x'.repeat(30_000), 'two');
  expect(tooMuch.status).toBe(400);
  const after = await post(initialize, 'two');
  expect(after.status).toBe(429);
  expect(await after.json()).toMatchObject({ error: { code: 'LimitsExceeded' } });
  expect((await doors.get('/v1/status', {}, 'one')).status).toBe(200);
  expect((await doors.get('/v1/status')).status).toBe(200);
});

it('the gateway takes no call of an agent of which too much was recorded, and answers all else', async () => {
  await using doors = await withAgents({
    mcp: {
      agentLimits: {
        sessions: () => 64,
        recordedTooMuch: (agent) => (agent === 'one' ? { why: 'Too much was recorded.', retrySeconds: 7 } : null),
      },
    },
  });
  const one = await doors.connect('a', 'one');
  const two = await doors.connect('a', 'two');
  await expect(one.callTool(read)).rejects.toThrow(/LimitsExceeded/u);
  expect((await one.listTools()).tools).toHaveLength(3);
  expect((await two.callTool(read)).isError).toBeUndefined();
  expect(doors.gate.requests.map(({ asker }) => asker.agent)).toEqual(['two']);
});
