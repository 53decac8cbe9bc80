import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../gate/gate.test-support.js';
import { writePackage } from './domain-gate.test-support.js';
import { sampleFiles } from './sample-files.test-support.js';
import { type ServedApp, serveApp } from './served-app.test-support.js';
import { until } from '../until.test-support.js';

async function serve(dataDir: string, flags: readonly string[]): Promise<ServedApp> {
  const app = await serveApp(dataDir, flags);
  onTestFinished(() => app.kill());
  return app;
}

const versionOf = async (app: ServedApp): Promise<unknown> => (await app.get('/v1/domain'))['version'];

function packaged(folder: string) {
  writePackage(folder, sampleFiles('calculator'));
  const manifest = join(folder, 'manifest.yaml');
  const raise = (from: string, to: string): void =>
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(`version: '${from}'`, `version: '${to}'`));
  /** Another worker, as who may write there would put it. */
  const tamper = (): void => appendFileSync(join(folder, 'workers', 'calculator', 'main.mjs'), '\n// another\n');
  return { folder, raise, tamper };
}

it('a changed package waits without a window, as it is changed and after a restart, and its digest says yes', async () => {
  const dataDir = testFolder('accepted-data');
  const { folder, raise, tamper } = packaged(testFolder('accepted-package'));
  const app = await serve(dataDir, ['--domain', folder]);
  tamper();
  raise('1.0.0', '1.1.0');
  await until(() =>
    app.stderr().includes('calculator 1.1.0 (changed: calculator.add, calculator.divide) waits for a yes'),
  );
  expect(await versionOf(app)).toBe('1.0.0');
  expect(await app.run('calculator.add', { a: 1, b: 1 })).toMatchObject({ status: 200 });
  await app.kill();
  const again = await serve(dataDir, ['--domain', folder]);
  expect(again.stderr()).toContain('waits for a yes; the one that was accepted serves until then');
  expect(await versionOf(again)).toBe('1.0.0');
  expect(await again.run('calculator.add', { a: 1, b: 1 })).toMatchObject({ status: 200 });
  const digest = /digest = "(sha256:[0-9a-f]{64})"/u.exec(again.stderr())?.[1] ?? '';
  writeFileSync(join(dataDir, 'config.toml'), `[domain]\ndigest = "${digest}"\n`);
  await until(async () => (await versionOf(again)) === '1.1.0');
  expect(await again.end()).toBe(0);
}, 120_000);

it('a package is followed, but not where tools may write, now or ever before', async () => {
  const dataDir = testFolder('followed-data');
  writeFileSync(join(dataDir, 'config.toml'), '[domain]\nfollow = true\n');
  const outside = packaged(testFolder('followed-package'));
  const app = await serve(dataDir, ['--domain', outside.folder]);
  outside.tamper();
  outside.raise('1.0.0', '1.1.0');
  await until(async () => (await versionOf(app)) === '1.1.0');
  expect(await app.end()).toBe(0);
  const workspace = testFolder('followed-workspace');
  mkdirSync(join(workspace, 'domains'));
  const inside = packaged(join(workspace, 'domains'));
  const open = await serve(dataDir, ['--domain', inside.folder, '--workspace', workspace]);
  inside.tamper();
  inside.raise('1.0.0', '1.2.0');
  await until(() => open.stderr().includes('calculator 1.2.0'));
  expect(await versionOf(open)).toBe('1.0.0');
  expect(await open.end()).toBe(0);
  // It is closed by now; who wrote there wrote there.
  const closed = await serve(dataDir, ['--domain', inside.folder]);
  expect(await versionOf(closed)).toBe('1.0.0');
  expect(closed.stderr()).toContain('calculator 1.2.0');
  expect(await closed.end()).toBe(0);
}, 120_000);
