import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Compare, timed } from './harness.js';
import { startApp, until, withoutNode } from './running-app.js';

const SAMPLE = resolve('resources/domains/calculator');
const AT_ONCE = 100;
const INPUT = { a: 2, b: 40 };

/**
 * `:run` of the sample’s calculator.add through the whole of Gatehouse (gateway, gate, journal on disk, the worker in its sandbox), and
 * the same worker called bare over HTTP: one after another, and a hundred at once.
 */
export async function run(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const [data, workspace, domain] = [join(scratch, 'data'), join(scratch, 'workspace'), join(scratch, 'domain')];
  for (const folder of [data, workspace]) mkdirSync(folder, { mode: 0o700 });
  cpSync(SAMPLE, domain, { recursive: true });
  const bare = await startBare(join(domain, 'workers', 'calculator', 'main.mjs'));
  const app = await startApp(data, workspace, ['--domain', domain]);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const headers = { authorization: `Bearer ${app.token}` };
  const through = (): Promise<void> => post(agent, `${app.url}/v1/tools/calculator.add:run`, { input: INPUT }, headers);
  const meta = { trace_id: 't', tool_run_id: 'r', domain_id: 'calculator', deadline_ms: 4_000_000_000_000 };
  const straight = (): Promise<void> => post(agent, `${bare.url}/run`, { meta, input: INPUT }, {});
  const atOnce = (one: () => Promise<void>) => (): Promise<number> =>
    timed(() => Promise.all(Array.from({ length: AT_ONCE }, one)));
  try {
    await through();
    await compare({
      name: ':run of calculator.add',
      unit: 'ms',
      subject: { name: 'through Gatehouse, journal on', sample: () => timed(through) },
      peer: { name: 'the worker, called bare', sample: () => timed(straight) },
      warmUp: 50,
      samples: 300,
    });
    await compare({
      name: `:run of calculator.add, ${AT_ONCE} at once`,
      unit: 'ms',
      subject: { name: 'through Gatehouse, journal on', sample: atOnce(through) },
      peer: { name: 'the worker, called bare', sample: atOnce(straight) },
      warmUp: 3,
      samples: 20,
      goal: { atMost: 1 / 0.6 },
    });
  } finally {
    agent.destroy();
    bare.child.kill();
    await app.end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function post(agent: Agent, url: string, body: object, headers: Readonly<Record<string, string>>): Promise<void> {
  const text = JSON.stringify(body);
  const { promise, resolve: done, reject } = Promise.withResolvers<void>();
  const asked = request(url, {
    method: 'POST',
    agent,
    headers: { ...headers, 'content-length': Buffer.byteLength(text) },
  });
  asked.once('error', reject);
  asked.once('response', (response) => {
    let said = '';
    response.on('data', (part: Buffer) => (said += part.toString()));
    response.once('end', () =>
      response.statusCode === 200 ? done() : reject(new Error(`HTTP ${response.statusCode}: ${said}`)),
    );
  });
  asked.end(text);
  return promise;
}

async function startBare(program: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await freePort();
  const child = spawn('node', [program], { stdio: 'ignore', env: { ...withoutNode(), PORT: String(port) } });
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/health`).then(
      () => true as const,
      () => null,
    ),
  );
  return { child, url };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
