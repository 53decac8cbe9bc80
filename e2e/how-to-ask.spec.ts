import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const question = (page: Page) => page.getByRole('radiogroup', { name: 'How should Gatehouse ask?' });
const radio = (page: Page, name: string) => question(page).getByRole('radio', { name, exact: true });

test('Where nothing was set, it is asked on Welcome and where one lands; choosing alone writes nothing', async ({
  launch,
}) => {
  const { page, dataDir } = await launch({ files: null });
  const file = join(dataDir, 'config.toml');
  await expect(question(page)).toBeVisible();
  await expect(question(page).getByRole('radio')).toHaveCount(3);
  await expectAccessible(page);
  await keepScreenshot(page, 'how-to-ask-welcome');
  for (const name of ['Strict', 'Careful', 'Balanced']) {
    await radio(page, name).click();
    await expect(radio(page, name)).toBeChecked();
  }
  // It blocks nothing.
  await goTo(page, 'Settings');
  await page.getByRole('navigation').getByRole('link', { name: 'Activity', exact: true }).click();
  await expect(question(page)).toBeVisible();
  expect(existsSync(file)).toBe(false);
});

test('“Use this” writes all keys of the choice, by keyboard alone, and it is not asked again', async ({ launch }) => {
  const first = await launch({ files: {} });
  const { page, dataDir, workspace } = first;
  await expect(question(page)).toBeVisible();
  await keepScreenshot(page, 'how-to-ask-activity');
  await radio(page, 'Strict').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(radio(page, 'Balanced')).toBeChecked();
  await page.getByRole('button', { name: 'Use this' }).focus();
  await page.keyboard.press('Enter');
  await expect(question(page)).toHaveCount(0);
  const text = readFileSync(join(dataDir, 'config.toml'), 'utf8');
  for (const line of ['denylist = [', 'commands = "sandbox"', 'edits = "collect"', 'allow_absolute = true'])
    expect(text).toContain(line);
  expect(text).not.toContain('run_command');
  await goTo(page, 'Settings');
  for (const [key, value] of [
    ['tools.approval.commands', 'sandbox'],
    ['tools.approval.edits', 'collect'],
  ] as const)
    await expect(page.locator(`[data-key="${key}"]`).getByRole('combobox')).toContainText(value);
  await first.close();
  const again = await launch({ dataDir, workspace });
  await expect(again.page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
  await expect(question(again.page)).toHaveCount(0);
});
