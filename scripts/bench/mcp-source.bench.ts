import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Compare, timed } from './harness.js';
import { startApp, until, withoutNode } from './running-app.js';

const SERVER = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
const ECHO = { message: 'hello' };

/**
 * A call of a local server through the whole of Gatehouse (gateway, gate, journal on disk, the server confined), and the same
 * call made directly: by the same way, over HTTP; and over the server’s own pipes, which has no way at all.
 */
export async function run(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const workspace = mkdtempSync(join(scratch, 'workspace-'));
  const data = join(scratch, 'data');
  const program = realpathSync(SERVER);
  mkdirSync(data, { mode: 0o700 });
  const source = ['[sources.everything]', 'kind = "mcp"', 'command = "node"', `args = [${JSON.stringify(program)}]`];
  const rules = ['definitions = "first"', 'approval = "annotations"', 'start = "with-app"'];
  writeFileSync(join(data, 'config.toml'), `${[...source, ...rules].join('\n')}\n`, { mode: 0o600 });
  const app = await startApp(data, workspace);
  const [through, overHttp, overPipes] = [newClient(), newClient(), newClient()];
  const ends: (() => unknown)[] = [];
  try {
    await through.connect(
      new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${app.token}` } },
      }),
    );
    await until(async () => ((await through.listTools()).tools.some(({ name }) => name === NAME) ? true : null));
    const everything = await startEverything(program);
    ends.push(() => everything.child.kill());
    await overHttp.connect(new StreamableHTTPClientTransport(new URL(everything.url)));
    await overPipes.connect(new StdioClientTransport({ command: 'node', args: [program], stderr: 'ignore' }));
    const subject = { name: 'through Gatehouse, journal on', sample: () => timed(() => echo(through, NAME)) };
    await compare({
      name: 'tools/call of a local server',
      unit: 'ms',
      subject,
      peer: { name: 'directly over HTTP', sample: () => timed(() => echo(overHttp, 'echo')) },
      warmUp: 30,
      samples: 200,
      goal: { atMost: 1.5 },
    });
    await compare({
      name: 'tools/call of a local server, against its pipes',
      unit: 'ms',
      subject,
      peer: { name: 'directly over pipes', sample: () => timed(() => echo(overPipes, 'echo')) },
      warmUp: 30,
      samples: 200,
    });
  } finally {
    for (const client of [through, overHttp, overPipes]) await client.close();
    for (const end of ends) end();
    await app.end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

const newClient = (): Client => new Client({ name: 'bench', version: '1' });

async function startEverything(program: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const child = spawn('node', [program, 'streamableHttp'], {
    stdio: 'ignore',
    env: { ...withoutNode(), PORT: String(port) },
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const isThere = (): Promise<true | null> =>
    fetch(url).then(
      () => true,
      () => null,
    );
  await until(isThere);
  return { child, url };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

const NAME = 'everything__echo';

async function echo(client: Client, name: string): Promise<void> {
  const result = await client.callTool({ name, arguments: ECHO });
  if (result.isError === true) throw new Error(JSON.stringify(result.content));
}
