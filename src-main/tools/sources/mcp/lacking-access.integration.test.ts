import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ToolFailure } from '../../../domain/tool/tool.js';
import type { Source } from '../../../domain/ports/sources/source.js';
import { always, openTestSources, type TestSources } from './mcp.test-support.js';

/** A server that asks the proxy of its environment for an address, and says that it failed where it got nothing. */
const ASKS = `
import { createInterface } from 'node:readline';
import { request } from 'node:http';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const fetched = (url) => new Promise((resolve) => {
  const proxy = new URL(process.env.http_proxy ?? 'http://127.0.0.1:1/');
  request({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, (answer) => resolve(answer.resume().statusCode)).on('error', () => resolve(0)).end();
});
if (process.argv[2] === 'at-start') { await fetched('http://setup.example/'); console.error('Error: setup failed'); process.exit(1); }
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'asks', version: '1.0.0' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [{ name: 'get', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'unknown' } });
  const { url, isError = true, words } = params.arguments;
  if (words === undefined) await fetched(url);
  send({ id, result: { isError, content: [{ type: 'text', text: words ?? 'fetch failed' }] } });
});
`;

async function wordsOf(
  sources: TestSources,
  source: Source,
  tool: string,
  args: Record<string, unknown>,
): Promise<string> {
  try {
    return (await sources.call(source, tool, args as never)).warnings.join();
  } catch (error) {
    return error instanceof ToolFailure ? error.failure.message : String(error);
  }
}

it.each([
  { network: [], line: 'network = ["api.example:80"] under [sources.peer]' },
  { network: ['other.example:443'], line: 'network = ["other.example:443", "api.example:80"] under [sources.peer]' },
])(
  'a call that fails for want of a network names the host as the proxy saw it, and the line to set: $network',
  async ({ network, line }) => {
    await using sources = await openTestSources();
    const source = sources.open({ ...(await sources.script(ASKS)), network });
    const words = await wordsOf(sources, source, 'get', { url: 'http://api.example/' });
    expect(words).toContain('fetch failed');
    expect(words).toContain('It asked for api.example:80, which it may not reach.');
    expect(words).toContain(line);
    // Of this call alone, and where it says that all is well, too.
    expect(await wordsOf(sources, source, 'get', { words: 'no such thing' })).not.toContain('api.example');
    expect(await wordsOf(sources, source, 'get', { url: 'http://next.example:81/', isError: false })).toContain(
      'next.example:81',
    );
    expect(source.state().confinement).toBe(network.length === 0 ? 'confined' : 'network');
  },
);

it('a server that fails for want of a network at its start names it, too', async () => {
  await using sources = await openTestSources();
  const script = await sources.script(ASKS);
  const source = sources.open({ ...script, args: [...(script.args ?? []), 'at-start'] });
  await expect(source.offer(always)).rejects.toThrow(
    /setup failed.*setup\.example:80, which it may not reach.*network = \["setup\.example:80"\]/u,
  );
});

it('where only a server’s own words speak of a network, they are quoted', async () => {
  await using sources = await openTestSources();
  const source = sources.open(await sources.script(ASKS));
  const words = await wordsOf(sources, source, 'get', { words: 'TypeError: getaddrinfo EAI_AGAIN api.example' });
  expect(words).toContain('It has no network, and said “getaddrinfo EAI_AGAIN api.example”.');
  const other = sources.open({ ...(await sources.script(ASKS)), network: ['other.example:443'] });
  expect(await wordsOf(sources, other, 'get', { words: 'fetch failed' })).not.toContain('It has no network');
});

it('a write in a program’s own folder says where it may write', async () => {
  await using sources = await openTestSources();
  const entry = realpathSync('node_modules/@modelcontextprotocol/server-memory/dist/index.js');
  const source = sources.open({ command: 'node', args: [entry] }, 'memory');
  const words = await wordsOf(sources, source, 'create_entities', {
    entities: [{ name: 'a', entityType: 'b', observations: [] }],
  });
  expect(words).toContain('EROFS');
  expect(words).toContain(
    `a place below ${join(realpathSync(sources.programs.runner.outputs), 'sources', 'memory', 'home')}`,
  );
});
