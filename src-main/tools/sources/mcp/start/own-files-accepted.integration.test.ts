import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { Source } from '../../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../../domain/tool/tool.js';
import type { FollowedSource } from '../../catalog/followed-source.js';
import { openTestSources, type TestSources } from '../mcp.test-support.js';

/** A server that says what the file beside it says, which key it has, and whether it reaches an address that it is given. */
const SERVER = `
import { createInterface } from 'node:readline';
import { request } from 'node:http';
import { words } from './lib.mjs';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const proxied = (url) => new Promise((resolve) => {
  const proxy = new URL(process.env.http_proxy ?? 'http://127.0.0.1:1/');
  request({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, (answer) => resolve(String(answer.statusCode))).on('error', () => resolve('nothing')).end();
});
if (process.argv[2] === 'knock') process.stderr.write('reached ' + (await proxied(process.argv[3])) + ' with ' + (process.env.KEY ?? 'no key') + '\\n');
if (process.argv[2] === 'wants' && process.env.KEY === undefined) { console.error('Give me a KEY.'); process.exit(1); }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1.0.0' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [{ name: 'say', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'unknown' } });
  send({ id, result: { content: [{ type: 'text', text: words + ' ' + (process.env.KEY ?? 'no key') }] } });
});
`;

interface Stage extends AsyncDisposable {
  readonly sources: TestSources;
  readonly settings: Omit<SourceSettings, 'kind'>;
  readonly lib: string;
}

async function stage(more: Omit<SourceSettings, 'kind'> = {}): Promise<Stage> {
  const sources = await openTestSources({ kept: 's3cr3t' });
  const folder = join(sources.programs.runner.workspace, 'mcp');
  mkdirSync(folder);
  const [server, lib] = [join(folder, 'server.mjs'), join(folder, 'lib.mjs')];
  writeFileSync(server, SERVER);
  writeFileSync(lib, `export const words = 'accepted';`);
  const settings = { command: 'node', args: [server], env: { KEY: 'secret:kept' }, ...more };
  return { sources, settings, lib, [Symbol.asyncDispose]: () => sources[Symbol.asyncDispose]() };
}

const accept = async (followed: FollowedSource): Promise<void> => {
  await followed.refresh();
  expect(followed.accept(followed.review(() => null)?.digest ?? '', null, () => null)).not.toBeNull();
};

async function say({ sources }: Stage, followed: FollowedSource): Promise<string> {
  const tool = followed.accepted.tools.get('peer.say') ?? expect.fail('never accepted');
  try {
    // By way of what was accepted, as a call goes; the rest of its context is the source's own.
    const call: Source['call'] = async (invocation) => followed.call(tool, {}, invocation as never);
    const asked: Source = { ...followed.source, call };
    return (await sources.callAs(asked, tool.operation)).content;
  } catch (error) {
    return error instanceof ToolFailure ? error.failure.code : String(error);
  }
}

it('what a server loads beside its entry is accepted with it: changed, it is not started, wherever it is called from', async () => {
  await using on = await stage();
  const followed = on.sources.follow(on.settings);
  await accept(followed);
  expect(await say(on, followed)).toBe('accepted s3cr3t');
  const starts = () => on.sources.programs.recorded.started.length;
  const before = starts();
  writeFileSync(on.lib, `export const words = 'swapped';`);
  expect(await say(on, followed)).toBe('ToolChanged');
  // Its folder is closed, the app was started anew: it is what was accepted, or nothing.
  on.sources.openFolders = [];
  const later = on.sources.follow(on.settings, followed.accepted);
  expect(await say(on, later)).toBe('ToolChanged');
  expect(starts()).toBe(before);
  writeFileSync(on.lib, `export const words = 'accepted';`);
  expect(await say(on, later)).toBe('accepted s3cr3t');
  // Gone, it is not the one either, though its copy is there.
  const opened = on.sources.follow(on.settings, followed.accepted);
  writeFileSync(on.lib, '');
  expect(await say(on, opened)).toBe('ToolChanged');
});

it('what changed is looked at without its key and offline, and with both once it is accepted', async () => {
  const seen: string[] = [];
  const web = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('ok');
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void web.close());
  const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
  await using on = await stage({ network: [host] });
  const settings = { ...on.settings, args: [...(on.settings.args ?? []), 'knock', `http://${host}/`] };
  const followed = on.sources.follow(settings);
  await accept(followed);
  expect(followed.source.state().complaints).toContain('reached 200 with s3cr3t');
  expect(seen).toHaveLength(1);
  writeFileSync(on.lib, `export const words = 'changed';`);
  await followed.refresh();
  expect(followed.source.state().complaints).toContain('reached 403 with no key');
  expect([followed.state, seen.length]).toEqual(['changed', 1]);
  await accept(followed);
  expect(await say(on, followed)).toBe('changed s3cr3t');
});

it('a server that can’t be pinned is told of, and has no key until a yes that names why', async () => {
  await using on = await stage();
  const [server = ''] = on.settings.args ?? [];
  const settings = { ...on.settings, command: 'sh', args: ['-c', 'exec node "$0"', server] };
  const followed = on.sources.follow({ ...settings, definitions: 'first' });
  await followed.refresh();
  expect(followed.remarks).toEqual(['Not pinned: What the text of “sh -c” runs is not looked at.']);
  // Nothing was taken as seen first, and nothing runs with the key.
  expect([followed.accepted.server, followed.standing]).toEqual([null, []]);
  const review = followed.review(() => null);
  expect(review?.server.offered).toMatchObject({ 'not pinned': ['What the text of “sh -c” runs is not looked at.'] });
  expect(review?.tools).toHaveLength(1);
  followed.accept(review?.digest ?? '', null, () => null);
  expect(await say(on, followed)).toBe('accepted s3cr3t');
  // Without a key and a network there is nothing to keep from it.
  const bare = on.sources.follow({ ...settings, env: {} });
  await accept(bare);
  expect(bare.accepted.server?.identity).not.toHaveProperty('not pinned');
});

it('a server that says nothing without its key is accepted by what it is, and its tools when it runs', async () => {
  await using on = await stage();
  const settings = { ...on.settings, args: [...(on.settings.args ?? []), 'wants'] };
  const followed = on.sources.follow(settings);
  await accept(followed);
  expect(await say(on, followed)).toBe('accepted s3cr3t');
  writeFileSync(on.lib, `export const words = 'changed';`);
  await followed.refresh();
  expect(followed.state).toBe('changed');
  expect(followed.remarks.join()).toContain('It did not say what it offers while it had no keys');
  expect(followed.review(() => null)?.tools.map(({ change }) => change)).toEqual(['gone']);
  await accept(followed);
  await expect.poll(() => followed.waiting.length).toBe(1);
  await accept(followed);
  expect(await say(on, followed)).toBe('changed s3cr3t');
});
