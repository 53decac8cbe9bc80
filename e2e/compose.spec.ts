import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './app.js';
import { approveAll, calls, expectStates, results, runBatch, write } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

test('A call is built from its form, run, and its result shown', async ({ launch }) => {
  const { page } = await launch({ files: { 'notes.txt': 'one\ntwo\n' } });
  await page.getByRole('link', { name: 'Compose' }).click();
  await page.getByRole('button', { name: 'Add read_file' }).click();
  const form = page.getByRole('group', { name: 'Arguments of read_file as a form' });
  await form.getByRole('textbox', { name: 'path' }).fill('notes.txt');
  await expect(page.getByRole('listitem', { name: 'Call 1: read_file' })).toContainText('Read notes.txt');
  await expect(page.getByRole('textbox', { name: 'Arguments as JSON' })).toHaveValue(/"path": "notes\.txt"/);
  await expectAccessible(page);
  await keepScreenshot(page, 'compose-form');
  await page.getByRole('button', { name: 'Run batch' }).click();
  await expectStates(page, ['completed']);
  const [card] = await calls(page).all();
  await card?.getByRole('button', { expanded: false }).first().click();
  await expect(card?.getByRole('region', { name: 'Result' }) ?? page.locator('nothing')).toContainText('two');
  await expectAccessible(page);
  await keepScreenshot(page, 'compose-result');
});

test('The form says what is wrong where it is wrong, and the text beside it says where', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await page.getByRole('link', { name: 'Compose' }).click();
  await page.getByRole('button', { name: 'Add read_file' }).click();
  const text = page.getByRole('textbox', { name: 'Arguments as JSON' });
  await text.fill('{"path": ');
  await expect(page.getByText('Line 1, column 10: The text ends too early.').first()).toBeVisible();
  await page.getByRole('button', { name: 'Run batch' }).click();
  await expect(page.getByRole('alert')).toContainText('Call 1 (read_file)');
  await text.fill('{"path": "../outside"}');
  await expect(page.getByRole('listitem', { name: 'Call 1: read_file' })).toContainText(/outside/i);
});

test('Calls are moved by buttons and by keys, and run in that order', async ({ launch }) => {
  const { page } = await launch({ files: { a: 'A', b: 'B', c: 'C' } });
  await page.getByRole('link', { name: 'Compose' }).click();
  await page.getByRole('button', { name: 'Paste batch' }).click();
  await page
    .getByRole('textbox', { name: 'Batch' })
    .fill(JSON.stringify(['a', 'b', 'c'].map((path) => ({ tool: 'read_file', arguments: { path } }))));
  await page.getByRole('button', { name: 'Show as forms' }).click();
  const order = () => page.locator('.gh-draft .gh-call-summary').allTextContents();
  await expect
    .poll(async () => (await order()).map((text) => text.slice(0, 6)))
    .toEqual(['Read a', 'Read b', 'Read c']);
  await page.getByRole('listitem', { name: 'Call 3: read_file' }).getByRole('button', { name: 'Move up' }).click();
  await page.getByRole('listitem', { name: 'Call 1: read_file' }).getByRole('button', { expanded: false }).focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect
    .poll(async () => (await order()).map((text) => text.slice(0, 6)))
    .toEqual(['Read c', 'Read a', 'Read b']);
  await page.getByRole('button', { name: 'Run batch' }).click();
  await expectStates(page, ['completed', 'completed', 'completed']);
  await expect(calls(page).first()).toContainText('Read c');
});

test('A pasted batch says where it is wrong and runs nothing', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await runBatch(page, '[{"tool":"read_file","arguments":{}},]');
  await expect(page.getByRole('alert')).toContainText('Line 1, column 38');
  await expect(results(page)).toHaveCount(0);
  await runBatch(page, '[{"tool":"read_file","argument":{}}]');
  await expect(page.getByRole('alert')).toContainText('“argument”'.replaceAll(/[“”]/g, '"'));
});

test('Every way to end is shown with its mark and its reason', async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'a' } });
  await runBatch(page, [
    { tool: 'read_file', arguments: { path: 'a.txt' } },
    { tool: 'read_file', arguments: { path: 'missing.txt' } },
    { tool: 'read_file', arguments: { path: '../../etc/passwd' } },
    { tool: 'no_such_tool', arguments: {} },
    { tool: 'run_command', arguments: { command: 'true' } },
  ]);
  await expectStates(page, ['completed', 'failed', 'denied', 'failed', 'denied']);
  await expect(calls(page).nth(1)).toContainText('ExecutionFailed');
  await expect(calls(page).nth(2)).toContainText('PathOutsideSandbox');
  await expect(calls(page).nth(3)).toContainText('UnknownTool');
  await expect(calls(page).nth(4)).toContainText('Denylisted');
  await expectAccessible(page);
  await keepScreenshot(page, 'compose-outcomes');
});

test('A batch that was run is kept and can be taken again, also after the draft is gone', async ({ launch }) => {
  const { page } = await launch({ files: { 'a.txt': 'a' } });
  await runBatch(page, [{ tool: 'read_file', arguments: { path: 'a.txt' } }]);
  await expectStates(page, ['completed']);
  await page.getByRole('link', { name: 'Tools' }).click();
  await page.getByRole('link', { name: 'Compose' }).click();
  await expect(results(page)).toBeVisible();
  await page.getByRole('button', { name: 'Recent batches' }).click();
  await page.getByRole('menuitem', { name: /1 call: read_file/ }).click();
  await expect(page.getByRole('listitem', { name: 'Call 1: read_file' })).toContainText('Read a.txt');
});

test('What a call wrote is undone from its own view, and the undo is a call too', async ({ launch }) => {
  const { page, workspace } = await launch({ files: {} });
  await runBatch(page, [write('new.txt', 'fresh\n')]);
  await approveAll(page);
  await expectStates(page, ['completed']);
  expect(readFileSync(join(workspace, 'new.txt'), 'utf8')).toBe('fresh\n');
  await calls(page).first().getByRole('button', { name: 'Open in the details' }).click();
  const detail = page.getByRole('complementary', { name: 'Call details' });
  await detail.getByRole('button', { name: 'Undo changes' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo changes' });
  await expect(dialog).toContainText('new.txt');
  await expect(dialog).toContainText('fresh');
  await expectAccessible(page);
  await keepScreenshot(page, 'undo-dialog');
  await dialog.getByRole('button', { name: 'Undo changes' }).click();
  await expect(dialog).toHaveCount(0);
  await expect.poll(() => existsSync(join(workspace, 'new.txt'))).toBe(false);
  await expect(detail.locator('[data-tool="undo_changes"]')).toHaveAttribute('data-state', 'completed');
});
