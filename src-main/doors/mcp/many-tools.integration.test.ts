import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { isOfferedToPrograms } from '../../domain/policy/offered-tools.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { openTestGate } from '../../tests/gate/gate.test-support.js';
import { findToolsTool } from '../../tools/builtin/find-tools/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { sampleTools } from '../../tools/registry/search/samples/sample-catalogue.test-support.js';
import { ToolSearch } from '../../tools/registry/search/tool-search.js';
import { serveGate } from './served-gate.test-support.js';

/** Two hundred tools behind the real gate and the real doors; clients of their own. */
async function serve() {
  const registry = new ToolRegistry();
  registry.register(readFileTool);
  for (const tool of sampleTools()) registry.register(tool);
  const finder = new ToolSearch({
    tools: registry,
    embedder: () => null,
    kept: { read: async () => null, write: async () => undefined },
    withoutSecrets: (text) => text,
  });
  registry.register(
    findToolsTool({ finder, isOffered: ({ name }, config) => isOfferedToPrograms(registry, name, config) }),
  );
  const gate = await openTestGate({
    tools: [],
    config: defaultConfig({ approval: { mode: 'auto' } }),
    parts: { registry },
  });
  return serveGate(gate);
}

const metaOf = ({ _meta: meta }: { readonly _meta?: unknown }): unknown => meta;
const namesOf = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

it('a client is listed the app’s own tools, find_tools and call_tool; a tool that it used is listed for it alone', async () => {
  const connect = await serve();
  const [one, other] = [await connect('one'), await connect('other')];
  expect(await namesOf(one)).toEqual(['call_tool', 'find_tools', 'read_file']);
  const changed = Promise.withResolvers<null>();
  one.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve(null));
  const found = await one.callTool({ name: 'find_tools', arguments: { query: 'post a message to a Slack channel' } });
  const [best] = (found.structuredContent as { readonly tools: readonly { readonly name: string }[] }).tools;
  const called = await one.callTool({ name: 'call_tool', arguments: { name: best?.name, arguments: {} } });
  // The sample takes a text that it was not given: that it says is an answer of the tool's own.
  expect(metaOf(called)).toMatchObject({ 'gatehouse/callId': expect.any(String) });
  await changed.promise;
  expect(await namesOf(one)).toEqual(['call_tool', 'find_tools', 'read_file', 'slack__post_message']);
  expect(await namesOf(other)).toEqual(['call_tool', 'find_tools', 'read_file']);
});

it('a name that nobody has makes no list longer', async () => {
  const connect = await serve();
  const client = await connect('one');
  await client.callTool({ name: 'call_tool', arguments: { name: 'nobody', arguments: {} } });
  await client.callTool({ name: 'call_tool', arguments: {} });
  expect(await namesOf(client)).toEqual(['call_tool', 'find_tools', 'read_file']);
});

it('a tool that is not listed runs by its own name', async () => {
  const connect = await serve();
  const client = await connect('one');
  const called = await client.callTool({ name: 'weather__get_forecast', arguments: {} });
  expect(metaOf(called)).not.toMatchObject({ 'gatehouse/code': 'UnknownTool' });
});
