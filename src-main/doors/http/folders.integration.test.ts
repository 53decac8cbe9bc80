import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import type { DoorFolders } from '../../domain/ports/door-folders.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { openTestGate, testFolder } from '../../tests/gate/gate.test-support.js';
import { any } from '../../tests/gate/gate-tools.test-support.js';
import { type Doors, openDoors } from '../doors.test-support.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** The real gate on two folders, the real door, and a window that shows one of them or none. */
async function twoFolders() {
  const [one, two] = [testFolder('one'), testFolder('two')];
  const gate = await openTestGate({ tools: [any(readFileTool)], workspace: one });
  await gate.openFolder(two);
  for (const folder of [one, two]) writeFileSync(join(folder, 'which.txt'), folder);
  const open = new Set([one, two]);
  const state = { shown: one };
  const mayUse: DoorFolders['mayUse'] = (agent, folder) => agent !== 'limited' || folder !== one;
  const folders: DoorFolders = {
    mayUse,
    resolveSessionFolder: async (named, agent) => {
      const folder = named ?? state.shown;
      return folder === '' || (open.has(folder) && mayUse(agent, folder)) ? folder : null;
    },
    openBeside: async () => null,
  };
  const doors = await openDoors({ folders, mcp: { gate: gate.gate } });
  onTestFinished(() => doors[Symbol.asyncDispose]());
  doors.tokens.set('limited', `token-of-limited-${'x'.repeat(30)}`);
  const close = (folder: string): void => {
    open.delete(folder);
    gate.closeFolder(folder);
  };
  return { doors, gate, one, two, state, close };
}

async function connected(doors: Doors, workspace?: string): Promise<Client> {
  const client = new Client({ name: 'c', version: '1' });
  const named = workspace === undefined ? {} : { 'gatehouse-workspace': workspace };
  const headers = { authorization: `Bearer ${doors.gateway.token}`, ...named };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${doors.url}/mcp`), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

const reads = async (client: Client): Promise<{ readonly text: string; readonly code: unknown }> => {
  const result = await client.callTool({ name: 'read_file', arguments: { path: 'which.txt' } });
  const [block] = result.content as readonly { readonly text: string }[];
  const { _meta: meta } = result;
  return { text: block?.text ?? '', code: meta?.['gatehouse/code'] };
};

const initialize = (doors: Doors, workspace?: string, agent?: string): Promise<Response> =>
  doors.get(
    '/mcp',
    {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(workspace === undefined ? {} : { 'gatehouse-workspace': workspace }),
      },
      body: JSON.stringify(INITIALIZE),
    },
    agent,
  );

it('a session works in the folder that it named, or that was current when it began, and never moves', async () => {
  const { doors, one, two, state } = await twoFolders();
  const [current, named] = [await connected(doors), await connected(doors, two)];
  state.shown = two;
  const later = await connected(doors);
  for (const round of [1, 2]) {
    expect([round, (await reads(current)).text]).toEqual([round, one]);
    expect((await reads(named)).text).toBe(two);
    expect((await reads(later)).text).toBe(two);
  }
  expect(doors.mcp.clients().map(({ folder }) => folder)).toEqual([one, two, two]);
});

it('a session that began while none was open takes the first that it finds, and keeps it', async () => {
  const { doors, one, two, state } = await twoFolders();
  state.shown = '';
  const client = await connected(doors);
  expect(await reads(client)).toMatchObject({ code: 'Disabled' });
  state.shown = two;
  expect((await reads(client)).text).toBe(two);
  state.shown = one;
  expect((await reads(client)).text).toBe(two);
});

it('a folder that is closed, never was, or is another’s: 403 NotPermitted in the same words, and no session', async () => {
  const { doors, one, two, close } = await twoFolders();
  const client = await connected(doors, two);
  close(two);
  const answers = [
    await initialize(doors, two),
    await initialize(doors, '/no/such/folder'),
    await initialize(doors, one, 'limited'),
    // What is shown is not this agent's.
    await initialize(doors, undefined, 'limited'),
  ];
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(answers.map(({ headers }) => headers.get('mcp-session-id'))).toEqual([null, null, null, null]);
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ error: { code: 'NotPermitted' } });
  expect(doors.mcp.clients()).toHaveLength(1);
  // Who was there before is told so with each call.
  expect(await reads(client)).toMatchObject({ code: 'NotPermitted' });
});

it('a request without a session says in which folder it works; one that names a folder that is not open is refused', async () => {
  const { doors, one, two, state } = await twoFolders();
  const call = async (workspace?: string) => {
    const answer = await doors.get('/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'read_file',
        ...(workspace === undefined ? {} : { 'gatehouse-workspace': workspace }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'read_file',
          arguments: { path: 'which.txt' },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  expect((await call(two)).text).toContain(two);
  expect((await call(one)).text).toContain(one);
  state.shown = two;
  expect((await call()).text).toContain(two);
  const refused = await call('/no/such/folder');
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('NotPermitted');
});
