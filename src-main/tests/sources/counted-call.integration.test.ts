import { mkdirSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runChild } from '../../platform/run-child.test-support.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { testFolder } from '../gate/gate.test-support.js';
import { keptText, openCountedGate } from './counted-gate.test-support.js';

const CHILD = new URL('./counted-child.test-support.ts', import.meta.url).pathname;

/** Counts what it is asked to do, and never answers that. */
async function countingServer(): Promise<{ readonly base: string; readonly count: () => number }> {
  let count = 0;
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/seen') return void response.end(String(count));
    count += 1;
    held.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

it('a call that was in flight when the app was killed may have had an effect, which is said, and is never sent again', async () => {
  const root = testFolder('counted');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work') };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  const { base, count } = await countingServer();
  expect((await runChild(CHILD, [place.dataDir, place.workspace, base])).killed).toBe(true);
  expect(count()).toBe(1);
  expect(keptText(place.dataDir)).toContain('"counter.count"');

  for (const choice of ['resume', 'discard'] as const) {
    const gate = await openCountedGate({ ...place, base });
    if (gate.recovery.isOpen) gate.recovery.decide(choice);
    expect(gate.journal.openBatches().flatMap(({ calls }) => calls.filter(({ settled }) => !settled))).toEqual([]);
    await gate.close();
  }
  expect(count()).toBe(1);
  const { service, verify } = openServiceReader(place.dataDir);
  const { calls } = await service.page({ limit: 10, before: null, filter: {} });
  const [call] = calls;
  expect(call).toMatchObject({ tool: 'counter__count', state: 'ABORTED', outcome: 'interrupted', code: 'Interrupted' });
  expect(call?.reason).toContain('may have had an effect');
  expect(await verify()).toMatchObject({ ok: true });
  service.close();
});
