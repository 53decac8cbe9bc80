import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realpathSync } from 'node:fs';
import { expect, test } from './app.js';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';

const EVERYTHING = realpathSync('node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const accepted = (name: string, lines: readonly string[]): string =>
  [
    '[gateway]',
    'enabled = true',
    `[sources.${name}]`,
    'kind = "mcp"',
    'definitions = "first"',
    'approval = "annotations"',
    'start = "with-app"',
    ...lines,
  ].join('\n');

test('An agent calls a local server through Gatehouse, and the server is confined', async ({ launch }) => {
  const { electron, dataDir } = await launch({
    files: {},
    config: accepted('everything', ['command = "node"', `args = [${JSON.stringify(EVERYTHING)}]`]),
  });
  const gateway = await gatewayOf(dataDir, electron.process().pid);
  const agent = await connectAgent(gateway);
  await expect.poll(async () => (await agent.listTools()).tools.map(({ name }) => name)).toContain('everything__echo');
  const answer = await callTool(agent, 'everything__echo', { message: 'all the way' });
  expect(answer.isError).toBe(false);
  expect(answer.text).toContain('all the way');
  const call = await ask<{ confinement: string; toolId: string }>(gateway, `/v1/calls/${answer.callId}`);
  expect(call).toMatchObject({ confinement: 'confined', toolId: 'everything.echo' });
  const { sources } = await ask<{ sources: readonly object[] }>(gateway, '/v1/sources');
  expect(sources).toEqual([expect.objectContaining({ name: 'everything', kind: 'mcp', state: 'running' })]);
  await agent.close();
});

test('A call that was under way when the app was killed may have run, and is never sent again', async ({ launch }) => {
  let calls = 0;
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      // Takes it, and does not answer.
      if (method === 'tools/call') calls += 1;
      else answerWith(response, id, method);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const config = accepted('counter', [`url = ${JSON.stringify(url)}`]);
  const first = await launch({ files: {}, config });
  const agent = await connectAgent(await gatewayOf(first.dataDir, first.electron.process().pid));
  await expect.poll(async () => (await agent.listTools()).tools.map(({ name }) => name)).toContain('counter__count');
  // Nobody answers it any more.
  void callTool(agent, 'counter__count', {}).catch(() => null);
  await expect.poll(() => calls).toBe(1);
  await first.kill();
  await agent.close();
  const { page, electron, dataDir } = await launch({ dataDir: first.dataDir, workspace: first.workspace });
  const dialog = page.getByRole('dialog', { name: 'Unfinished work' });
  await expect(dialog.locator('[data-standing="may-have-run"]')).toContainText('counter__count');
  await dialog.getByRole('button', { name: 'Resume with partial results' }).click();
  await expect(dialog).toHaveCount(0);
  const gateway = await gatewayOf(dataDir, electron.process().pid);
  const again = await connectAgent(gateway);
  await expect.poll(async () => (await again.listTools()).tools.map(({ name }) => name)).toContain('counter__count');
  expect(calls).toBe(1);
  await again.close();
  server.closeAllConnections();
  server.close();
});

function answerWith(response: ServerResponse, id: number | undefined, method: string): void {
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'counter', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'count', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
  };
  const result = results[method];
  if (id === undefined) return void response.writeHead(202).end();
  response.writeHead(200, { 'content-type': 'application/json' });
  const said = result === undefined ? { error: { code: -32_601, message: 'unknown' } } : { result };
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
}
