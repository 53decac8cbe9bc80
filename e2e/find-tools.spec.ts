import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { makeFolder, test } from './app.js';

const flags = ['--gateway'];
const query = 'show me what is written in the README';

test('tools are found by what they mean, with a model in a process of its own that a start does not load', async ({
  launch,
}) => {
  const app = await launch({ flags });
  const kept = join(app.dataDir, 'tool-vectors');
  expect(existsSync(kept)).toBe(false);
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const found = await callTool(agent, 'find_tools', { query, limit: 2 });
  const { text, ...structured } = found.structured ?? {};
  expect(text).toBe(found.text);
  expect(structured).toEqual({
    tools: [
      expect.objectContaining({ name: 'read_file', tool_id: 'gatehouse.read_file', source: 'gatehouse' }),
      expect.objectContaining({ source: 'gatehouse' }),
    ],
  });
  expect(JSON.parse(found.text)).toEqual(structured);
  expect(readFileSync(kept).length).toBeGreaterThan(5 * 384 * 4);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  if (process.platform === 'linux') expect(readFileSync(`/proc/${app.pid}/maps`, 'utf8')).not.toContain('onnxruntime');
  const { calls } = await ask<{ readonly calls: readonly { readonly tool: string }[] }>(gateway, '/v1/calls');
  expect(calls.map(({ tool }) => tool)).toEqual(['find_tools']);
  await agent.close();
});

test('by words alone where the person wants that, and where there is no Ollama', async ({ launch }) => {
  const words = await launch({ flags, config: '[search]\nprovider = "words"\n' });
  const agent = await connectAgent(await gatewayOf(words.dataDir, words.pid));
  const found = await callTool(agent, 'find_tools', { query });
  expect(found.structured).toMatchObject({ search: 'words', tools: [{ name: 'read_file' }] });
  expect(found.structured).not.toHaveProperty('warnings');
  expect(existsSync(join(words.dataDir, 'tool-vectors'))).toBe(false);
  await agent.close();

  const ollama = await launch({
    flags,
    config: '[search]\nprovider = "ollama"\nollama_base_url = "http://127.0.0.1:9"\n',
  });
  const other = await connectAgent(await gatewayOf(ollama.dataDir, ollama.pid));
  expect((await callTool(other, 'find_tools', { query })).structured).toMatchObject({
    search: 'words',
    tools: [{ name: 'read_file' }],
    warnings: [expect.stringMatching(/^E3005: .*Ollama/u)],
  });
  await other.close();
});

/** Seventy things that a service can do, as its document says; it counts what it is asked. */
async function startService() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ forecast: 'rain in the afternoon' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const paths = Object.fromEntries(
    Array.from({ length: 69 }, (_, at) => [
      `/parts/${at}`,
      { get: { operationId: `getPart${at}`, description: `Get part ${at} of the warehouse.`, responses: {} } },
    ]),
  );
  const forecast = {
    operationId: 'getForecast',
    description: 'Weather forecast for the coming days: temperature, rain and snow probability.',
    parameters: [{ name: 'city', in: 'query', required: true, schema: { type: 'string' } }],
    responses: {},
  };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Service', version: '1.0.0' },
    paths: { ...paths, '/forecast': { get: forecast } },
  };
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    document,
    end: () => server.close(),
  };
}

test('with more tools of sources than are listed, one is found, called and recorded as itself', async ({ launch }) => {
  const service = await startService();
  const folder = makeFolder('many-tools');
  try {
    const file = join(folder, 'service.json');
    writeFileSync(file, JSON.stringify(service.document));
    const app = await launch({
      flags,
      config: `[sources.service]
kind = "openapi"
file = ${JSON.stringify(file)}
base_url = "${service.url}"
definitions = "first"
approval = "annotations"
start = "with-app"
`,
    });
    const gateway = await gatewayOf(app.dataDir, app.pid);
    const agent = await connectAgent(gateway);
    const names = async () => (await agent.listTools()).tools.map(({ name }) => name);
    const ours = ['apply_patch', 'list_directory', 'read_file', 'write_file'];
    const short = [...ours, 'call_tool', 'find_tools'].toSorted();
    await expect.poll(names, { timeout: 30_000 }).toEqual(short);
    const found = await callTool(agent, 'find_tools', { query: 'do I need an umbrella tomorrow' });
    expect(found.structured).not.toHaveProperty('search');
    const [best] = (found.structured as { readonly tools: readonly { readonly name: string }[] }).tools;
    expect(best).toMatchObject({ name: 'service__getForecast', tool_id: 'service.getForecast', source: 'service' });
    const without = await callTool(agent, 'call_tool', { name: best?.name, arguments: {} });
    expect(without).toMatchObject({ isError: true, code: 'BadArgs', text: expect.stringContaining('"city"') });
    expect(service.asked).toEqual([]);
    const called = await callTool(agent, 'call_tool', { name: best?.name, arguments: { city: 'Paris' } });
    expect(called).toMatchObject({ isError: false, text: expect.stringContaining('rain in the afternoon') });
    expect(service.asked).toEqual(['GET /forecast?city=Paris']);
    const { calls } = await ask<{ readonly calls: readonly { readonly tool: string }[] }>(gateway, '/v1/calls');
    expect(calls.map(({ tool }) => tool)).toEqual(['service__getForecast', 'service__getForecast', 'find_tools']);
    expect(await names()).toEqual([...short, 'service__getForecast'].toSorted());
    await agent.close();
  } finally {
    service.end();
    rmSync(folder, { recursive: true, force: true });
  }
});
