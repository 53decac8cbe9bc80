import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../gate/gate.test-support.js';
import { manifestText, remoteTool, writePackage } from './domain-gate.test-support.js';
import { serveApp } from './served-app.test-support.js';
import { answer, metaOf, startWorker } from './worker-server.test-support.js';

it.each([
  ['in a folder', true],
  ['where no folder is open', false],
])(
  'what waited of a domain’s tools when the app was killed is queued again: %s',
  async (_, inFolder) => {
    let isOpen = false;
    const worker = await startWorker(async (asked, response) => {
      if (!isOpen) await new Promise((resolve) => response.once('close', resolve));
      else answer(response, { ok: true, meta: metaOf(asked), output: {} });
    });
    const folder = writePackage(testFolder('left-package'), {
      'manifest.yaml': manifestText([remoteTool(worker.url, { timeout_sec: 600 })]),
      'policies.yaml': 'concurrency: {per_tool: {default: 1}}\nqueue: {max_wait_sec: 600}\n',
    });
    const dataDir = testFolder('left');
    const workspace = testFolder('left-workspace');
    const flags = ['--domain', folder, ...(inFolder ? ['--workspace', workspace] : [])];
    const app = await serveApp(dataDir, flags);
    onTestFinished(() => app.kill());
    const ask = async () =>
      (
        await app.post('/v1/tool/invoke', {
          tool_id: 'example.echo',
          parameters: {},
          execution_options: { async_mode: true },
        })
      )['invocation_id'];
    const began = await ask();
    while (worker.asked.length === 0) await wait(5);
    const waited = [await ask(), await ask()];
    await app.kill();
    isOpen = true;
    const again = await serveApp(dataDir, flags);
    onTestFinished(() => again.kill());
    const stateOf = async (id: unknown): Promise<unknown> => (await again.get(`/v1/calls/${String(id)}`))['state'];
    while ((await Promise.all(waited.map(stateOf))).some((state) => state === 'AUTHORIZED' || state === 'EXECUTING'))
      await wait(10);
    expect(await Promise.all([began, ...waited].map(stateOf))).toEqual(['ABORTED', 'COMPLETED', 'COMPLETED']);
    expect(worker.asked).toHaveLength(3);
    expect(await again.end()).toBe(0);
  },
  120_000,
);
