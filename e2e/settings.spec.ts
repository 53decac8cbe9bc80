import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

const row = (page: Page, key: string) => page.locator(`[data-key="${key}"]`);

test('A number: refused while wrong, kept when right, its source shown, and reset', async ({ launch }) => {
  const config = '# My own words\n[tools]\nmax_tool_calls_per_batch = 12 # a dozen\n';
  const { page, dataDir } = await launch({ files: {}, config });
  const file = () => readFileSync(join(dataDir, 'config.toml'), 'utf8');
  await goTo(page, 'Settings');
  const setting = row(page, 'tools.max_tool_calls_per_batch');
  const field = setting.getByRole('textbox', { name: 'Calls in one batch' });
  await expect(field).toHaveValue('12');
  await expect(setting.getByText('Set by you')).toBeVisible();

  await field.fill('many');
  await expect(setting.getByText('Enter a number.')).toBeVisible();
  await field.fill('5000');
  await field.press('Enter');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await expect(setting.getByText('Must be 1,000 or less.')).toBeVisible();
  expect(file()).toBe(config);

  await field.fill('20');
  await field.press('Enter');
  await expect.poll(file).toContain('max_tool_calls_per_batch = 20');
  expect(file()).toContain('# My own words');

  await setting.getByRole('button', { name: 'Reset to default: Calls in one batch' }).click();
  await expect(field).toHaveValue('8');
  await expect(setting.getByText('Default', { exact: true })).toBeVisible();
  expect(file()).not.toContain('max_tool_calls_per_batch');
});

test('Each kind of setting can be changed', async ({ gatehouse }) => {
  const { page, dataDir } = gatehouse;
  const path = join(dataDir, 'config.toml');
  const file = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  await goTo(page, 'Settings');
  await row(page, 'tools.run_command.network').getByRole('switch').click();
  await expect.poll(file).toContain('network = true');

  await row(page, 'tools.approval.mode').getByRole('combobox').click();
  await page.getByRole('option', { name: 'Deny' }).click();
  await expect.poll(file).toContain('mode = "deny"');

  const patterns = row(page, 'tools.sandbox.denied_patterns');
  await patterns.getByRole('textbox').fill('**/*.pem\nsecrets/**');
  await patterns.getByRole('button', { name: 'Save' }).click();
  await expect.poll(file).toContain('secrets/**');

  const definitions = row(page, 'tools.definitions');
  await definitions.getByRole('button', { name: 'Add a tool' }).click();
  await definitions.getByRole('textbox', { name: 'Name' }).fill('look');
  await definitions.getByRole('textbox', { name: 'Description' }).fill('Looks.');
  await definitions.getByRole('textbox', { name: 'Parameters' }).fill('{');
  await expect(definitions.getByText('This isn’t valid JSON.')).toBeVisible();
  await expect(definitions.getByRole('button', { name: 'Save' })).toBeDisabled();
  await definitions.getByRole('textbox', { name: 'Parameters' }).fill('{}');
  await definitions.getByRole('button', { name: 'Save' }).click();
  await expect.poll(file).toContain('Looks.');

  // Rules have a place of their own, and no second one.
  const confirmed = row(page, 'tools.approval.confirmed');
  await expect(confirmed.getByRole('textbox')).toHaveCount(0);
  await expect(confirmed.getByRole('button', { name: 'Open Rules' })).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'settings-changed');
});

test('What changes in the file shows in the window; what is broken there is named', async ({ gatehouse }) => {
  const { page, dataDir } = gatehouse;
  await goTo(page, 'Settings');
  await expect(row(page, 'tools.output.max_bytes').getByRole('textbox')).toHaveValue('100');
  await expect(row(page, 'tools.output.max_bytes').getByRole('combobox')).toContainText('KB');
  writeFileSync(join(dataDir, 'config.toml'), '[tools.output]\nmax_bytes = 2048\n');
  await expect(row(page, 'tools.output.max_bytes').getByRole('textbox')).toHaveValue('2');
  writeFileSync(join(dataDir, 'config.toml'), '[tools.output]\nmax_bytes = = 3\n');
  await expect(page.getByText('A settings file can’t be used')).toBeVisible();
  await expect(page.getByText(/line 2/).first()).toBeVisible();
  await expect(row(page, 'tools.output.max_bytes').getByRole('textbox')).toHaveValue('2');
  await keepScreenshot(page, 'settings-broken-file');
});

test('A workspace may tighten, and the page says that it did', async ({ launch }) => {
  const { page } = await launch({
    files: { '.gatehouse/config.toml': '[tools.output]\nmax_bytes = 1000\n' },
  });
  await goTo(page, 'Settings');
  const setting = row(page, 'tools.output.max_bytes');
  await expect(setting.getByRole('textbox')).toHaveValue('1000');
  await expect(setting.getByText('Tightened by this folder')).toBeVisible();
});

test('Settings are found by their words', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await goTo(page, 'Settings');
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('network commands');
  await expect(row(page, 'tools.run_command.network')).toBeVisible();
  await expect(row(page, 'tools.output.max_bytes')).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search settings' }).fill('zebra');
  await expect(page.getByRole('heading', { name: 'No matching settings' })).toBeVisible();
});

test('Sections in plain words: no switch without effect, a size in the unit that is chosen', async ({ gatehouse }) => {
  const { page, dataDir } = gatehouse;
  await goTo(page, 'Settings');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    'How it asks',
    'Files',
    'Commands',
    'Agents',
    'Hooks',
    'Model',
    'Limits',
    'App',
  ]);
  await expect(row(page, 'tools.allow_parallel')).toHaveCount(0);
  const largest = row(page, 'tools.max_tool_args_bytes');
  await expect(largest.getByRole('textbox', { name: 'Largest arguments' })).toHaveValue('256');
  await largest.getByRole('combobox', { name: 'Unit of Largest arguments' }).click();
  await page.getByRole('option', { name: 'MB' }).click();
  await expect(largest.getByRole('textbox')).toHaveValue('0.25');
  await largest.getByRole('textbox').fill('2');
  await largest.getByRole('textbox').press('Enter');
  await expect
    .poll(() => (existsSync(join(dataDir, 'config.toml')) ? readFileSync(join(dataDir, 'config.toml'), 'utf8') : ''))
    .toContain('max_tool_args_bytes = 2097152');
  for (const width of [1280, 640]) {
    await resize(gatehouse, width, 800);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expectAccessible(page);
      await keepScreenshot(page, `settings-${width}-${theme}`);
    }
  }
});

test('The theme is chosen and kept', async ({ launch }) => {
  const first = await launch({ files: {} });
  await goTo(first.page, 'Settings');
  await first.page.getByRole('combobox', { name: 'Theme' }).click();
  await first.page.getByRole('option', { name: 'Dark' }).click();
  await expect(first.page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await first.close();
  const second = await launch({ dataDir: first.dataDir, workspace: first.workspace });
  await expect(second.page.locator('html')).toHaveAttribute('data-theme', 'dark');
});
