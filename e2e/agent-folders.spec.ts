import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Locator, Page } from '@playwright/test';
import { callTool, type GatewayFile, gatewayOf } from './agent.js';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { approveAll, denyAll, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

async function connectIn(gateway: GatewayFile, token: string, folder: string): Promise<Client> {
  const client = new Client({ name: 'busy', version: '1.2' });
  const headers = { authorization: `Bearer ${token}`, 'gatehouse-workspace': folder };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', gateway.url), { requestInit: { headers } }));
  return client;
}

async function make(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New agent…' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
  const token = await page.getByRole('textbox', { name: 'Token' }).inputValue();
  await page.getByRole('button', { name: 'Done' }).click();
  return token;
}

async function pick(page: Page, card: Locator, name: string, option: string): Promise<void> {
  await card.getByRole('combobox', { name: `Where ${name} may work` }).press('Enter');
  await page.getByRole('option', { name: option }).press('Enter');
}

test('An agent works only in the folders it is given, in the session that it has and in each that it begins', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'one\n' }, flags: ['--gateway'] });
  const { page, workspace: one, dataDir } = app;
  const two = makeFolder('second');
  writeFiles(two, { 'b.txt': 'two\n' });
  await page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), two);
  const gateway = await gatewayOf(dataDir, app.pid);
  await goTo(page, 'Agents');
  const [token, other] = [await make(page, 'builder'), await make(page, 'tester')];
  const inOne = await connectIn(gateway, token, one);
  const inTwo = await connectIn(gateway, token, two);
  const others = await connectIn(gateway, other, two);
  expect(await callTool(inOne, 'read_file', { path: 'a.txt' })).toMatchObject({ text: 'one\n' });
  expect(await callTool(inTwo, 'read_file', { path: 'b.txt' })).toMatchObject({ text: 'two\n' });

  const card = page.getByRole('listitem', { name: 'builder' });
  await pick(page, card, 'builder', 'Only these folders');
  const box = (folder: string) => card.getByRole('checkbox', { name: folder });
  // The folder that stands first is given; the only one can't be taken away.
  await expect(card.getByRole('checkbox', { checked: true })).toHaveCount(1);
  await expect(card.getByRole('checkbox', { checked: true })).toBeDisabled();
  if (!(await box(one).isChecked())) {
    await box(one).press('Space');
    await expect(box(one)).toBeChecked();
    await box(two).press('Space');
  }
  await expect(box(two)).not.toBeChecked();
  await expect(box(one)).toBeDisabled();
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expectAccessible(page);
    await keepScreenshot(page, `agent-folders-${theme}`);
  }
  await resize(app, 640, 700);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await keepScreenshot(page, 'agent-folders-narrow');
  await resize(app, 1280, 800);
  expect(readFileSync(join(dataDir, 'config.toml'), 'utf8')).toContain(one);

  const refusal = await callTool(inTwo, 'read_file', { path: 'b.txt' });
  expect(refusal).toMatchObject({ isError: true, code: 'NotPermitted' });
  expect(refusal.text).not.toContain('two');
  expect(await callTool(inOne, 'read_file', { path: 'a.txt' })).toMatchObject({ text: 'one\n' });
  expect(await callTool(others, 'read_file', { path: 'b.txt' })).toMatchObject({ text: 'two\n' });
  await expect(connectIn(gateway, token, two)).rejects.toThrow(/403|NotPermitted/);

  await pick(page, card, 'builder', 'Every open folder');
  await expect(box(one)).toHaveCount(0);
  expect(await callTool(inTwo, 'read_file', { path: 'b.txt' })).toMatchObject({ text: 'two\n' });
  for (const client of [inOne, inTwo, others]) await client.close();
});

test('What waits on a sheet does not run where its agent may not work any more', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'one\n' }, flags: ['--gateway'] });
  const { page, workspace: one, dataDir } = app;
  const two = makeFolder('second');
  await page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), two);
  const gateway = await gatewayOf(dataDir, app.pid);
  await goTo(page, 'Agents');
  const token = await make(page, 'builder');
  const agent = await connectIn(gateway, token, two);
  const waits = callTool(agent, 'write_file', { path: 'new.txt', content: 'x\n' });
  await expect(sheet(page)).toContainText(basename(two));
  const set = (name: string, folders: string[] | null) =>
    page.evaluate(([who, where]) => window.gatehouse.client['agents.setFolders']({ name: who, folders: where }), [
      name,
      folders,
    ] as const);
  expect(await set('builder', [makeFolder('never-opened')])).toMatchObject({ ok: false });
  expect(await set('Not an agent', [one])).toMatchObject({ ok: false });
  expect(await set('builder', [one])).toMatchObject({ ok: true });
  const settled = waits.then(() => true);
  // Either it was settled with the change, or what is approved now is judged once more.
  if (await sheet(page).isVisible()) await Promise.race([settled, approveAll(page).catch(() => denyAll(page))]);
  expect(await waits).toMatchObject({ isError: true, code: 'NotPermitted' });
  expect(existsSync(join(two, 'new.txt'))).toBe(false);
  await agent.close();
});
