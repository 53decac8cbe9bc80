import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, makeFolder, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, watchForFaults } from './places.js';
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

/** One whose “picture” is a page with a script. */
const SVG = `
import { createInterface } from 'node:readline';
const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "x"</script></svg>').toString('base64');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') send(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'svg', version: '1.0.0' } });
  else if (method === 'tools/list') send(id, { tools: [{ name: 'draw', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] });
  else if (method === 'tools/call') send(id, { content: [{ type: 'image', mimeType: 'image/png', data: svg }] });
});
`;

test('A picture that a server gave is drawn in its call, and what only says that it is one is not', async ({
  launch,
}) => {
  const { page, electron, dataDir } = await launch({
    files: {},
    config: [
      accepted('everything', ['command = "node"', `args = [${JSON.stringify(EVERYTHING)}]`]),
      ...accepted('svg', ['command = "node"', `args = ${JSON.stringify(['--input-type=module', '-e', SVG])}`])
        .split('\n')
        .slice(2),
      '[[tools.approval.confirmed]]',
      'tool = "everything.*"',
    ].join('\n'),
  });
  const gateway = await gatewayOf(dataDir, electron.process().pid);
  const agent = await connectAgent(gateway);
  const names = async () => (await agent.listTools()).tools.map(({ name }) => name);
  await expect.poll(names).toEqual(expect.arrayContaining(['everything__get-tiny-image', 'svg__draw']));
  const faults = watchForFaults(page);
  const answer = await callTool(agent, 'everything__get-tiny-image', {});
  expect(answer.text).toMatch(/\[image image\/png, \d+ bytes: stored output 1\]/u);
  const lie = await callTool(agent, 'svg__draw', {});
  // Nothing can be sealed here: what is no picture isn’t kept.
  expect(lie.text).toContain('not kept');
  await agent.close();

  await goTo(page, 'History');
  const calls = page.getByRole('table', { name: 'Calls' });
  const gave = page.getByRole('region', { name: 'Pictures and files it gave' });
  await calls.locator('[data-tool="everything__get-tiny-image"]').getByRole('button').click();
  const picture = gave.getByRole('img', { name: 'Stored output 1' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expectAccessible(page);
  await picture.scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'call-picture');
  const saved = join(makeFolder('saved'), 'picture.png');
  await electron.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = async () => ({ canceled: false, filePath });
  }, saved);
  await gave.getByRole('button', { name: /^Save…/ }).click();
  await expect(gave).toContainText(`Saved as ${saved}`);
  expect(readFileSync(saved).subarray(1, 4).toString()).toBe('PNG');

  await calls.locator('[data-tool="svg__draw"]').getByRole('button').click();
  await expect(gave).toHaveCount(0);
  const status = (callId: string, number: number) =>
    page.evaluate(async ([id, at]) => (await fetch(`gatehouse://app/kept/${id}/${at}`)).status, [
      callId,
      number,
    ] as const);
  expect(faults()).toEqual([]);
  expect(await status(answer.callId, 1)).toBe(200);
  expect(await status(answer.callId, 2)).toBe(404);
  expect(await status(lie.callId, 1)).toBe(404);
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
