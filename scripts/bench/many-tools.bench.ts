import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openDoors } from '../../src-main/doors/doors.test-support.js';
import { createDoorsGate } from '../../src-main/doors/doors-gate.test-support.js';
import { listOfferedTools } from '../../src-main/domain/policy/offered-tools.js';
import type { Embedder } from '../../src-main/domain/ports/embedder.js';
import { DIMENSIONS } from '../../src-main/platform/sentence-model/model-protocol.js';
import { SentenceModel } from '../../src-main/platform/sentence-model/sentence-model.js';
import { defaultConfig } from '../../src-main/tests/gate/default-config.test-support.js';
import { readFileTool } from '../../src-main/tools/builtin/read-file/handler.js';
import { toRegistered } from '../../src-main/tools/builtin/tools.test-support.js';
import { ToolRegistry } from '../../src-main/tools/registry/registry.js';
import { manyTools, QUESTIONS } from '../../src-main/tools/registry/search/samples/sample-catalogue.test-support.js';
import { ToolSearch } from '../../src-main/tools/registry/search/tool-search.js';
import { type Compare, type Measured, quantile, timed } from './harness.js';
import { startApp } from './running-app.js';

const COUNT = 1000;
const SOURCES = 20;

/** A thousand tools of twenty sources: given to a client, found among, and what the model costs that finds them. */
export async function run(compare: Compare): Promise<void> {
  const registry = new ToolRegistry();
  registry.register(readFileTool);
  registry.replaceForeign(toRegistered(manyTools(COUNT, SOURCES)), new Map());
  await listed(compare, registry);
  await found(compare, registry);
  await started(compare);
}

/** No other program does the same: what it may take at most stands beside it. */
const atMost = (ms: number): Measured => ({ name: `what it may take`, sample: () => ms });

async function listed(compare: Compare, registry: ToolRegistry): Promise<void> {
  let config = defaultConfig();
  const gate = createDoorsGate('/');
  gate.listAdvertised = (_folder, used = new Set()) => listOfferedTools(registry, config, used).listed;
  await using doors = await openDoors({ mcp: { gate } });
  const client = await doors.connect('bench');
  for (const [how, most, goal] of [
    ['those that come with the app, and find_tools', 60, { atMost: 1 }],
    // With the client’s own look at each; nobody is given so many who does not ask for it.
    ['all of them', COUNT, null],
  ] as const) {
    config = defaultConfig({ advertise_at_most: most });
    await compare({
      name: `tools/list with ${COUNT} tools of ${SOURCES} sources: ${how}`,
      unit: 'ms',
      subject: { name: 'over HTTP', sample: () => timed(() => client.listTools()) },
      peer: atMost(20),
      samples: 100,
      ...(goal === null ? {} : { goal }),
    });
  }
}

async function found(compare: Compare, registry: ToolRegistry): Promise<void> {
  const model = await SentenceModel.load(resolve('resources', 'sentence-model'));
  const embedder: Embedder = {
    model: 'bench',
    threshold: 0,
    embed: async (texts) => {
      const all = await model.embed(texts);
      return texts.map((_, at) => all.slice(at * DIMENSIONS, (at + 1) * DIMENSIONS));
    },
  };
  const searchBy = (by: Embedder | null): ToolSearch =>
    new ToolSearch({
      tools: registry,
      embedder: () => by,
      kept: { read: async () => null, write: async () => undefined },
      withoutSecrets: (text) => text,
      patienceMs: 600_000,
    });
  const [search, words] = [searchBy(embedder), searchBy(null)];
  await search.prepare();
  const p95Of = async (by: ToolSearch): Promise<number> => {
    const took: number[] = [];
    for (const [question] of QUESTIONS) took.push(await timed(() => by.find(question, 10, () => true)));
    return quantile(took, 0.95);
  };
  await compare({
    name: `find_tools among ${COUNT} tools, the slowest but three of ${QUESTIONS.length} questions`,
    unit: 'ms',
    subject: { name: 'by meaning and words', sample: () => p95Of(search) },
    peer: atMost(30),
    samples: 10,
    goal: { atMost: 1 },
  });
  const [, ...unchanged] = toRegistered(manyTools(COUNT, SOURCES));
  await compare({
    name: `What a change of one of ${COUNT} tools holds the window up for, at the next search`,
    unit: 'ms',
    subject: {
      name: 'the index of words, made anew',
      sample: async () => {
        registry.replaceForeign([...toRegistered(manyTools(1, 1)), ...unchanged], new Map());
        return timed(() => words.find('send', 1, () => true));
      },
    },
    peer: atMost(50),
    samples: 20,
    goal: { atMost: 1 },
  });
}

/** The whole way, in the app: the model is started by the first question, and by no start. */
async function started(compare: Compare): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  try {
    const ask = async (client: Client): Promise<void> => {
      const { structuredContent } = await client.callTool({ name: 'find_tools', arguments: { query: 'read a file' } });
      if ((structuredContent as { readonly search?: string }).search === 'words')
        throw new Error('The model is not there.');
    };
    const inApp = async (at: number, work: (client: Client) => Promise<number>): Promise<number> => {
      const app = await startApp(join(scratch, `data-${at}`), scratch);
      const client = new Client({ name: 'bench', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${app.token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }));
      const took = await work(client);
      await client.close();
      await app.end();
      return took;
    };
    let next = 0;
    await compare({
      name: 'A question to find_tools in the app, journal on',
      unit: 'ms',
      subject: {
        name: 'the first, which starts the model',
        sample: () => inApp((next += 1), (client) => timed(() => ask(client))),
      },
      peer: {
        name: 'the second',
        sample: () =>
          inApp((next += 1), async (client) => {
            await ask(client);
            return timed(() => ask(client));
          }),
      },
      warmUp: 0,
      samples: 5,
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}
