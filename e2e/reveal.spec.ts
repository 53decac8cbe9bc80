import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { canary, placesOf } from './canaries.js';
import { approveAll } from './compose-door.js';
import { expect, test } from './key-store.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const COMMANDS = '[tools.approval]\ndenylist = []\nallowlist = ["read_file", "run_command"]\nmode = "auto"\n';

const sheetOf = (page: Page) => page.getByRole('dialog', { name: 'Approve tool calls' });

/** What commands that still run put out, as it stands on the disk. */
const storedSoFar = (dataDir: string): string =>
  readdirSync(join(dataDir, 'outputs', 'incoming'))
    .map((name) => readFileSync(join(dataDir, 'outputs', 'incoming', name), 'utf8'))
    .join('\n');

async function inTheme(page: Page, theme: 'light' | 'dark', look: () => Promise<void>): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await look();
}

test('A file of secrets asks, is given without values, and is revealed for one call or to the person, and to nobody else', async ({
  launch,
  keyStore,
}) => {
  test.setTimeout(120_000);
  // Names and a value that no detector knows.
  const [colour, key] = [canary(), canary()];
  const env = `COLOUR=${colour}\nAPI_KEY=${key}\nDEBUG=true\nPORT=8080\n`;
  const shown = 'COLOUR=[redacted]\nAPI_KEY=[redacted]\nDEBUG=true\nPORT=8080\n';
  const app = await launch({
    ...keyStore.options,
    flags: [...keyStore.options.flags, '--gateway'],
    config: COMMANDS,
    files: { '.env': env, '.env.example': 'COLOUR=\n' },
  });
  const { page } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const sheet = sheetOf(page);

  // Allowed in advance, both of them; a sample with nothing in it is read unasked.
  expect((await callTool(agent, 'read_file', { path: '.env.example' })).text).toBe('COLOUR=\n');
  const first = callTool(agent, 'read_file', { path: '.env' });
  await expect(sheet).toContainText('“.env” is a file of secrets.');
  const reveal = sheet.getByRole('switch', { name: 'Reveal for this call' });
  await expect(reveal).not.toBeChecked();
  for (const theme of ['light', 'dark'] as const) {
    await inTheme(page, theme, async () => {
      await expectAccessible(page);
      await keepScreenshot(page, `reveal-sheet-${theme}`);
    });
  }
  await approveAll(page);
  expect((await first).text).toBe(shown);

  // By a command it is the same.
  const named = callTool(agent, 'run_command', { command: 'cat .env' });
  await expect(sheet).toContainText('“.env” is a file of secrets.');
  await approveAll(page);
  expect((await named).text).toBe(shown);

  // Once revealed, with the keyboard alone.
  const second = callTool(agent, 'read_file', { path: '.env' });
  await expect(sheet).toContainText('Read .env');
  await reveal.focus();
  // Keys count once the sheet has stood for a moment.
  await expect
    .poll(async () => {
      await page.keyboard.press('Space');
      return reveal.isChecked();
    })
    .toBe(true);
  await approveAll(page);
  expect((await second).text).toBe(env);
  const { callId } = await second;
  const detail = await ask<{ result: string; redactions: number; capabilities: readonly string[] }>(
    gateway,
    `/v1/calls/${callId}`,
  );
  expect(detail).toMatchObject({ result: shown, redactions: 2 });
  expect(detail.capabilities).toContain('secrets.reveal');

  // The next one is asked and told nothing again.
  const third = callTool(agent, 'read_file', { path: '.env' });
  await expect(reveal).not.toBeChecked();
  await approveAll(page);
  expect((await third).text).toBe(shown);

  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${callId}"]`).click();
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('COLOUR=[redacted]');
  const secrets = page.getByRole('region', { name: 'Secrets', exact: true });
  await expect(secrets).toContainText('2 places of this call are shown as [redacted] here. You revealed them');
  expect(await page.content()).not.toContain(colour);
  await secrets.getByRole('button', { name: 'Reveal' }).focus();
  await page.keyboard.press('Enter');
  const revealed = page.getByRole('region', { name: 'Result, revealed' });
  await expect(revealed).toContainText(`COLOUR=${colour}`);
  for (const theme of ['light', 'dark'] as const) {
    await inTheme(page, theme, async () => {
      await expectAccessible(page);
      await keepScreenshot(page, `revealed-call-${theme}`);
    });
  }
  await secrets.getByRole('button', { name: 'Hide' }).press('Enter');
  await expect(revealed).toHaveCount(0);
  expect(await page.content()).not.toContain(colour);
  expect(placesOf([colour, key], app.dataDir)).toEqual([]);
  await app.kill();
  expect(placesOf([colour, key], app.dataDir)).toEqual([]);
  expect(readFileSync(join(app.workspace, '.env'), 'utf8')).toBe(env);
});

test('Killed while it waits, while it runs, and after: with a key store and without, nothing stands in the clear', async ({
  launch,
  keyStore,
}) => {
  test.setTimeout(180_000);
  for (const options of [keyStore.options, { flags: ['--password-store=basic'] }]) {
    const values = [canary(), canary(), canary()];
    const [inFile, inCommand, printed] = values as [string, string, string];
    const config = '[tools.approval]\ndenylist = []\n';
    const files = { '.env': `COLOUR=${inFile}\n`, 'out.txt': `DB_PASSWORD=${printed}\n` };
    const command = `cat .env out.txt; echo "password=${inCommand}"; echo done > began; sleep 60`;
    let app = await launch({ ...options, flags: [...options.flags, '--gateway'], config, files });
    const { dataDir, workspace } = app;
    const pending = async () => {
      const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
      callTool(agent, 'run_command', { command }).catch(() => undefined);
      await expect(sheetOf(app.page)).toContainText(inCommand);
    };
    await pending();
    await app.kill();
    expect(placesOf(values, dataDir), 'asked').toEqual([]);

    app = await launch({ ...options, flags: [...options.flags, '--gateway'], dataDir, workspace });
    if (options !== keyStore.options) await pending();
    await expect(sheetOf(app.page)).toContainText(inCommand);
    await approveAll(app.page);
    await expect.poll(() => storedSoFar(dataDir)).toContain('DB_PASSWORD=[redacted]');
    expect(placesOf(values, dataDir), 'runs').toEqual([]);
    await app.kill();
    expect(placesOf(values, dataDir), 'killed while it ran').toEqual([]);

    app = await launch({ ...options, flags: [...options.flags, '--gateway'], dataDir, workspace });
    await app.page
      .getByRole('dialog', { name: 'Unfinished work' })
      .getByRole('button', { name: 'Resume with partial results' })
      .click();
    expect(placesOf(values, dataDir), 'settled').toEqual([]);
    await app.kill();
    expect(placesOf(values, dataDir), 'killed after').toEqual([]);
  }
});
