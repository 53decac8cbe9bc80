import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, gatewayOf } from './agent.js';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { type Gatehouse, type Launch, projectDir } from './app.js';
import { expect, type KeyStore, test } from './key-store.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, runCalls } from './places.js';

const FILES = { 'a.txt': 'An apple.\n' };
const read = { tool: 'read_file', arguments: { path: 'a.txt' } };

interface Verdict {
  readonly ok: boolean;
  readonly events?: number;
  readonly reason?: string;
  readonly unsigned?: readonly unknown[];
  readonly olderCopy?: { readonly told: boolean; readonly words: string };
}

const startOn = (launch: Launch, keyStore: KeyStore, dataDir?: string): Promise<Gatehouse> =>
  launch({
    ...keyStore.options,
    files: FILES,
    flags: [...keyStore.options.flags, '--gateway'],
    ...(dataDir === undefined ? {} : { dataDir }),
  });

const verify = async (app: Gatehouse): Promise<Verdict> =>
  await ask<Verdict>(await gatewayOf(app.dataDir, app.pid), '/v1/audit/verify');

async function audit(page: Page) {
  await goTo(page, 'History');
  await page.getByRole('button', { name: 'Verify audit' }).click();
  return page.getByRole('dialog', { name: 'Audit' });
}

/** While the app is closed. */
function alter(dataDir: string, what: 'cutTail' | 'forgeErasure'): void {
  execFileSync(electronExecutable(), [join(projectDir, 'e2e', 'hostile', 'alter-journal.mjs'), dataDir, what], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
}

function replaceBy(folder: string, copy: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  cpSync(copy, folder, { recursive: true });
}

test('A cut tail, a forged erasure and an older copy of the whole folder are found at the next start', async ({
  launch,
  keyStore,
}) => {
  test.setTimeout(180_000);
  let app = await startOn(launch, keyStore);
  const { dataDir } = app;
  await runCalls(app.page, [read]);
  expect(await verify(app)).toMatchObject({ ok: true, signed: true, olderCopy: { told: true } });
  await app.close();
  const older = `${dataDir}-older`;
  cpSync(dataDir, older, { recursive: true });

  app = await startOn(launch, keyStore, dataDir);
  await runCalls(app.page, [read, read]);
  expect(await verify(app)).toMatchObject({ ok: true, signed: true });
  await app.close();
  const newest = `${dataDir}-newest`;
  cpSync(dataDir, newest, { recursive: true });

  try {
    await test.step('(a) the tail is cut, and the head and what says that there was one go with it', async () => {
      alter(dataDir, 'cutTail');
      rmSync(join(dataDir, 'audit-head.json'));
      app = await startOn(launch, keyStore, dataDir);
      const verdict = await verify(app);
      expect(verdict).toMatchObject({ ok: false });
      expect(verdict.reason).toContain('key store knows');
      await app.close();
    });

    await test.step('(b) one call is made a tombstone', async () => {
      replaceBy(dataDir, newest);
      alter(dataDir, 'forgeErasure');
      app = await startOn(launch, keyStore, dataDir);
      const verdict = await verify(app);
      expect(verdict).toMatchObject({ ok: false });
      expect(verdict.reason).toContain('erased by somebody else');
      await app.close();
    });

    await test.step('(c) an older copy of it all; the person can go on from it, and the history says so', async () => {
      replaceBy(dataDir, older);
      app = await startOn(launch, keyStore, dataDir);
      expect((await verify(app)).reason).toContain('an older copy was put in its place');
      const dialog = await audit(app.page);
      await expect(dialog.getByText('The audit log is broken')).toBeVisible();
      await expectAccessible(app.page);
      await keepScreenshot(app.page, 'audit-older-copy');
      await dialog.getByRole('button', { name: 'Go on from this history' }).click();
      await expect(dialog.getByText('Audit log verified')).toBeVisible();
      await expect(dialog.getByText('carry no signature')).toBeVisible();
      expect(await verify(app)).toMatchObject({ ok: true, olderCopy: { told: true } });
      await app.close();
      app = await startOn(launch, keyStore, dataDir);
      expect(await verify(app)).toMatchObject({ ok: true, signed: true });
      await app.close();
    });
  } finally {
    for (const folder of [older, newest]) rmSync(folder, { recursive: true, force: true });
  }
});

test('A store that hangs, goes, or is locked stalls nothing, and what can’t be told then is said', async ({
  launch,
  keyStore,
}) => {
  test.setTimeout(180_000);
  let app = await startOn(launch, keyStore);
  const { dataDir } = app;
  expect(await verify(app)).toMatchObject({ ok: true, signed: true, olderCopy: { told: true } });
  keyStore.pause();
  await runCalls(app.page, [read, read]);
  expect(await verify(app)).toMatchObject({ ok: true, signed: true });
  await keyStore.end();
  await expect(app.page.getByText('An older copy of the history could not be told now')).toBeVisible();
  await runCalls(app.page, [read]);
  expect(await verify(app)).toMatchObject({ ok: true, signed: true, olderCopy: { told: true } });
  expect((await verify(app)).olderCopy?.words).toContain('only');
  await app.close();

  await keyStore.start();
  keyStore.pause();
  app = await startOn(launch, keyStore, dataDir);
  await expect(app.page.getByText('Keys that were kept can’t be opened')).toBeVisible();
  await runCalls(app.page, [read]);
  const silent = await verify(app);
  expect(silent).toMatchObject({ ok: true, signed: false, olderCopy: { told: false } });
  expect(silent.olderCopy?.words).toContain('did not answer');
  await app.close();

  await keyStore.start(null);
  app = await startOn(launch, keyStore, dataDir);
  await expect(app.page.getByText('Keys that were kept can’t be opened')).toBeVisible();
  await runCalls(app.page, [read]);
  expect(await verify(app)).toMatchObject({ ok: true, signed: false, olderCopy: { told: false } });
  await app.close();

  await keyStore.start();
  app = await startOn(launch, keyStore, dataDir);
  const again = await verify(app);
  expect(again).toMatchObject({ ok: true, signed: true, olderCopy: { told: true } });
  expect(again.unsigned).toHaveLength(1);
});

test('Without a key store it is said that an older copy can’t be told', async ({ launch }) => {
  const app = await launch({ files: FILES, flags: ['--gateway'], env: { DBUS_SESSION_BUS_ADDRESS: '' } });
  await runCalls(app.page, [read]);
  const verdict = await verify(app);
  expect(verdict).toMatchObject({ ok: true, signed: false, olderCopy: { told: false } });
  expect(verdict.olderCopy?.words).toContain('can’t be told');
  const dialog = await audit(app.page);
  await expect(dialog.getByText('Audit log verified')).toBeVisible();
  await expect(dialog.getByText('An older copy couldn’t be noticed', { exact: true })).toBeVisible();
  await expect(dialog.getByText('Not signed')).toBeVisible();
  await expectAccessible(app.page);
  await keepScreenshot(app.page, 'audit-no-key-store');
});
