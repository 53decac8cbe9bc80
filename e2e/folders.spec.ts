import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, type Gatehouse, makeFolder, test, writeFiles } from './app.js';
import { approveAll, calls, command, expectStates, runBatch, sheet, write } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

const tabs = (page: Page) => page.getByRole('tablist', { name: 'Workspaces' }).getByRole('tab');
const tab = (page: Page, folder: string) => tabs(page).filter({ hasText: basename(folder) });
const closing = (page: Page, folder: string) => page.getByRole('button', { name: `Close ${basename(folder)}` });

/** Opens it beside, as the menu's list of recent folders does. */
async function openBeside({ page }: Gatehouse, folder: string): Promise<void> {
  const opened = await page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), folder);
  expect(opened.ok).toBe(true);
  await expect(tab(page, folder)).toHaveAttribute('aria-selected', 'true');
}

function second(files: Readonly<Record<string, string>> = {}): string {
  const folder = makeFolder('second');
  writeFiles(folder, files);
  return folder;
}

test('Folders have tabs: by keyboard alone they are gone through, shown and closed', async ({ launch }) => {
  const app = await launch();
  const { page, workspace: one } = app;
  const [two, three] = [second(), second()];
  await expect(tabs(page)).toHaveCount(1);
  for (const folder of [two, three]) await openBeside(app, folder);
  await expect(tabs(page)).toHaveCount(3);
  await tab(page, three).focus();
  await page.keyboard.press('ArrowRight');
  await expect(tab(page, one)).toBeFocused();
  await expect(tab(page, one)).toHaveAttribute('aria-selected', 'true');
  await expect
    .poll(() => app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getTitle()))
    .toContain(basename(one));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(tab(page, two)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('End');
  await expect(tab(page, three)).toBeFocused();
  await expectAccessible(page);
  await keepScreenshot(page, 'folders');
  await page.emulateMedia({ colorScheme: 'dark' });
  await keepScreenshot(page, 'folders-dark');
  await page.setViewportSize({ width: 640, height: 480 });
  await keepScreenshot(page, 'folders-narrow');
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await page.keyboard.press('Delete');
  await expect(tabs(page)).toHaveCount(2);
  await expect(tab(page, two)).toBeFocused();
  await closing(page, two).press('Enter');
  await closing(page, one).press('Enter');
  await expect(page.getByRole('tablist', { name: 'Workspaces' })).toHaveCount(0);
  await page.getByRole('link', { name: 'Compose' }).click();
  await expect(page.getByRole('button', { name: 'Open workspace…' })).toBeVisible();
});

test('A folder in which a call waits is closed only when the person says so, and its agent is told so after', async ({
  launch,
}) => {
  const app = await launch({ flags: ['--gateway'] });
  const { page, workspace: one, dataDir } = app;
  const gateway = await gatewayOf(dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const two = second();
  await openBeside(app, two);
  const waits = callTool(agent, 'write_file', { path: 'new.txt', content: 'x' });
  await expect(sheet(page)).toBeVisible();
  await expect(sheet(page)).toContainText(basename(one));
  await closing(page, one).click();
  const question = page.getByRole('dialog', { name: 'Close this folder?' });
  await expect(question).toContainText('1 call is waiting or running in');
  await question.getByRole('button', { name: 'Keep open' }).click();
  await expect(tab(page, one)).toBeVisible();
  await closing(page, one).click();
  await question.getByRole('button', { name: 'Stop it and close' }).click();
  expect(await waits).toMatchObject({ code: 'Cancelled' });
  await expect(sheet(page)).toHaveCount(0);
  await expect(tabs(page)).toHaveCount(1);
  expect(await callTool(agent, 'list_directory', { path: '.' })).toMatchObject({ code: 'NotPermitted' });
  expect(await ask(gateway, '/v1/status')).toMatchObject({ workspace: two, workspaces: [two] });
  expect(existsSync(join(one, 'new.txt'))).toBe(false);
  await agent.close();
});

test('What a call changed is undone where it was: in a folder that is not shown, and in one that was closed', async ({
  launch,
}) => {
  const app = await launch();
  const { page, workspace: one } = app;
  const two = second();
  await runBatch(page, [write('a.txt'), write('b.txt')]);
  await approveAll(page);
  await expectStates(page, ['completed', 'completed']);
  const [first, other] = await calls(page).evaluateAll((all) => all.map((each) => each.getAttribute('data-call-id')));
  await openBeside(app, two);
  writeFiles(two, { 'a.txt': 'another\n' });
  const undo = async (callId: string | null | undefined) => {
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator(`tr[data-call-id="${callId}"], [data-call-id="${callId}"]`).first().click();
    await page.getByRole('button', { name: 'Undo changes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Undo changes' });
    await dialog.getByRole('button', { name: 'Undo changes' }).click();
    await expect(dialog).toHaveCount(0);
  };
  await undo(first);
  expect([existsSync(join(one, 'a.txt')), existsSync(join(one, 'b.txt'))]).toEqual([false, true]);
  await closing(page, one).click();
  await expect(tabs(page)).toHaveCount(1);
  await undo(other);
  expect(existsSync(join(one, 'b.txt'))).toBe(false);
  expect(readFileSync(join(two, 'a.txt'), 'utf8')).toBe('another\n');
});

test('History says where each call was, who decided it and what came of it, and finds calls by each', async ({
  launch,
}) => {
  const app = await launch({ config: '[tools.approval]\ndenylist = []\n' });
  const { page, workspace: one } = app;
  const two = second();
  await runBatch(page, [write('a.txt', 'one\ntwo\n'), command('exit 3')]);
  await approveAll(page);
  await expectStates(page, ['completed', 'failed']);
  await openBeside(app, two);
  await runBatch(page, [{ tool: 'list_directory', arguments: { path: '.' } }]);
  await expectStates(page, ['completed']);
  await page.getByRole('link', { name: 'History' }).click();
  const table = page.getByRole('table', { name: 'Calls' });
  const rows = table.locator('[data-call-id]');
  await expect(rows).toHaveCount(3);
  const row = (tool: string) => table.locator(`[data-tool="${tool}"]`);
  for (const said of ['+2', '−0', 'You', basename(one)]) await expect(row('write_file')).toContainText(said);
  await expect(row('run_command').locator('.gh-history-exit')).toHaveText('3');
  for (const said of ['Settings', basename(two)]) await expect(row('list_directory')).toContainText(said);
  await expectAccessible(page);
  await keepScreenshot(page, 'history-folders');
  const choose = async (filter: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: filter }).click();
    await page.getByRole('option', { name: option }).click();
  };
  const only = async (filter: string, option: string, any: string, tools: readonly string[]): Promise<void> => {
    await choose(filter, option);
    await expect
      .poll(() => rows.evaluateAll((all) => all.map((each) => each.getAttribute('data-tool'))), { message: filter })
      .toEqual(tools);
    await choose(filter, any);
  };
  await only('Folder', one, 'Any folder', ['run_command', 'write_file']);
  await only('Decided by', 'Settings', 'Decided by anyone', ['list_directory']);
  await only('Changes', 'Changed files', 'With or without changes', ['write_file']);
  await only('Exit code', 'Another exit code', 'Any exit code', ['run_command']);
  await expect(rows).toHaveCount(3);
  await page.getByLabel('Day', { exact: true }).fill('2020-02-02');
  await expect(page.getByRole('heading', { name: 'No matching calls' })).toBeVisible();
});

test('Two folders, two agents, one app, kill -9: each comes back to its own', async ({ launch }) => {
  const app = await launch({ flags: ['--gateway'] });
  const { workspace: one, dataDir } = app;
  const two = second({ 'which.txt': 'two' });
  writeFiles(one, { 'which.txt': 'one' });
  const gateway = await gatewayOf(dataDir, app.pid);
  const first = await connectAgent(gateway, 'first agent');
  await openBeside(app, two);
  const later = await connectAgent(gateway, 'later agent');
  const which = async (agent: typeof first) => (await callTool(agent, 'read_file', { path: 'which.txt' })).text;
  expect([await which(first), await which(later)]).toEqual(['one', 'two']);
  for (const agent of [first, later])
    callTool(agent, 'write_file', { path: 'new.txt', content: 'x' }).catch(() => undefined);
  type Waiting = { readonly approvals: readonly { readonly callId: string }[] };
  await expect.poll(async () => (await ask<Waiting>(gateway, '/v1/approvals')).approvals.length).toBe(2);
  await app.kill();
  const again = await launch({ dataDir, files: null, flags: ['--gateway'] });
  await expect(tabs(again.page)).toHaveCount(2);
  await expect(tab(again.page, two)).toHaveAttribute('aria-selected', 'true');
  const after = await gatewayOf(dataDir, again.pid);
  await expect.poll(async () => (await ask<Waiting>(after, '/v1/approvals')).approvals.length).toBe(2);
  // Each is asked in its own folder, and made there.
  for (const _ of [one, two]) await approveAll(again.page);
  await expect.poll(() => [one, two].map((folder) => existsSync(join(folder, 'new.txt')))).toEqual([true, true]);
  rmSync(two, { recursive: true });
});
