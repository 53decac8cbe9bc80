import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize, runCalls } from './places.js';

const CONFIG = `
[tools]
max_tool_calls_per_batch = 1000

[tools.approval]
mode = "auto"
prompt_side_effects = false
`;

const FILES = { 'notes/apple.txt': 'An apple.\n', 'notes/pear.txt': 'A pear.\n' };
const read = (path: string) => ({ tool: 'read_file', arguments: { path } });
const calls = (page: Page) => page.getByRole('table', { name: 'Calls' });
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search calls' });

test('An empty history says what will be there', async ({ gatehouse }) => {
  await goTo(gatehouse.page, 'History');
  await expect(gatehouse.page.getByRole('heading', { name: 'No calls yet' })).toBeVisible();
  await gatehouse.page.getByRole('button', { name: 'Compose a call' }).click();
  await expect(gatehouse.page.getByRole('heading', { level: 1, name: 'Compose' })).toBeVisible();
});

test('Search as you type, filters, and one view of a call', async ({ launch }) => {
  const { page } = await launch({ files: FILES, config: CONFIG });
  const [apple] = await runCalls(page, [read('notes/apple.txt'), read('notes/pear.txt'), read('../outside.txt')]);
  await goTo(page, 'History');
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(3);

  await search(page).fill('apple');
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(1);
  await expect(calls(page).locator('[data-call-id]')).toHaveAttribute('data-call-id', apple ?? '');
  await expect(calls(page).locator('[data-call-id]')).toHaveAttribute('data-tool', 'read_file');
  await expect(calls(page).locator('[data-call-id]')).toHaveAttribute('data-state', 'completed');
  await search(page).fill('no such word');
  await expect(page.getByRole('heading', { name: 'No matching calls' })).toBeVisible();
  await page.getByRole('button', { name: 'Show all calls' }).click();

  await page.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Denied' }).click();
  await expect(calls(page).locator('[data-state="denied"]')).toHaveCount(1);
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(1);

  await calls(page).locator('[data-call-id]').click();
  const details = page.getByRole('complementary', { name: 'Call details' });
  await expect(details).toContainText('../outside.txt');
  // The row has one word for the end, as everywhere; the code stands with the call.
  await expect(details).toContainText('PathOutsideSandbox');
  await expectAccessible(page);
  await keepScreenshot(page, 'history-details');
  await details.getByRole('button', { name: 'Close the details' }).click();
  await expect(details).toHaveCount(0);
});

test('By keyboard alone: down the list, open, pin, resize, close', async ({ launch }) => {
  const { page } = await launch({ files: FILES, config: CONFIG });
  await runCalls(page, [read('notes/apple.txt'), read('notes/pear.txt'), read('notes/apple.txt')]);
  await goTo(page, 'History');
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(3);
  await calls(page).getByRole('button').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(calls(page).getByRole('row').nth(3).getByRole('button')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(calls(page).getByRole('row').nth(1).getByRole('button')).toBeFocused();
  await page.keyboard.press('Enter');
  const details = page.getByRole('complementary', { name: 'Call details' });
  await expect(details).toBeVisible();

  await details.getByRole('button', { name: 'Keep the details open' }).click();
  await goTo(page, 'Tools');
  await expect(details).toBeVisible();
  const handle = details.getByRole('separator', { name: 'Width of the details' });
  const before = (await details.boundingBox())?.width ?? 0;
  await handle.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await details.boundingBox())?.width ?? 0).toBeGreaterThan(before);
  await details.getByRole('button', { name: 'Unpin the details' }).click();
  await goTo(page, 'History');
  await expect(details).toHaveCount(0);
});

test('What happens while one looks appears at the top', async ({ launch }) => {
  const { page } = await launch({ files: FILES, config: CONFIG });
  await runCalls(page, [read('notes/apple.txt')]);
  await goTo(page, 'History');
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(1);
  const [pear] = await runCalls(page, [read('notes/pear.txt')]);
  await expect(calls(page).locator('[data-call-id]').first()).toHaveAttribute('data-call-id', pear ?? '');
});

test('Undo takes a change back, and leaves alone what was changed since', async ({ launch }) => {
  const { page, workspace } = await launch({ files: { 'a.txt': 'one\n', 'b.txt': 'one\n' }, config: CONFIG });
  const edit = (name: string) => `F ${name}\nR\none\n.\ntwo\n.\n`;
  const patch = `LP1\n${edit('a.txt')}${edit('b.txt')}END\n`;
  const [, , call] = await runCalls(page, [
    read('a.txt'),
    read('b.txt'),
    { tool: 'apply_patch', arguments: { patch } },
  ]);
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('two\n');
  writeFileSync(join(workspace, 'b.txt'), 'mine\n');

  await goTo(page, 'History');
  await calls(page).locator(`[data-call-id="${call}"]`).click();
  await page.getByRole('button', { name: 'Undo changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo changes' });
  await expect(dialog.getByRole('checkbox', { name: /b\.txt/ })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Compare the versions of b.txt' }).click();
  const versions = dialog.getByRole('tablist', { name: 'Versions of b.txt' });
  await versions.getByRole('tab', { name: 'Now (changed since)' }).click();
  await expect(dialog.getByRole('region', { name: 'Now' })).toHaveText('mine\n');
  await versions.getByRole('tab', { name: 'Before the call' }).click();
  await expect(dialog.getByRole('region', { name: 'Before the call' })).toHaveText('one\n');
  await expectAccessible(page);
  await keepScreenshot(page, 'undo');
  await dialog.getByRole('button', { name: /^Undo/ }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n');
  expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('mine\n');
  await expect(calls(page).locator('[data-tool="undo_changes"]')).toHaveCount(1);
});

test('What is shown can be exported, by keyboard', async ({ launch }) => {
  const { page, electron, dataDir } = await launch({ files: FILES, config: CONFIG });
  await runCalls(page, [read('notes/apple.txt'), read('notes/pear.txt')]);
  await goTo(page, 'History');
  await search(page).fill('pear');
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(1);
  const file = join(dataDir, 'export.jsonl');
  await electron.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, file);
  await page.getByRole('button', { name: 'Export' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Markdown' })).toBeFocused();
  await page.getByRole('menuitem', { name: 'JSON lines' }).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Exported' })).toContainText('export.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  expect(lines.join('\n')).toContain('notes/pear.txt');
  expect(lines.join('\n')).not.toContain('notes/apple.txt');
});

test('Verify audit says whether the record is whole', async ({ launch }) => {
  const { page } = await launch({ files: FILES, config: CONFIG });
  await runCalls(page, [read('notes/apple.txt')]);
  await goTo(page, 'History');
  await page.getByRole('button', { name: 'Verify audit' }).click();
  const verdict = page.getByRole('dialog', { name: 'Audit' });
  await expect(verdict.getByText('Audit log verified')).toBeVisible();
  await expect(verdict.locator('code')).toHaveText(/^[\da-f]{64}$/);
  await expectAccessible(page);
  await keepScreenshot(page, 'audit');
  await page.keyboard.press('Escape');
  await expect(verdict).toHaveCount(0);
});

test('Ten thousand calls: all can be reached, few are drawn, search finds one', async ({ launch }) => {
  test.setTimeout(600_000);
  const app = await launch({ files: { ...FILES, 'needle.txt': 'x\n' }, config: CONFIG });
  const { page } = app;
  await resize(app, 1200, 800);
  await runCalls(page, [read('needle.txt')]);
  for (let batch = 0; batch < 10; batch += 1) {
    await runCalls(
      page,
      Array.from({ length: 1000 }, (_, n) => read(n % 2 === 0 ? 'notes/apple.txt' : 'missing.txt')),
    );
  }
  await goTo(page, 'History');
  await expect(calls(page).locator('[data-call-id]').first()).toBeVisible();
  expect(await calls(page).locator('[data-call-id]').count()).toBeLessThan(80);

  // To the very end, page after page, as a held-down End key would.
  await calls(page).getByRole('button').first().focus();
  const count = page.getByText(/^[\d,]+ calls/);
  for (let known = await count.textContent(); known !== '10,001 calls'; known = await count.textContent()) {
    await page.keyboard.press('End');
    await expect(count).not.toHaveText(known ?? '');
  }
  await page.keyboard.press('End');
  await expect(calls(page).getByRole('row').last()).toHaveAttribute('aria-rowindex', '10002');
  await expect(calls(page).getByText('needle.txt')).toBeVisible();
  expect(await calls(page).locator('[data-call-id]').count()).toBeLessThan(80);

  await search(page).fill('needle');
  await expect(calls(page).locator('[data-call-id]')).toHaveCount(1);
});
