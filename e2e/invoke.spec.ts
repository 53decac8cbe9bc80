import { join } from 'node:path';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { ask, type GatewayFile, gatewayOf } from './agent.js';

const manifest = (operation: string, properties: object, required: readonly string[], result: object): string =>
  JSON.stringify({
    tool_id: `calculator.${operation}`,
    tool_name: operation,
    description: 'Calculates.',
    category: 'computation',
    tags: ['numbers'],
    version: '1.2.0',
    parameters_schema: { type: 'object', properties, required, additionalProperties: false },
    result_schema: result,
    side_effecting: false,
    execution_config: { default_timeout_seconds: 600 },
    entry: { command: ['node', `${operation}.mjs`] },
  });
const READ =
  'let text = ""; for await (const part of process.stdin) text += part; const { parameters } = JSON.parse(text);';
const number = { type: 'number' };
const PROGRAMS = {
  'add.json': manifest('add', { a: number, b: number }, ['a', 'b'], { type: 'object', properties: { sum: number } }),
  'add.mjs': `${READ} console.log(JSON.stringify({ sum: parameters.a + parameters.b }));`,
  'wait.json': manifest('wait', { seconds: number }, ['seconds'], { type: 'number' }),
  'wait.mjs': `${READ} await new Promise((end) => setTimeout(end, parameters.seconds * 1000)); console.log(parameters.seconds);`,
};

interface Invocation {
  readonly invocation_id: string;
  readonly status: string;
  readonly result?: unknown;
  readonly error: { readonly details: { readonly code: string } } | null;
}

async function post<T>({ url, token }: GatewayFile, path: string, body: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as T;
}

test('A program asks over HTTP: the seed’s calculator, and async calls that outlive a crash', async ({ launch }) => {
  const dataDir = makeFolder('data');
  writeFiles(join(dataDir, 'calculator'), PROGRAMS);
  const config = [
    '[gateway]',
    'enabled = true',
    '[tools.queue]',
    'per_tool = 1',
    '[sources.calculator]',
    'kind = "program"',
    'manifest = "calculator"',
    'definitions = "first"',
    'approval = "annotations"',
  ].join('\n');
  const first = await launch({ files: {}, dataDir, config });
  const gateway = await gatewayOf(dataDir, first.pid);
  const list = (): Promise<{ readonly tools: readonly object[] }> =>
    post(gateway, '/v1/tool/list', { filters: { category: 'computation', tags: ['numbers'], source: 'calculator' } });
  await expect.poll(async () => (await list()).tools.length).toBe(2);
  const header = {
    version: '1.0',
    messageId: 'm',
    timestamp: '2025-03-21T10:00:00Z',
    messageType: 'request',
    source: 'me',
  };
  const tool = { id: 'calculator', capability: 'add', parameters: { a: 2, b: 3 } };
  const answer = await post<{ readonly payload: object }>(gateway, '/v1/execute', { header, payload: { tool } });
  expect(answer.payload).toMatchObject({ execution: { status: 'success', result: { sum: 5 } } });

  const wait = (seconds: number): Promise<Invocation> =>
    post(gateway, '/v1/tool/invoke', {
      tool_id: 'calculator.wait',
      parameters: { seconds },
      execution_options: { async_mode: true, idempotency_key: `wait-${seconds}` },
    });
  const begun = await wait(500);
  await expect
    .poll(async () => (await ask<Invocation>(gateway, `/v1/tool/status/${begun.invocation_id}`)).status)
    .toBe('running');
  const queued = await wait(0);
  expect(queued.status).toBe('pending');
  await first.kill();

  const second = await launch({ dataDir, workspace: first.workspace });
  const again = await gatewayOf(dataDir, second.pid);
  const dialog = second.page.getByRole('dialog', { name: 'Unfinished work' });
  await dialog.getByRole('button', { name: 'Resume with partial results' }).click();
  await expect(dialog).toHaveCount(0);
  const status = (id: string): Promise<Invocation> => ask(again, `/v1/tool/status/${id}?wait=30`);
  await expect.poll(async () => (await status(queued.invocation_id)).status).toBe('success');
  expect((await status(queued.invocation_id)).result).toBe(0);
  expect((await status(begun.invocation_id)).error?.details.code).toBe('Interrupted');
});
