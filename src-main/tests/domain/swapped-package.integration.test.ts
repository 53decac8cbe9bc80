import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../gate/gate.test-support.js';
import { manifestText, writePackage } from './domain-gate.test-support.js';
import { LEDGER_WORKER, openLedger } from './ledger-worker.test-support.js';
import { serveApp } from './served-app.test-support.js';
import { until } from '../until.test-support.js';

const rule = (tool: string): string => `[[tools.approval.confirmed]]\ntool = "${tool}"\n`;

it('rules end with the tool that they were for, before its other one can be called; the others stay, and calls in flight end as they began', async () => {
  const ledger = await openLedger();
  const tool = (id: string, mark: string) => ({
    tool_id: id,
    kind: 'service_worker',
    timeout_sec: 600,
    egress_allowlist: [`127.0.0.1:${ledger.port}`],
    worker: { command: ['perl', 'worker.pl', String(ledger.port), mark], port_env: 'PORT' },
  });
  const manifest = (version: string, mark: string) =>
    manifestText([tool('ledger.changes', mark), tool('ledger.stays', '-stays')], { version });
  const folder = writePackage(testFolder('swapped-package'), {
    'manifest.yaml': manifest('1', '-before'),
    'policies.yaml': 'concurrency: {global: 40, per_tool: {default: 20}}\n',
    'worker.pl': LEDGER_WORKER,
  });
  const dataDir = testFolder('swapped-data');
  const config = join(dataDir, 'config.toml');
  writeFileSync(config, `# mine\n[domain]\nfollow = true\n${rule('ledger.changes')}${rule('ledger.stays')}`);
  const app = await serveApp(dataDir, ['--domain', folder]);
  onTestFinished(() => app.kill());
  const inFlight = [app.run('ledger.changes', {}), app.run('ledger.stays', {})];
  await until(() => ledger.held() === 2);
  // Somebody who asks all the time.
  const enough = new AbortController();
  const refused: unknown[] = [];
  const asking = Array.from({ length: 4 }, async () => {
    while (!enough.signal.aborted) {
      const { status, body } = await app.run('ledger.changes', {});
      if (status !== 200) refused.push([status, body]);
    }
  });
  writeFileSync(join(folder, 'manifest.yaml'), manifest('2', '-after'));
  // Those that had begun under the rule are let go one after another; then nobody has one.
  await until(() => {
    if (ledger.held() > 2) ledger.let((path) => path.endsWith('-before') && path !== ledger.began[0]);
    return refused.length > 8;
  });
  expect((await app.get('/v1/domain'))['version']).toBe('2');
  enough.abort();
  ledger.let();
  await Promise.all(asking);
  for (const each of refused)
    expect(each).toMatchObject([403, { error: { code: 'VALIDATION_ERROR', details: { code: 'NoDecision' } } }]);
  expect((await Promise.all(inFlight)).map(({ status }) => status)).toEqual([200, 200]);
  expect(
    ledger.began.filter((path) => path.endsWith('-after')),
    'the other tool never ran',
  ).toEqual([]);
  const stays = app.run('ledger.stays', {});
  await until(() => ledger.held() === 1);
  ledger.let();
  expect((await stays).status).toBe(200);
  expect(readFileSync(config, 'utf8')).toBe(`# mine\n[domain]\nfollow = true\n${rule('ledger.stays')}`);
});

it('a package has no group that a source has, and is read anew when that is gone; a source gets no name that a package has', async () => {
  const ledger = await openLedger();
  const folder = writePackage(testFolder('named-package'), {
    'manifest.yaml': manifestText([
      {
        tool_id: 'ledger.one',
        kind: 'service_worker',
        worker: { command: ['perl', 'worker.pl', String(ledger.port)], port_env: 'PORT' },
      },
    ]),
    'worker.pl': LEDGER_WORKER,
  });
  const dataDir = testFolder('named-data');
  const config = join(dataDir, 'config.toml');
  const source = `[sources.ledger]\nkind = "program"\nmanifest = "/nowhere"\n`;
  writeFileSync(config, source);
  // At the start, with both: the package is refused.
  await expect(serveApp(dataDir, ['--domain', folder])).rejects.toThrow(
    /gatehouse: manifest\.yaml:\d+: tool_id begins with “ledger\.”, which is the name of a source/u,
  );
  const named = `[domain]\npackage = ${JSON.stringify(folder)}\nfollow = true\n`;
  writeFileSync(config, `${named}${source}`);
  const app = await serveApp(dataDir, []);
  onTestFinished(() => app.kill());
  expect(app.stderr()).toContain('which is the name of a source');
  expect(await app.get('/v1/domain')).toMatchObject({ error: { code: 'NoDomain' } });
  const sources = async () =>
    ((await app.get('/v1/sources')) as { sources: { name: string; state: string; problem: string | null }[] }).sources;
  // Which is there, whatever else may be wrong with it.
  expect((await sources())[0]?.problem).not.toContain('has tools of the group');
  writeFileSync(config, named);
  await until(async () => 'version' in (await app.get('/v1/domain')));
  writeFileSync(config, `${named}${source}`);
  await until(async () => (await sources()).length === 1);
  const [refused] = await sources();
  expect(refused).toMatchObject({ name: 'ledger', state: 'refused' });
  expect(refused?.problem).toContain('The domain example has tools of the group “ledger”');
  // Which stands in the way of no later version of the package.
  writeFileSync(
    join(folder, 'manifest.yaml'),
    readFileSync(join(folder, 'manifest.yaml'), 'utf8').replace('"0.1"', '"0.2"'),
  );
  await until(async () => (await app.get('/v1/domain'))['version'] === '0.2');
  // Nor is there anything against it once the package has another group.
  const other = readFileSync(join(folder, 'manifest.yaml'), 'utf8')
    .replace('"0.2"', '"0.3"')
    .replace('ledger.one', 'other.one');
  writeFileSync(join(folder, 'manifest.yaml'), other);
  await until(async () => !((await sources())[0]?.problem ?? '').includes('has tools of the group'));
  expect((await app.get('/v1/domain'))['version']).toBe('0.3');
});
