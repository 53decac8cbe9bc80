import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { type GatewayAddress, readGatewayAddress } from '../../platform/data-folder/gateway-file.js';

/** The built app and the bridge as they are started in earnest, killed where it hurts. */
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Reply {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: {
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
    readonly tools?: readonly { readonly name: string }[];
  };
  readonly error?: { readonly message: string };
}

function start(flags: readonly string[], display = true, more: NodeJS.ProcessEnv = {}, cwd?: string): ChildProcess {
  const env = { ...process.env, ...more };
  delete env['ELECTRON_RUN_AS_NODE'];
  if (!display) for (const name of ['DISPLAY', 'WAYLAND_DISPLAY']) delete env[name];
  const child = spawn(process.execPath, [resolve('.'), ...asRoot, ...flags], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  ends.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  });
  return child;
}

function places(): { readonly dataDir: string; readonly workspace: string } {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-app-'));
  ends.push(() => rmSync(root, { recursive: true, force: true, maxRetries: 10 }));
  const workspace = mkdtempSync(join(root, 'workspace-'));
  writeFileSync(join(workspace, 'hello.txt'), 'hello\n');
  return { dataDir: join(root, 'data'), workspace };
}

/** A pipe that was started in a folder. */
const startIn = (cwd: string, flags: readonly string[], display = true): ChildProcess =>
  start(['--mcp-stdio', ...flags], display, {}, cwd);

/** The address of an app other than the one that ran before. */
async function serving(dataDir: string, before: GatewayAddress | null = null): Promise<GatewayAddress> {
  const isNew = (): boolean => {
    const address = readGatewayAddress(dataDir);
    return address !== null && address.pid !== before?.pid;
  };
  await expect.poll(isNew, { timeout: 60_000 }).toBe(true);
  const address = readGatewayAddress(dataDir);
  if (address === null) throw new Error('It stopped serving.');
  return address;
}

async function get(address: GatewayAddress, path: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${address.url}${path}`, { headers: { authorization: `Bearer ${address.token}` } });
  return (await answer.json()) as Record<string, unknown>;
}

/** A client that speaks to `--mcp-stdio` over its pipes. Every line of stdout has to be a message. */
function pipe(child: ChildProcess) {
  const replies: Reply[] = [];
  if (child.stdout === null || child.stdin === null) throw new Error('No pipes.');
  const { stdin } = child;
  createInterface({ input: child.stdout }).on('line', (line) => replies.push(JSON.parse(line) as Reply));
  const send = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answerTo = async (id: unknown): Promise<Reply> => {
    const find = (): Reply | undefined => replies.find((reply) => reply.id === id && reply.method === undefined);
    await expect.poll(() => find() !== undefined, { timeout: 60_000 }).toBe(true);
    return find() ?? {};
  };
  return {
    send,
    answerTo,
    ask(id: unknown, method: string, params: object = {}): Promise<Reply> {
      send({ id, method, params });
      return answerTo(id);
    },
    async introduce(): Promise<void> {
      const clientInfo = { name: 'piped', version: '1' };
      await this.ask('hello', 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
    },
    async leave(): Promise<number | null> {
      stdin.end();
      if (child.exitCode === null) await once(child, 'exit');
      return child.exitCode;
    },
  };
}

const write = { name: 'write_file', arguments: { path: 'new.txt', content: 'new\n' } };

describe('--mcp-stdio and the app, as processes', () => {
  it('starts the app when none runs; the app outlives it', async () => {
    const { dataDir, workspace } = places();
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'config.toml'), '[gateway]\nenabled = true\n');
    const client = pipe(start(['--mcp-stdio', '--data-dir', dataDir, '--workspace', workspace]));
    await client.introduce();
    const address = await serving(dataDir);
    ends.push(() => {
      process.kill(address.pid, 'SIGTERM');
    });
    expect((await client.ask(0, 'tools/list')).result?.tools?.map(({ name }) => name)).not.toContain(
      'test_simple_text',
    );
    const read = await client.ask(1, 'tools/call', { name: 'read_file', arguments: { path: 'hello.txt' } });
    expect(read.result?.content?.[0]?.text).toBe('hello\n');
    expect(await client.leave()).toBe(0);
    expect(await get(address, '/v1/status')).toMatchObject({ workspace, mode: 'enabled' });
    process.kill(address.pid, 'SIGTERM');
    await expect.poll(() => existsSync(join(dataDir, 'gateway.json')), { timeout: 30_000 }).toBe(false);
    ends.pop();
  });

  it('starts the app from an environment that knows no display, on the one that the app had last; knowing none, it ends', async () => {
    const { dataDir, workspace } = places();
    const blind = ['--mcp-stdio', '--data-dir', dataDir, '--workspace', workspace];
    const [code] = (await once(start(blind, false), 'exit')) as [number];
    expect(code).toBe(1);

    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'config.toml'), '[gateway]\nenabled = true\n');
    const before = start(['--gateway', '--data-dir', dataDir, '--workspace', workspace]);
    await serving(dataDir);
    before.kill('SIGTERM');
    await once(before, 'exit');
    const client = pipe(start(blind, false));
    await client.introduce();
    const address = await serving(dataDir);
    ends.push(() => {
      process.kill(address.pid, 'SIGTERM');
    });
    expect(await client.leave()).toBe(0);
  });

  it('needs no display itself, serves test tools only where they are asked for, and ends where it can start none', async () => {
    const { dataDir, workspace } = places();
    const alone = start(['--mcp-stdio', '--data-dir', dataDir], false);
    alone.stdin?.end();
    const [code] = (await once(alone, 'exit')) as [number];
    expect(code).toBe(1);
    start(['--gateway', '--data-dir', dataDir, '--workspace', workspace], true, { GATEHOUSE_TEST_TOOLS: '1' });
    await serving(dataDir);
    const client = pipe(startIn(workspace, ['--data-dir', dataDir], false));
    await client.introduce();
    const offered = (await client.ask(1, 'tools/list')).result?.tools?.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(['read_file', 'test_simple_text']));
    expect(await client.leave()).toBe(0);
  });

  it('goes to an app that serves no HTTP, and to the one after it that was killed', async () => {
    const { dataDir, workspace } = places();
    const flags = ['--data-dir', dataDir, '--workspace', workspace];
    const first = start(flags);
    const socket = join(dataDir, 'run', 'app.sock');
    await expect.poll(() => existsSync(socket), { timeout: 60_000 }).toBe(true);
    const before = pipe(startIn(workspace, ['--agent', 'builder', '--data-dir', dataDir]));
    await before.introduce();
    const read = { name: 'read_file', arguments: { path: 'hello.txt' } };
    expect((await before.ask(1, 'tools/call', read)).result?.content?.[0]?.text).toBe('hello\n');
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await gone;
    expect((await before.ask(2, 'tools/list')).error?.message).toContain('not running');
    // What a killed app leaves.
    expect(lstatSync(socket).isSocket()).toBe(true);
    start(flags);
    // It is replaced, or nobody would answer there.
    await expect
      .poll(async () => (await before.ask(randomUUID(), 'tools/call', read)).result?.content?.[0]?.text, {
        timeout: 60_000,
      })
      .toBe('hello\n');
    expect(existsSync(join(dataDir, 'gateway.json'))).toBe(false);
    expect(await before.leave()).toBe(0);
  });

  it('loses nothing when the app is killed while its client waits: asked again, and run by nobody', async () => {
    const { dataDir, workspace } = places();
    const flags = ['--gateway', '--data-dir', dataDir, '--workspace', workspace];
    const killed = start(flags);
    const before = await serving(dataDir);
    const client = pipe(startIn(workspace, ['--data-dir', dataDir]));
    await client.introduce();
    client.send({ id: 1, method: 'tools/call', params: write });
    const waiting = async (address: GatewayAddress): Promise<unknown[]> =>
      (await get(address, '/v1/approvals'))['approvals'] as unknown[];
    await expect.poll(() => waiting(before), { timeout: 30_000 }).toHaveLength(1);
    const [asked] = (await waiting(before)) as { readonly callId: string }[];

    killed.kill('SIGKILL');
    const lost = await client.answerTo(1);
    expect(lost.result?.isError).toBe(true);
    expect((await client.ask(2, 'tools/list')).error?.message).toContain('not running');

    start(flags);
    const after = await serving(dataDir, before);
    expect((await client.ask(3, 'tools/list')).result?.tools?.map(({ name }) => name)).toContain('write_file');
    await expect
      .poll(() => waiting(after), { timeout: 30_000 })
      .toMatchObject([{ callId: asked?.callId, tool: 'write_file', door: 'mcp', client: 'piped 1' }]);
    expect(existsSync(join(workspace, 'new.txt'))).toBe(false);
    expect(await get(after, '/v1/audit/verify')).toMatchObject({ ok: true });
    expect(await client.leave()).toBe(0);
  });

  it('two folders, two agents, one app, kill -9: each comes back to its own, and what waited is asked there', async () => {
    const { dataDir, workspace: one } = places();
    const { workspace: two } = places();
    const read = { name: 'read_file', arguments: { path: 'which.txt' } };
    for (const folder of [one, two]) writeFileSync(join(folder, 'which.txt'), realpathSync(folder));
    const killed = start(['--gateway', '--data-dir', dataDir, '--workspace', one]);
    const before = await serving(dataDir);
    // One says no folder, and works where it was started; the other's is opened beside it.
    const unsaid = pipe(startIn(one, ['--agent', 'first', '--data-dir', dataDir]));
    const beside = pipe(start(['--mcp-stdio', '--agent', 'second', '--data-dir', dataDir, '--workspace', two]));
    const reads = async (client: typeof unsaid): Promise<string | undefined> =>
      (await client.ask(randomUUID(), 'tools/call', read)).result?.content?.[0]?.text;
    for (const client of [unsaid, beside]) await client.introduce();
    expect([await reads(unsaid), await reads(beside)]).toEqual([one, two]);
    expect(await get(before, '/v1/status')).toMatchObject({ workspace: one, workspaces: [one, two] });
    const waiting = async (address: GatewayAddress) =>
      (await get(address, '/v1/approvals'))['approvals'] as readonly {
        readonly callId: string;
        readonly agent: string;
      }[];
    for (const client of [unsaid, beside]) client.send({ id: 'waits', method: 'tools/call', params: write });
    await expect.poll(async () => (await waiting(before)).length, { timeout: 30_000 }).toBe(2);
    const asked = await waiting(before);

    killed.kill('SIGKILL');
    await Promise.all([unsaid, beside].map((client) => client.answerTo('waits')));
    start(['--gateway', '--data-dir', dataDir]);
    const after = await serving(dataDir, before);
    expect(await get(after, '/v1/status')).toMatchObject({ workspace: one, workspaces: [one, two] });
    await expect.poll(() => reads(unsaid), { timeout: 30_000 }).toBe(one);
    await expect.poll(() => reads(beside), { timeout: 30_000 }).toBe(two);
    await expect.poll(async () => (await waiting(after)).length, { timeout: 30_000 }).toBe(2);
    const known = (all: typeof asked) => all.map(({ callId, agent }) => `${agent} ${callId}`).toSorted();
    expect(known(await waiting(after))).toEqual(known(asked));
    expect(await get(after, '/v1/audit/verify')).toMatchObject({ ok: true });
    for (const client of [unsaid, beside]) expect(await client.leave()).toBe(0);
  });
});
