import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Compare, quantile, timed } from './harness.js';
import { peerScript } from './mcp-peers.js';
import { asRoot, executable, type RunningApp, startApp, stringsOf, until, withoutNode } from './running-app.js';

const asNode = { ...stringsOf(process.env), ELECTRON_RUN_AS_NODE: '1' };
const CLIENTS = 50;

/** The whole way: an agent's call, the bridge, the gateway, the gate, the journal on disk, and back. */
export async function run(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const workspace = mkdtempSync(join(scratch, 'workspace-'));
  writeFileSync(join(workspace, 'kilobyte.txt'), 'x'.repeat(1024));
  const app = await startApp(join(scratch, 'data'), workspace);
  const ends: (() => unknown)[] = [() => app.end()];
  try {
    const connect = async (transport: Parameters<Client['connect']>[0]): Promise<Client> => {
      const client = new Client({ name: 'bench', version: '1' });
      await client.connect(transport);
      ends.unshift(() => client.close());
      return client;
    };
    await overStdio(compare, connect, app, workspace);

    const http = (): Promise<Client> =>
      connect(
        new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${app.token}` } },
        }),
      );
    const ours = await http();
    const everything = await startEverything();
    ends.push(() => everything.child.kill());
    const echo = await connect(new StreamableHTTPClientTransport(new URL(everything.url)));
    await compare({
      name: 'tools/call over HTTP',
      unit: 'ms',
      subject: { name: 'read_file 1 KB, journal on', sample: () => timed(() => read(ours)) },
      peer: { name: 'server-everything’s echo', sample: () => timed(() => call(echo, 'echo', { message: 'hello' })) },
      warmUp: 30,
      samples: 200,
      goal: { atMost: 1.2 },
    });
    await manyAgainstOne(compare, await Promise.all(Array.from({ length: CLIENTS }, http)), ours);
  } finally {
    for (const end of ends) await end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Connect = (transport: Parameters<Client['connect']>[0]) => Promise<Client>;

async function overStdio(compare: Compare, connect: Connect, app: RunningApp, workspace: string): Promise<void> {
  const flags = [...asRoot, '--ozone-platform=headless', '--disable-gpu', '--mcp-stdio', '--data-dir', app.dataDir];
  const bridge = await connect(
    new StdioClientTransport({
      command: executable,
      args: [resolve('.'), ...flags],
      env: withoutNode(),
      cwd: workspace,
      stderr: 'ignore',
    }),
  );
  const filesystem = await connect(
    new StdioClientTransport({
      command: executable,
      args: [peerScript('@modelcontextprotocol/server-filesystem'), workspace],
      env: asNode,
      stderr: 'ignore',
    }),
  );
  const path = join(workspace, 'kilobyte.txt');
  await compare({
    name: 'tools/call of 1 KB over stdio',
    unit: 'ms',
    subject: { name: '--mcp-stdio, journal on', sample: () => timed(() => read(bridge)) },
    peer: { name: 'server-filesystem', sample: () => timed(() => call(filesystem, 'read_text_file', { path })) },
    warmUp: 30,
    samples: 200,
    goal: { atMost: 2 },
  });
}

async function manyAgainstOne(compare: Compare, many: readonly Client[], one: Client): Promise<void> {
  const volley = async (clients: readonly Client[], each: number): Promise<number[]> =>
    (await Promise.all(clients.map((client) => series(client, each)))).flat();
  await compare({
    name: `throughput, ${CLIENTS} clients against one`,
    unit: 'per s',
    subject: { name: `${CLIENTS} clients`, sample: () => perSecond(CLIENTS * 4, () => volley(many, 4)) },
    peer: { name: 'one client', sample: () => perSecond(200, () => volley([one], 200)) },
    warmUp: 1,
    samples: 5,
  });
  await compare({
    name: `p95 of a call, ${CLIENTS} clients against one`,
    unit: 'ms',
    subject: { name: `${CLIENTS} clients`, sample: async () => quantile(await volley(many, 4), 0.95) },
    peer: { name: 'one client', sample: async () => quantile(await volley([one], 200), 0.95) },
    warmUp: 1,
    samples: 5,
    goal: { atMost: 6 },
  });
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<void> {
  const result = await client.callTool({ name, arguments: args });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
}

const read = (client: Client): Promise<void> => call(client, 'read_file', { path: 'kilobyte.txt' });

/** One call after the other; how long each took. */
async function series(client: Client, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at += 1) times.push(await timed(() => read(client)));
  return times;
}

async function perSecond(calls: number, work: () => Promise<unknown>): Promise<number> {
  return (calls / (await timed(work))) * 1000;
}

async function startEverything(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const child = spawn(executable, [peerScript('@modelcontextprotocol/server-everything'), 'streamableHttp'], {
    stdio: 'ignore',
    env: { ...asNode, PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(() =>
    fetch(url).then(
      () => true,
      () => null,
    ),
  );
  return { child, url };
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
