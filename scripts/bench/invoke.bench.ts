import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { defaultConfig } from '../../src-main/tests/gate/default-config.test-support.js';
import { ToolRegistry } from '../../src-main/tools/registry/registry.js';
import { RegistryCatalog } from '../../src-main/tools/registry/tool-catalog.js';
import { manyTools } from '../../src-main/tools/registry/search/samples/sample-catalogue.test-support.js';
import { listRoute } from '../../src-main/doors/invoke/list-route.js';
import { ProgramFolders } from '../../src-main/doors/program-folders.js';
import { openDoors } from '../../src-main/doors/doors.test-support.js';
import { type Compare, type Measured, quantile, timed } from './harness.js';
import { type RunningApp, startApp } from './running-app.js';

const CONNECTIONS = 200;
const TOOLS = 1000;
const RUNNING = 100;

/** No other program does the same: what it may take at most stands beside it. */
const atMost = (ms: number): Measured => ({ name: 'what it may take', sample: () => ms });

/** Calls that programs ask for over HTTP, against the same over MCP. */
export async function run(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const workspace = mkdtempSync(join(scratch, 'workspace-'));
  writeFileSync(join(workspace, 'kilobyte.txt'), 'x'.repeat(1024));
  const app = await startApp(join(scratch, 'data'), workspace);
  try {
    await againstMcp(compare, app);
    await manyConnections(compare, app);
    await polled(compare, app);
  } finally {
    await app.end();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
  await listed(compare);
}

const READ = { tool_id: 'gatehouse.read_file', parameters: { path: 'kilobyte.txt' } };

async function againstMcp(compare: Compare, app: RunningApp): Promise<void> {
  const client = new Client({ name: 'bench', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${app.token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }));
  await compare({
    name: 'a read of 1 KB',
    unit: 'ms',
    subject: { name: '/v1/tool/invoke, sync', sample: () => timed(() => success(app, READ)) },
    peer: {
      name: 'tools/call over HTTP',
      sample: () => timed(() => client.callTool({ name: 'read_file', arguments: READ.parameters })),
    },
    warmUp: 30,
    samples: 200,
    goal: { atMost: 1.2 },
  });
  await client.close();
}

async function manyConnections(compare: Compare, app: RunningApp): Promise<void> {
  const one = new Agent({ keepAlive: true, maxSockets: 1 });
  const many = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const perSecond = async (agent: Agent, calls: number): Promise<number> => {
    const all = (): Promise<unknown> => Promise.all(Array.from({ length: calls }, () => success(app, READ, agent)));
    return (calls / (await timed(all))) * 1000;
  };
  await compare({
    name: `throughput, ${CONNECTIONS} connections against one`,
    unit: 'per s',
    subject: { name: `${CONNECTIONS} connections`, sample: () => perSecond(many, CONNECTIONS * 2) },
    peer: { name: 'one connection', sample: () => perSecond(one, 200) },
    warmUp: 1,
    samples: 5,
    goal: { atLeast: 0.8 * availableParallelism() },
  });
  one.destroy();
  many.destroy();
}

/** A hundred calls wait for the person meanwhile, each with its own sheet to come. */
async function polled(compare: Compare, app: RunningApp): Promise<void> {
  const options = { async_mode: true, require_approval: true };
  const asked = await Promise.all(
    Array.from({ length: RUNNING }, () => post(app, '/v1/tool/invoke', { ...READ, execution_options: options })),
  );
  const ids = asked.map((each) => String(each['invocation_id']));
  await compare({
    name: `a status poll while ${RUNNING} calls are under way`,
    unit: 'ms',
    subject: {
      name: 'p95 of twenty',
      sample: async () => {
        const times: number[] = [];
        for (const id of ids.slice(0, 20))
          times.push(await timed(() => post(app, '/v1/tool/status', { invocation_id: id })));
        return quantile(times, 0.95);
      },
    },
    peer: atMost(2),
    warmUp: 3,
    samples: 20,
    goal: { atMost: 1 },
  });
}

async function listed(compare: Compare): Promise<void> {
  const registry = new ToolRegistry();
  for (const tool of manyTools(TOOLS, 20)) registry.register(tool);
  const config = defaultConfig();
  const route = listRoute({
    catalog: new RegistryCatalog(registry, () => config),
    folders: new ProgramFolders({ resolveSessionFolder: async () => '/' }, null),
    finder: { find: () => Promise.reject(new Error('Nobody searches here.')) },
  });
  await using doors = await openDoors({ routes: [route] });
  const pages = async (): Promise<number> => {
    const times: number[] = [];
    for (let page = 1; page <= 20; page += 1) {
      const body = JSON.stringify({ pagination: { page, page_size: 20 } });
      times.push(await timed(async () => (await doors.get('/v1/tool/list', { method: 'POST', body })).json()));
    }
    return quantile(times, 0.95);
  };
  await compare({
    name: `a page of 20 of ${TOOLS} tools`,
    unit: 'ms',
    subject: { name: 'p95 of twenty pages', sample: pages },
    peer: atMost(10),
    warmUp: 2,
    samples: 20,
    goal: { atMost: 1 },
  });
}

async function success(app: RunningApp, body: object, agent?: Agent): Promise<void> {
  const answer = await post(app, '/v1/tool/invoke', body, agent);
  if (answer['status'] !== 'success') throw new Error(JSON.stringify(answer));
}

const usual = new Agent({ keepAlive: true });

function post(app: RunningApp, path: string, body: object, agent = usual): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${app.url}${path}`,
      { method: 'POST', agent, headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve(JSON.parse(text) as Readonly<Record<string, unknown>>));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}
