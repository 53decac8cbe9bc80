import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../gate/gate.test-support.js';
import { remoteTool, writePackage } from './domain-gate.test-support.js';
import { sampleFiles } from './sample-files.test-support.js';
import { processesWith, serveApp } from './served-app.test-support.js';
import { answer, metaOf, startWorker } from './worker-server.test-support.js';
import { until } from '../until.test-support.js';

it('the seed’s Definition of Done, from outside: without a window, with the sample as it comes along', async () => {
  const dataDir = testFolder('served');
  const folder = writePackage(testFolder('served-package'), sampleFiles('calculator'));
  const app = await serveApp(dataDir, ['--domain', folder]);
  onTestFinished(() => app.kill());
  expect(await app.get('/v1/domain')).toEqual({ domain_id: 'calculator', version: '1.0.0' });
  expect(await app.get('/v1/tools')).toMatchObject({
    tools: [{ tool_id: 'calculator.add' }, { tool_id: 'calculator.divide' }],
  });
  expect(await app.run('calculator.add', { a: 2, b: 40 })).toMatchObject({
    status: 200,
    body: { output: { result: 42 } },
  });
  expect(await app.run('calculator.divide', { a: 2, b: 0 })).toMatchObject({ status: 400 });
  const manifest = join(folder, 'manifest.yaml');
  appendFileSync(manifest, '# the same version\n');
  await until(() => app.stderr().includes('Raise its version'));
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace("version: '1.0.0'", "version: '1.0.1'"));
  await until(async () => (await app.get('/v1/domain'))['version'] === '1.0.1');
  expect(await app.run('calculator.add', { a: 1, b: 1 })).toMatchObject({ status: 200 });
  expect(await app.end()).toBe(0);
  expect(processesWith(dataDir)).toEqual([]);
});

it('policies count at once, as they are written; a package that is wrong keeps the one before, and says where', async () => {
  const dataDir = testFolder('written');
  writeFileSync(join(dataDir, 'config.toml'), '[domain]\nfollow = true\n');
  const folder = writePackage(testFolder('written-package'), sampleFiles('calculator'));
  const app = await serveApp(dataDir, ['--domain', folder]);
  onTestFinished(() => app.kill());
  const log = (): string => readFileSync(join(dataDir, 'logs', 'gatehouse.log'), 'utf8');
  const asked = (): number => log().split('A worker is asked').length - 1;
  const add = async (): Promise<number> => (await app.run('calculator.add', { a: 1, b: 1 })).status;
  const timeout = async (): Promise<unknown> => {
    const { tools } = (await app.get('/v1/tools')) as { readonly tools: readonly { readonly timeout_sec: number }[] };
    return tools[0]?.timeout_sec;
  };
  const [manifest, policies] = [join(folder, 'manifest.yaml'), join(folder, 'policies.yaml')];
  const text = readFileSync(manifest, 'utf8')
    .replaceAll(/ {4}timeout_sec: 10\n/gu, '')
    .replace("'1.0.0'", "'1.1.0'");
  writeFileSync(manifest, text);
  await until(async () => (await app.get('/v1/domain'))['version'] === '1.1.0');
  expect(await add()).toBe(200);
  expect(asked(), 'that is for debugging').toBe(0);
  writeFileSync(policies, 'default_timeout_sec: 77\nlogging: {level: debug}\n');
  await until(async () => (await timeout()) === 77);
  expect(await add()).toBe(200);
  await until(() => asked() === 1);
  writeFileSync(policies, 'default_timeout_sec: 78\nlogging: {level: error}\n');
  await until(async () => (await timeout()) === 78);
  const before = log().split('A worker answered').length;
  expect(await add()).toBe(200);
  writeFileSync(policies, 'default_timeout_sec: 78\nlogging: {level: loud}\n');
  await until(() => /^gatehouse: policies\.yaml:2: logging\.level /mu.test(app.stderr()));
  writeFileSync(policies, 'default_timeout_sec: 79\n');
  await until(async () => (await timeout()) === 79);
  writeFileSync(manifest, text.replace("risk: 'low'", "risk: 'none'"));
  const line = text.slice(0, text.indexOf("risk: 'low'")).split('\n').length;
  await until(() => app.stderr().includes(`gatehouse: manifest.yaml:${line}: tools.0.risk `));
  expect(await app.get('/v1/domain')).toEqual({ domain_id: 'calculator', version: '1.1.0' });
  expect(await add()).toBe(200);
  await until(() => log().split('A worker answered').length === before + 1);
  expect(asked()).toBe(1);
});

it('a package that is wrong ends the start with exit code 2 and the place', async () => {
  const folder = writePackage(testFolder('wrong-package'), {
    'manifest.yaml': 'domain_id: a\nversion: "1"\ntools: 3\n',
  });
  await expect(serveApp(testFolder('served'), ['--domain', folder])).rejects.toThrow(
    /gatehouse: manifest\.yaml:3: tools/u,
  );
});

it('killed under load, it leaves nothing running, loses no call, and runs none twice', async () => {
  const asked = new Map<string, number>();
  const worker = await startWorker(async (one, response) => {
    asked.set(one.meta.tool_run_id, (asked.get(one.meta.tool_run_id) ?? 0) + 1);
    if (asked.size % 3 === 0) await new Promise((resolve) => response.once('close', resolve));
    else answer(response, { ok: true, meta: metaOf(one), output: {} });
  });
  const files = sampleFiles('calculator');
  const local = files['manifest.yaml'] ?? '';
  const folder = writePackage(testFolder('killed-package'), {
    ...files,
    'manifest.yaml': `${local}\n  - ${JSON.stringify(remoteTool(worker.url, { tool_id: 'count.once' }))}\n`,
    'policies.yaml': 'concurrency: {global: 40, per_tool: {default: 6}}\n',
  });
  const dataDir = testFolder('killed');
  const app = await serveApp(dataDir, ['--domain', folder]);
  onTestFinished(() => app.kill());
  await app.run('calculator.add', { a: 1, b: 2 });
  expect(processesWith(dataDir).length, 'the app, and what holds its worker').toBeGreaterThan(1);
  const answered: number[] = [];
  const load = Array.from({ length: 60 }, async (_each, at) => {
    const tool = at % 2 === 0 ? 'count.once' : 'calculator.add';
    await app.run(tool, at % 2 === 0 ? {} : { a: at, b: 1 }).then(
      ({ status }) => answered.push(status),
      () => undefined,
    );
  });
  await until(() => asked.size >= 12);
  await app.kill();
  await Promise.all(load);
  await until(() => processesWith(dataDir).length === 0);
  const before = new Map(asked);
  const again = await serveApp(dataDir, ['--domain', folder]);
  onTestFinished(() => again.kill());
  await until(async () => (await again.get('/v1/status'))['recovering'] === false);
  const { calls } = (await again.get('/v1/calls?limit=500')) as {
    readonly calls: readonly { readonly callId: string; readonly state: string; readonly code: string | null }[];
  };
  await until(async () => (await again.get('/v1/status'))['pending'] === 0);
  expect(calls.length).toBeGreaterThanOrEqual(answered.length);
  expect(asked, 'nothing was sent again').toEqual(before);
  for (const [callId, times] of asked) {
    expect(times).toBe(1);
    expect(
      calls.map((call) => call.callId),
      'whatever was sent is on record',
    ).toContain(callId);
  }
  const held = calls.filter(({ callId }) => asked.has(callId));
  for (const { state, code } of held)
    expect([state, code]).toEqual(state === 'COMPLETED' ? ['COMPLETED', null] : ['ABORTED', 'Interrupted']);
  expect(await again.get('/v1/audit/verify')).toMatchObject({ ok: true });
  expect(await again.run('calculator.add', { a: 1, b: 2 })).toMatchObject({ status: 200 });
});
