import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from '@playwright/test';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { ask, callTool, connectAgent, type GatewayFile, gatewayOf } from './agent.js';
import { expect, projectDir, test } from './app.js';
import { approveAll } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const isRoot = process.getuid?.() === 0;
const agents = (page: Page) => page.getByRole('region', { name: 'Agents', exact: true });

/** As a person does it: the token is shown this once. */
async function newAgent(page: Page, name: string): Promise<string> {
  await agents(page).getByRole('button', { name: 'New agent…' }).click();
  await agents(page).getByRole('textbox', { name: 'Name' }).fill(name);
  await agents(page).getByRole('button', { name: 'Create' }).click();
  const token = agents(page).getByRole('textbox', { name: 'Token' });
  await expect(agents(page).getByText(`Of ${name}.`)).toBeVisible();
  await expect(token).not.toBeEditable();
  return await token.inputValue();
}

const listed = async (as: GatewayFile): Promise<readonly string[]> => {
  const { calls } = await ask<{ calls: { callId: string }[] }>(as, '/v1/calls');
  return calls.map(({ callId }) => callId);
};
const statusOf = async ({ url, token }: GatewayFile, path: string): Promise<number> =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).status;

test('Each agent is its token: it sees its own, has no tool of the person’s, stalls nobody, and ends when it is revoked', async ({
  launch,
}) => {
  const config = `[tools.approval]
mode = "auto"
prompt_side_effects = false
allowlist = ["read_file", "undo_changes"]
denylist = ["list_directory"]
[[tools.approval.confirmed]]
tool = "undo_changes"
[[tools.approval.confirmed]]
tool = "run_command"
command = "sleep 600"
[tools.run_command]
confinement = "off"
[[gateway.clients]]
name = "two"
access = "ask"
`;
  const first = await launch({ files: { 'hello.txt': 'hello\n' }, config, flags: ['--gateway'] });
  const { page, dataDir, workspace } = first;
  const own = await gatewayOf(dataDir, first.pid);
  await goTo(page, 'Agents');
  const one = { ...own, token: await newAgent(page, 'one') };
  const two = { ...own, token: await newAgent(page, 'two') };
  await expectAccessible(page);
  await keepScreenshot(page, 'agents');
  const kept = readFileSync(join(dataDir, 'agents.json'), 'utf8');
  expect(kept).not.toContain(one.token);
  expect(statSync(join(dataDir, 'agents.json')).mode & 0o777).toBe(0o600);

  // Each sees its own.
  const clientOne = await connectAgent(one, 'same name');
  const clientTwo = await connectAgent(two, 'same name');
  const wrote = await callTool(clientOne, 'write_file', { path: 'made.txt', content: 'made\n' });
  expect(wrote).toMatchObject({ isError: false });
  // Asked about, by its token's name, whatever it calls itself.
  const pending = callTool(clientTwo, 'read_file', { path: 'hello.txt' });
  const dialog = page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(dialog).toContainText('two (calls itself same name');
  expect(await ask(one, '/v1/approvals')).toEqual({ approvals: [] });
  expect(await ask(two, '/v1/approvals')).toMatchObject({ approvals: [{ agent: 'two' }] });
  expect(await ask(one, '/v1/status')).toMatchObject({ pending: 0 });
  expect(await ask(two, '/v1/status')).toMatchObject({ pending: 1 });
  await approveAll(page);
  const read = await pending;
  expect(read).toMatchObject({ text: 'hello\n' });
  expect(await listed(one)).toEqual([wrote.callId]);
  expect(await listed(two)).toEqual([read.callId]);
  expect((await listed(own)).toSorted()).toEqual([wrote.callId, read.callId].toSorted());
  expect(await statusOf(two, `/v1/calls/${wrote.callId}`)).toBe(404);
  expect(await statusOf(one, `/v1/calls/${wrote.callId}`)).toBe(200);

  // What is the person's own does not exist for it, though everything here would let it run.
  expect((await clientOne.listTools()).tools.map(({ name }) => name)).not.toContain('list_directory');
  expect(await callTool(clientOne, 'list_directory', { path: '.' })).toMatchObject({ code: 'Denylisted' });
  for (const paths of [undefined, ['made.txt'], ['./made.txt']])
    expect(await callTool(clientOne, 'undo_changes', { callId: wrote.callId, ...(paths && { paths }) })).toMatchObject({
      isError: true,
      code: 'UnknownTool',
    });
  expect(readFileSync(join(workspace, 'made.txt'), 'utf8')).toBe('made\n');

  // Four megabytes of ids: refused unparsed, and everybody else goes on. It took 44 seconds of everybody's time.
  const batch = `[${Array.from({ length: 100_000 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"m":1}`).join(',')}]`;
  const refused = await fetch(`${one.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${one.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: batch,
  });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { data: { code: 'LimitsExceeded' } } });
  await expect(agents(page)).toBeVisible();

  // Revoked: what it runs ends, the token is good for nothing, and another's stays, over a restart too.
  const running = callTool(clientOne, 'run_command', { command: 'sleep 600' }).catch(() => null);
  await expect.poll(() => ask(one, '/v1/status')).toMatchObject({ running: 1 });
  expect(await ask(two, '/v1/status')).toMatchObject({ running: 0 });
  await agents(page).getByRole('button', { name: 'Revoke token of one' }).click();
  await expect.poll(() => statusOf(one, '/v1/status')).toBe(401);
  await expect
    .poll(async () => (await ask<{ calls: object[] }>(own, '/v1/calls?limit=1&agent=one')).calls)
    .toMatchObject([{ tool: 'run_command', code: 'Cancelled', agent: 'one' }]);
  expect(await statusOf(two, '/v1/status')).toBe(200);
  await clientTwo.close();
  await clientOne.close();
  await running;
  await first.close();
  const second = await launch({ dataDir, workspace, flags: ['--gateway'] });
  const again = await gatewayOf(dataDir, second.pid);
  expect(again.token).toBe(own.token);
  expect(await statusOf({ ...two, url: again.url }, '/v1/status')).toBe(200);
  expect(await statusOf({ ...one, url: again.url }, '/v1/status')).toBe(401);
});

const bridgeArgs = (dataDir: string, more: readonly string[] = []): string[] => [
  projectDir,
  ...(isRoot ? ['--no-sandbox'] : []),
  '--mcp-stdio',
  '--data-dir',
  dataDir,
  ...more,
];

function plainEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries.filter(([name]) => name !== 'ELECTRON_RUN_AS_NODE'));
}

/** Somebody else on this machine, who listens where the app did, and says each time that anything reaches them. */
async function stranger(port: number): Promise<{ readonly heard: () => string; readonly end: () => void }> {
  const script = `
import socketserver
class Listener(socketserver.BaseRequestHandler):
    def handle(self):
        print("connected", flush=True)
        print(self.request.recv(65536), flush=True)
socketserver.ThreadingTCPServer.allow_reuse_address = True
server = socketserver.ThreadingTCPServer(("127.0.0.1", ${port}), Listener)
print("listening", flush=True)
server.serve_forever()`;
  // A program of the system's: the project may lie in a home that they can't look into.
  const child = spawn('python3', ['-c', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  let heard = '';
  child.stdout.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  await expect.poll(() => heard).toBe('listening\n');
  return { heard: () => heard, end: () => void child.kill() };
}

test('The pipe needs no gateway, and sends nothing to who listens where a killed app did', async ({ launch }) => {
  const first = await launch({ files: { 'hello.txt': 'hello\n' }, flags: ['--gateway'] });
  const { dataDir, workspace } = first;
  const before = await gatewayOf(dataDir, first.pid);
  await first.kill();
  expect(existsSync(join(dataDir, 'gateway.json'))).toBe(true);

  const other = await stranger(Number(new URL(before.url).port));
  // Without a display it can start none.
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...blind } = plainEnvironment();
  rmSync(join(dataDir, 'run', 'display.json'), { force: true });
  const alone = spawn(electronExecutable(), bridgeArgs(dataDir), { env: blind, stdio: 'ignore' });
  expect(await once(alone, 'exit')).toEqual([1, null]);
  expect(other.heard()).toBe('listening\n');

  // The app again, and it serves no HTTP.
  const second = await launch({ dataDir, workspace });
  const connect = async (more: readonly string[]): Promise<Client> => {
    const client = new Client({ name: 'piped', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: electronExecutable(),
        args: bridgeArgs(dataDir, more),
        env: plainEnvironment(),
        cwd: workspace,
        stderr: 'ignore',
      }),
    );
    return client;
  };
  const named = await connect(['--agent', 'builder']);
  expect(await callTool(named, 'read_file', { path: 'hello.txt' })).toMatchObject({ text: 'hello\n' });
  expect(await callTool(named, 'undo_changes', { callId: 'x' })).toMatchObject({ code: 'UnknownTool' });
  expect(existsSync(join(dataDir, 'gateway.json'))).toBe(false);
  await goTo(second.page, 'Agents');
  const builder = second.page.getByRole('list', { name: 'Agents' }).getByRole('listitem', { name: 'builder' });
  await expect(builder).toContainText('Connected');
  await expect(builder).toContainText('piped 1');
  await expect(builder).toContainText('New: has no token and no rules');
  const socket = statSync(join(dataDir, 'run', 'app.sock'));
  expect([socket.isSocket(), socket.mode & 0o777]).toEqual([true, 0o600]);
  expect(other.heard()).toBe('listening\n');
  await named.close();

  // What the stranger might have been given by others is good for nothing any more.
  await second.page.getByRole('switch', { name: 'Serve MCP and HTTP' }).click();
  const after = await gatewayOf(dataDir, second.pid);
  expect(after.token).not.toBe(before.token);
  expect(await statusOf({ ...after, token: before.token }, '/v1/status')).toBe(401);
  other.end();
});
