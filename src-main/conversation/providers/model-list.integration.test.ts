import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOutside } from '../../outside/outside-client.js';
import { type ModelServer, startModelServer } from '../../tests/model-server/model-server.test-support.js';
import { listModels, localServers } from './model-list.js';
import { PROVIDERS } from './provider-table.js';
import { KEY, SERVED } from './providers.test-support.js';
import { createServedModel } from './served-model.js';
import { tryModel } from './try-model.js';

const outside = createOutside({ secret: () => KEY, variable: () => null });
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(async () => {
  outside.close();
  await server.close();
});
const key = (header: string, prefix: string) => ({
  header,
  prefix,
  from: 'secret:x',
  boundTo: server.baseUrl,
  asker: 'test',
});

test.each(SERVED)('%s: its models by name, or why not', async (provider) => {
  const { keyHeader, keyPrefix } = PROVIDERS[provider];
  const list = () => listModels(outside, { provider, baseUrl: server.baseUrl, key: key(keyHeader, keyPrefix) });
  server.models(['one', 'two']);
  expect(await list()).toEqual({ names: ['one', 'two'] });
  expect(server.listings.at(-1)?.headers[keyHeader]).toBe(`${keyPrefix}${KEY}`);
  server.models({ status: 401, body: { error: { message: 'no' } } });
  expect(await list()).toMatchObject({ failure: { fault: 'api-key' } });
  for (const body of ['<html>', '{}', '[]', 'null', '{"data":7}']) {
    server.models({ status: 200, body });
    expect(await list()).toMatchObject({ failure: { fault: 'broke-off' } });
  }
  server.models({
    status: 200,
    body: { data: [{ id: 7 }, null, { id: '' }, { id: 'x'.repeat(300) }, { id: 'ok' }, { id: 'ok' }] },
  });
  expect(await list()).toEqual({ names: ['ok'] });
});

test('Servers on this computer are found by their list, and get no key', async () => {
  server.models(['near']);
  const port = Number(new URL(server.baseUrl).port);
  const found = await localServers(outside, [
    ['Mine', port, 'openai-compatible'],
    ['Nobody', 1, 'ollama'],
  ]);
  expect(found).toEqual([{ name: 'Mine', provider: 'openai-compatible', baseUrl: server.baseUrl, models: ['near'] }]);
  expect(JSON.stringify(server.listings.at(-1)?.headers)).not.toContain(KEY);
  server.models({ status: 404 });
  expect(await localServers(outside, [['Mine', port, 'ollama']])).toEqual([]);
});

test('A try makes one request, waits for nobody, and says what came', async () => {
  const model = createServedModel(
    { provider: 'ollama', baseUrl: server.baseUrl, model: 'm' },
    { outside, key: () => null, now: () => 0 },
  );
  const tried = () => tryModel(model, 'm', () => 0);
  const before = server.requests.length;
  server.script(
    { blocks: [{ text: 'ready\n' }] },
    { status: 429, headers: { 'retry-after': '20' } },
    { status: 404 },
    { blocks: [] },
  );
  expect(await tried()).toEqual({ answered: true, words: 'm answered in 0.0 s: “ready”' });
  expect(await tried()).toEqual({ answered: false, words: expect.stringMatching(/rate limit.*20 s/u) as string });
  expect(await tried()).toMatchObject({ answered: false, words: expect.stringContaining('no model “m”') as string });
  expect(await tried()).toMatchObject({ answered: true, words: expect.stringContaining('without a word') as string });
  expect(server.requests.length - before).toBe(4);
});
