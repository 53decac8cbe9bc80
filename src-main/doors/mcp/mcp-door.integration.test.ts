import { describe, expect, it } from 'vitest';
import { openDoors } from '../doors.test-support.js';
import { textOf, rpc, initialize, callOf, openSession } from './mcp-door.test-support.js';

const metaOf = (result: object): Readonly<Record<string, unknown>> => {
  const { _meta: meta } = result as { readonly _meta?: Readonly<Record<string, unknown>> };
  return meta ?? {};
};

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
});
