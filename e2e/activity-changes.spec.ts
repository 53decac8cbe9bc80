import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { Locator, Page } from '@playwright/test';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { approveAll } from './compose-door.js';
import { expectAccessible, expectByKeyboard, keepScreenshot } from './look.js';
import { goTo, resize, watchForFaults } from './places.js';

const flags = ['--gateway'];
/** Edits that can be undone are made at once, and so are confined commands. */
const BALANCED = '[tools.approval]\ndenylist = []\ncommands = "sandbox"\nedits = "collect"\n';

const region = (page: Page): Locator => page.getByRole('region', { name: 'Changes', exact: true });
const row = (page: Page, name: string): Locator =>
  region(page).getByRole('list', { name: 'Changed files' }).getByRole('listitem').filter({ hasText: name });

async function edit(agent: Client, path: string, old: string, now: string): Promise<void> {
  await callTool(agent, 'read_file', { path });
  const patch = `LP1\nF ${path}\nR\n${old}\n.\n${now}\n.\nEND\n`;
  expect(await callTool(agent, 'apply_patch', { patch })).toMatchObject({ isError: false });
}

async function create(agent: Client, path: string): Promise<void> {
  expect(await callTool(agent, 'write_file', { path, content: 'new\n' })).toMatchObject({ isError: false });
}

test('Two calls on one file are one change; “Undo” brings back what it was before the first of them', async ({
  launch,
}) => {
  const app = await launch({ files: { 'src/a.txt': 'mine\nsame\n' }, flags, config: BALANCED });
  const { page } = app;
  const faults = watchForFaults(page);
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  await edit(agent, 'src/a.txt', 'mine', 'first');
  await edit(agent, 'src/a.txt', 'first', 'second\nmore');
  await create(agent, 'src/new.txt');
  await expect(row(page, 'a.txt')).toContainText('+2 −1');
  await expect(row(page, 'a.txt')).toContainText('2 calls');
  await expect(row(page, 'new.txt')).toContainText('new +1 −0');
  const diff = region(page).getByRole('region', { name: 'Changes, as one diff' });
  await expect(diff).toContainText('second');
  await expect(diff).toContainText('mine');
  await expect(diff).not.toContainText('first');
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expectAccessible(page);
    await keepScreenshot(page, `activity-changes-${theme}`);
  }

  // By the keyboard alone.
  await region(page).getByRole('button', { name: 'Undo src/a.txt' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Undo src/a.txt' });
  await expect(dialog.getByRole('list', { name: 'Files to undo' }).getByRole('listitem')).toHaveCount(1);
  await expect(dialog.getByRole('region', { name: 'What undoing does' })).toContainText('mine');
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-undo-path');
  await dialog.getByRole('button', { name: 'Undo changes (1)' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => readFileSync(join(app.workspace, 'src/a.txt'), 'utf8')).toBe('mine\nsame\n');
  await expect(row(page, 'a.txt')).toHaveCount(0);
  await expect(row(page, 'new.txt')).toHaveCount(1);

  // It is one call of the person’s own, and is undone as one.
  const detail = page.getByRole('complementary', { name: 'Call details' });
  await expect(detail).toContainText('Undo the changes of 2 calls');
  await detail.getByRole('button', { name: 'Undo changes' }).click();
  await page.getByRole('dialog', { name: 'Undo changes' }).getByRole('button', { name: 'Undo changes (1)' }).click();
  await expect.poll(() => readFileSync(join(app.workspace, 'src/a.txt'), 'utf8')).toBe('second\nmore\nsame\n');
  await expect(row(page, 'a.txt')).toContainText('+2 −1');
  expect(faults()).toEqual([]);
  await agent.close();
});

test('“Undo session” undoes all of it but what changed since, and says so before; another session’s stays', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }, flags, config: BALANCED });
  const { page } = app;
  const at = (name: string) => join(app.workspace, name);
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const [one, other] = [await connectAgent(gateway, 'one'), await connectAgent(gateway, 'other')];
  await edit(one, 'a.txt', 'a', 'a one');
  await edit(one, 'b.txt', 'b', 'b one');
  await edit(other, 'c.txt', 'c', 'c other');
  expect(await callTool(one, 'run_command', { command: 'echo more >> a.txt; echo made > made.txt' })).toMatchObject({
    isError: false,
  });
  appendFileSync(at('b.txt'), 'mine\n');

  await resize(app, 640, 800);
  await expectByKeyboard(page, page.locator('.gh-place'));
  await region(page).getByRole('button', { name: 'Undo session one 1.2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo session one 1.2' });
  await expect(dialog.getByRole('list', { name: 'Files to undo' }).getByRole('listitem')).toHaveCount(2);
  const stays = dialog.getByRole('list', { name: 'Files that stay' });
  await expect(stays.getByRole('listitem')).toHaveCount(1);
  await expect(stays).toContainText('b.txt It was edited after this call.');
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-undo-session');
  await resize(app, 640, 480);
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-undo-session-640');
  await dialog.getByRole('button', { name: 'Undo changes (2)' }).click();
  await expect.poll(() => readFileSync(at('a.txt'), 'utf8')).toBe('a\n');
  await expect.poll(() => existsSync(at('made.txt'))).toBe(false);
  expect(readFileSync(at('b.txt'), 'utf8')).toBe('b one\nmine\n');
  expect(readFileSync(at('c.txt'), 'utf8')).toBe('c other\n');
  for (const agent of [one, other]) await agent.close();
});

test('“Undo agent” undoes what it changed in all its sessions; what something else changed between is said', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' }, flags, config: BALANCED });
  const { page } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const made = await page.evaluate(() => window.gatehouse.client['agents.create']({ name: 'builder' }));
  const token = made.ok ? made.value.token : '';
  const first = await connectAgent({ ...gateway, token }, 'first');
  await edit(first, 'a.txt', 'a', 'a first');
  await edit(first, 'b.txt', 'b', 'b first');
  await first.close();
  writeFileSync(join(app.workspace, 'b.txt'), 'b mine\n');
  const second = await connectAgent({ ...gateway, token }, 'second');
  await edit(second, 'a.txt', 'a first', 'a second');
  await edit(second, 'b.txt', 'b mine', 'b second');
  await goTo(page, 'Activity');
  await expect(row(page, 'b.txt')).toContainText('also changed by another program');
  await expect(row(page, 'a.txt')).not.toContainText('also changed');

  await region(page).getByRole('button', { name: 'Undo agent builder' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo agent builder' });
  const files = dialog.getByRole('list', { name: 'Files to undo' });
  await expect(files.getByRole('listitem').filter({ hasText: 'b.txt' })).toContainText(
    'will be restored to what another program made of it between these calls',
  );
  await dialog.getByRole('button', { name: 'Undo changes (2)' }).click();
  await expect.poll(() => readFileSync(join(app.workspace, 'a.txt'), 'utf8')).toBe('a\n');
  expect(readFileSync(join(app.workspace, 'b.txt'), 'utf8')).toBe('b mine\n');
  await second.close();
});

test('One call of several is undone alone; a file without a copy is listed, and that it stays', async ({ launch }) => {
  const app = await launch({
    files: { 'a.txt': 'a\n' },
    flags,
    config: '[tools.approval]\ndenylist = []\nedits = "collect"\n',
  });
  const { page } = app;
  writeFileSync(join(app.workspace, 'large.bin'), Buffer.alloc(1_200_000));
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  await edit(agent, 'a.txt', 'a', 'a one');
  await create(agent, 'new.txt');
  const ran = callTool(agent, 'run_command', { command: 'echo x >> large.bin' });
  await approveAll(page);
  await ran;
  await expect(row(page, 'large.bin')).toContainText('can’t be undone: It was larger than 1 MiB');
  // In sight from the start: the contract names “Undo call” among the region's buttons.
  const calls = region(page).getByRole('list', { name: 'Calls behind them' });
  await expect(calls.locator('[data-call-id]')).toHaveCount(3);
  await calls.locator('li').filter({ hasText: 'new.txt' }).getByRole('button', { name: 'Undo call' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo changes' });
  await dialog.getByRole('button', { name: 'Undo changes (1)' }).click();
  await expect.poll(() => existsSync(join(app.workspace, 'new.txt'))).toBe(false);
  expect(readFileSync(join(app.workspace, 'a.txt'), 'utf8')).toBe('a one\n');
  await expect(row(page, 'new.txt')).toHaveCount(0);
  await agent.close();
});
