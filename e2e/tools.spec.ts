import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

test('Every tool with its nature, schema and the policy in force', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await goTo(page, 'Tools');
  const list = page.getByRole('list', { name: 'Tools' });
  for (const name of ['read_file', 'list_directory', 'apply_patch', 'write_file', 'run_command']) {
    await list.getByRole('button', { name }).click();
    const tool = page.getByRole('region', { name, exact: true });
    await expect(tool.getByRole('heading', { name })).toBeVisible();
    await expect(tool.getByRole('combobox', { name: `Policy for ${name}` })).toBeVisible();
    await tool.getByRole('tab', { name: 'Arguments' }).click();
    await expect(tool.getByRole('region', { name: 'Schema of the arguments' })).toContainText('"properties"');
  }
  await expectAccessible(page);
});

test('A dangerous tool is loosened only deliberately, and by keyboard', async ({ gatehouse }) => {
  const { page, dataDir } = gatehouse;
  await goTo(page, 'Tools');
  await page.getByRole('list', { name: 'Tools' }).getByRole('button', { name: 'run_command' }).click();
  const policy = page.getByRole('combobox', { name: 'Policy for run_command' });
  await expect(policy).toContainText('Deny');
  await policy.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Ask each time' }).click();
  const dialog = page.getByRole('dialog', { name: 'Let agents request run_command?' });
  await expect(dialog.getByRole('button', { name: 'Turn on' })).toBeDisabled();
  await keepScreenshot(page, 'tools-confirm');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(policy).toContainText('Deny');

  await policy.click();
  await page.getByRole('option', { name: 'Ask each time' }).click();
  await dialog.getByRole('checkbox').click();
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await expect(policy).toContainText('Ask each time');
  await expect.poll(() => readFileSync(join(dataDir, 'config.toml'), 'utf8')).toContain('denylist');
});

test('What would happen to this call?', async ({ launch }) => {
  const { page } = await launch({ files: { 'README.md': '# Hello\n' } });
  await goTo(page, 'Tools');
  await page.getByRole('list', { name: 'Tools' }).getByRole('button', { name: 'read_file' }).click();
  await page.getByRole('tab', { name: 'What would happen?' }).click();
  const args = page.getByRole('textbox', { name: 'Arguments (JSON)' });
  await args.fill('{"path":"README.md"}');
  await expect(page.getByText('It would run without asking')).toBeVisible();
  await args.fill('{"path":"../secret"}');
  await expect(page.getByText('It would be refused: PathOutsideSandbox')).toBeVisible();
  await args.fill('{"path":');
  await expect(page.getByText(/^This isn’t valid JSON/)).toBeVisible();
  await expect(args).toHaveAttribute('aria-invalid', 'true');
  await args.fill('{"path":"README.md"}');
  await expectAccessible(page);
  await keepScreenshot(page, 'tools-tester');

  // Nothing ran: nothing is in the history.
  await goTo(page, 'History');
  await expect(page.getByRole('heading', { name: 'No calls yet' })).toBeVisible();
});
