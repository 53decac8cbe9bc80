import { ask, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { startModelServer } from '../src-main/tests/model-server/model-server.test-support.js';

test('IT-E2E-01 in the app: a model over HTTP asks, the gate runs it, the model goes on, and all of it is shown', async ({
  launch,
}) => {
  await using server = await startModelServer();
  server.script(
    { blocks: [{ text: 'I look.' }, { call: 'read_file', id: 'one', arguments: { path: 'a.txt' } }] },
    { blocks: [{ text: 'It says hello.' }] },
  );
  const { page, workspace, dataDir, pid } = await launch({
    files: { 'a.txt': 'hello from the file' },
    config: `[gateway]\nenabled = true\n[model]\nprovider = "openai-compatible"\nbase_url = "${server.baseUrl}"\nmodel = "scripted-1"\n`,
  });
  await page.keyboard.press('Shift');
  const id = await page.evaluate(async (folder) => {
    const begun = await window.gatehouse.client['conversations.begin']({ workspace: folder });
    if (!begun.ok) throw new Error(begun.error.message);
    const sent = await window.gatehouse.client['conversations.send']({
      id: begun.value.id,
      text: 'What does a.txt say?',
      files: [],
      pictures: [],
    });
    if (!sent.ok) throw new Error(sent.error.message);
    return begun.value.id;
  }, workspace);
  await expect.poll(() => server.requests.length).toBe(2);
  expect(JSON.stringify(server.requests[1]?.body)).toContain('hello from the file');
  const gateway = await gatewayOf(dataDir, pid);
  const { calls } = await ask<{ readonly calls: readonly { readonly callId: string }[] }>(gateway, '/v1/calls');
  expect(calls).toHaveLength(1);
  expect(await ask(gateway, `/v1/calls/${calls[0]?.callId}`)).toMatchObject({ providerCallId: 'one' });
  const read = () =>
    page.evaluate(async (conversation) => {
      const found = await window.gatehouse.client['conversations.read']({ id: conversation, limit: 10 });
      return found.ok
        ? found.value.messages.map(({ state, blocks }) => [state, ...blocks.map(({ kind }) => kind)])
        : [];
    }, id);
  await expect.poll(read).toEqual([
    ['whole', 'text'],
    ['whole', 'text', 'call'],
    ['whole', 'text'],
  ]);
});
