import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, type Gatehouse, type Launch, test } from './app.js';
import { approveAll, command, COMMANDS_ALLOWED, runBatch, sheet, write } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Unfinished work' });

/** Ends the app in the middle of its second call, as a crash does, and starts it again on what that left. */
async function crashInTheMiddle(launch: Launch): Promise<Gatehouse> {
  const first = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runBatch(first.page, [
    write('done.txt'),
    command('echo begun; touch touched.txt; sleep 600'),
    write('later.txt'),
  ]);
  await approveAll(first.page);
  await expect.poll(() => existsSync(join(first.workspace, 'touched.txt'))).toBe(true);
  await expect(first.page.getByRole('region', { name: 'Output of run_command' })).toContainText('begun');
  const process = first.electron.process();
  const ended = new Promise<void>((done) => void process.once('exit', () => done()));
  process.kill('SIGKILL');
  await ended;
  return await launch({ dataDir: first.dataDir, workspace: first.workspace });
}

test('After a crash the story is told call by call, and nothing else can start before it is answered', async ({
  launch,
}) => {
  const { page, workspace } = await crashInTheMiddle(launch);
  const dialog = dialogOf(page);
  await expect(dialog).toBeVisible();
  await expect(dialog.locator('[data-standing="finished"]')).toContainText('done.txt');
  await expect(dialog.locator('[data-standing="may-have-run"]')).toContainText('sleep 600');
  await expect(dialog.locator('[data-standing="may-have-run"]')).toContainText('May have run');
  await expect(dialog.locator('[data-standing="not-started"]')).toContainText('later.txt');
  await expectAccessible(page);
  await keepScreenshot(page, 'recovery');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  // What lies behind is out of reach for keyboard and assistive technology alike.
  await expect(page.getByRole('link', { name: 'Compose' })).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Resume with partial results' }).click();
  await expect(dialog).toHaveCount(0);
  expect(existsSync(join(workspace, 'later.txt'))).toBe(false);
  await page.getByRole('link', { name: 'History' }).click();
  await expect(page.getByRole('table', { name: 'Calls' })).toContainText('done.txt');
});

test('Discarding leaves what was done, and the app goes on', async ({ launch }) => {
  const { page, workspace } = await crashInTheMiddle(launch);
  await dialogOf(page).getByRole('button', { name: 'Discard results' }).click();
  await expect(dialogOf(page)).toHaveCount(0);
  expect(existsSync(join(workspace, 'done.txt'))).toBe(true);
  await runBatch(page, [{ tool: 'read_file', arguments: { path: 'done.txt' } }]);
  await expect(page.getByRole('region', { name: 'Results' }).locator('[data-state="completed"]')).toBeVisible();
});

test('A call that waited for a decision is asked again after a crash', async ({ launch }) => {
  const first = await launch({ files: {} });
  await runBatch(first.page, [write('asked.txt')]);
  await expect(sheet(first.page)).toBeVisible();
  const process = first.electron.process();
  const ended = new Promise<void>((done) => void process.once('exit', () => done()));
  process.kill('SIGKILL');
  await ended;
  const again = await launch({ dataDir: first.dataDir, workspace: first.workspace });
  await expect(sheet(again.page).getByRole('group', { name: /asked\.txt/ })).toBeVisible();
  await approveAll(again.page);
  await expect.poll(() => existsSync(join(again.workspace, 'asked.txt'))).toBe(true);
});
