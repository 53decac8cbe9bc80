import { expect, it } from 'vitest';
import { openDoors } from '../doors.test-support.js';
import { call, end, never, startBridge } from '../stdio/mcp-stdio.test-support.js';

const outputs = { read: async (callId: string) => ({ text: `said by ${callId}\n`, complete: true }) };
const FIND_CALL_ID = /"gatehouse\/callId":"([^"]+)"/u;
const NONE = { message: expect.stringContaining('There is no stored output') as string };

it('what a call stored is read by the pipe that made it, and by no other that gives the same name', async () => {
  await using doors = await openDoors({ mcp: { outputs } });
  const [first, second] = [1, 2].map(() => startBridge(doors.dataDir, null, never, 'builder'));
  if (first === undefined || second === undefined) throw new Error('two were started');
  for (const bridge of [first, second]) await bridge.introduce('the same');
  const made = await first.ask(1, 'tools/call', call('read_file', { path: 'hello.txt' }));
  const [, callId = ''] = FIND_CALL_ID.exec(JSON.stringify(made.result)) ?? [];
  const uri = `gatehouse://calls/${callId}/stdout`;
  expect(doors.mcp.clients()).toMatchObject([{ agent: 'builder' }, { agent: 'builder' }]);
  expect((await first.ask(2, 'resources/read', { uri })).result).toMatchObject({
    contents: [{ text: `said by ${callId}\n` }],
  });
  expect((await second.ask(2, 'resources/read', { uri })).error).toMatchObject(NONE);
  await end(first);
  expect((await second.ask(3, 'resources/read', { uri })).error).toMatchObject(NONE);
  await end(second);
});

it('without sessions a stored output is read with the token that made it, and not with another under the same client name', async () => {
  await using doors = await openDoors({ mcp: { outputs } });
  doors.tokens.set('builder', 'token-of-builder').set('other', 'token-of-other');
  const ask = async (method: string, params: object, agent?: string) => {
    const response = await doors.get(
      '/mcp',
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
          ...('uri' in params ? { 'mcp-name': String(params.uri) } : {}),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method,
          params: {
            ...params,
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'the same', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      },
      agent,
    );
    const text = await response.text();
    return text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 'data: '.length);
  };
  const made = await ask('tools/call', call('read_file', { path: 'hello.txt' }), 'builder');
  const [, callId = ''] = FIND_CALL_ID.exec(made) ?? [];
  const read = (agent?: string) => ask('resources/read', { uri: `gatehouse://calls/${callId}/stdout` }, agent);
  expect(await read('builder')).toContain(`said by ${callId}`);
  expect(await read('other')).toContain('There is no stored output');
  expect(await read()).toContain('There is no stored output');
  // Revoked: whoever is given the name then is another.
  doors.mcp.disconnectAgent('builder');
  doors.tokens.set('builder', 'token-of-another');
  expect(await read('builder')).toContain('There is no stored output');
});
