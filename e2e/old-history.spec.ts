import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { expect, makeFolder, projectDir, test } from './app.js';
import { canary, placesOf } from './canaries.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const RECORDS = join(projectDir, 'src-main/journal/writing/old-journal.test-support.ts');

test('What was recorded in the clear is found, told and erased by the person’s word, and the audit still verifies', async ({
  launch,
}) => {
  const dataDir = makeFolder('old-history');
  const secret = canary();
  execFileSync(electronExecutable(), [RECORDS, dataDir, secret], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
  });
  expect(placesOf([secret], dataDir)).not.toEqual([]);
  const app = await launch({ dataDir, flags: ['--password-store=basic'] });
  const { page } = app;
  await expect(page.getByRole('region', { name: 'Notices' })).toContainText('Older history may hold secrets');
  await goTo(page, 'History');
  await expect(page.getByText('Older calls may hold secrets in the clear')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Check them' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Erase old secrets?' });
  await expect(dialog).toContainText('2 places in 2 calls');
  await expect(dialog).toContainText('1 stored output');
  await expectAccessible(page);
  await keepScreenshot(page, 'older-secrets');
  // Looking erases nothing.
  expect(placesOf([secret], dataDir)).not.toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(page.getByText('Older calls may hold secrets in the clear')).toBeVisible();
  await page.getByRole('button', { name: 'Check them' }).press('Enter');
  await dialog.getByRole('button', { name: 'Erase' }).press('Enter');
  const erased = page.getByRole('dialog', { name: 'Erased' });
  await expect(erased).toContainText('2 places in 2 calls');
  expect(placesOf([secret], dataDir)).toEqual([]);
  await erased.getByRole('button', { name: 'Close' }).press('Enter');
  await expect(page.getByText('Older calls may hold secrets in the clear')).toHaveCount(0);
  await expect(page.getByText('Older history may hold secrets')).toHaveCount(0);

  await page.locator('tr[data-call-id="old-1"]').click();
  await expect(page.getByRole('region', { name: 'Result', exact: true })).toContainText('password=[redacted]');
  await page.getByRole('button', { name: 'Verify audit' }).click();
  await expect(page.getByRole('dialog', { name: 'Audit' })).toContainText('Audit log verified');
  await page.keyboard.press('Escape');
  await app.close();
  expect(placesOf([secret], dataDir)).toEqual([]);
  const again = await launch({ dataDir, flags: ['--password-store=basic'] });
  await goTo(again.page, 'History');
  await expect(again.page.locator('tr[data-call-id="old-1"]')).toBeVisible();
  await expect(again.page.getByText('Older calls may hold secrets in the clear')).toHaveCount(0);
});
