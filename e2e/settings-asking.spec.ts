import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

test('“You can change it under Settings” leads there, and a choice is changed there', async ({ gatehouse }) => {
  const { page, dataDir } = gatehouse;
  await goTo(page, 'Activity');
  await page.getByRole('radio', { name: 'Balanced' }).click();
  await page.getByRole('button', { name: 'Use this' }).click();
  await page.getByRole('button', { name: 'You can change it under Settings' }).click();
  const asks = page.getByRole('radiogroup', { name: 'How it asks' });
  await expect(asks).toBeInViewport();
  await expect(asks.getByRole('radio', { name: 'Balanced' })).toBeChecked();
  await expect(asks.getByRole('radio', { name: 'Your own' })).toHaveCount(0);
  const file = join(dataDir, 'config.toml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n# mine\n[journal]\nkeep_days = 7\n`);
  await asks.getByRole('radio', { name: 'Strict' }).click();
  await page.getByRole('button', { name: 'Use Strict' }).click();
  await expect(page.getByRole('button', { name: 'Use Strict' })).toHaveCount(0);
  await expect(asks.getByRole('radio', { name: 'Strict' })).toBeChecked();
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('commands = "ask"');
  expect(text).toContain('run_command');
  expect(text).toContain('# mine\n[journal]\nkeep_days = 7');
  writeFileSync(file, text.replace('commands = "ask"', 'commands = "sandbox"'));
  await expect(asks.getByRole('radio', { name: 'Your own' })).toBeChecked();
  for (const [width, height] of [
    [1280, 800],
    [640, 800],
  ] as const) {
    await resize(gatehouse, width, height);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await expectAccessible(page);
      await keepScreenshot(page, `settings-asking-${width}-${theme}`);
    }
  }
});

test('The search finds what people call it', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await goTo(page, 'Settings');
  const search = page.getByRole('searchbox', { name: 'Search settings' });
  for (const words of ['theme', 'dark']) {
    await search.fill(words);
    await expect(page.getByRole('combobox', { name: 'Theme' })).toBeVisible();
  }
  for (const words of ['balanced', 'careful', 'strict']) {
    await search.fill(words);
    await expect(page.getByRole('radiogroup', { name: 'How it asks' })).toBeVisible();
  }
  await search.fill('notifications');
  await expect(page.getByText('Your system’s settings turn them on and off.')).toBeVisible();
  await search.fill('nothing like it');
  await expect(page.getByText('No matching settings')).toBeVisible();
});

test('“Edit arguments” and what is brought into sight leave the document where it is', async ({ launch }) => {
  const { page } = await launch({ files: {} });
  await page.getByRole('link', { name: 'Compose' }).click();
  await page.getByRole('button', { name: 'Paste batch' }).click();
  const content = 'line\n'.repeat(400);
  await page
    .getByRole('textbox', { name: 'Batch' })
    .fill(JSON.stringify([{ tool: 'write_file', arguments: { path: 'a.txt', content } }]));
  await page.getByRole('button', { name: 'Run batch' }).click();
  const sheet = page.getByRole('dialog', { name: 'Approve tool calls' });
  await sheet.getByRole('button', { name: 'Edit arguments' }).click();
  const args = sheet.getByRole('textbox', { name: 'Arguments' });
  await expect(sheet.getByRole('textbox', { name: 'a.txt after this call' })).toBeFocused();
  await args.focus();
  await page.keyboard.press('Control+End');
  await sheet.getByRole('button', { name: 'Save arguments' }).focus();
  const moved = await page.evaluate(() => {
    for (const element of document.querySelectorAll('.gh-sheet, .gh-sheet *'))
      element.scrollIntoView({ block: 'start' });
    document.documentElement.scrollTop = 500;
    document.body.scrollTop = 500;
    window.scrollTo(0, 500);
    const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
    return [scrollTop, document.body.scrollTop, window.scrollY, scrollHeight - clientHeight];
  });
  expect(moved).toEqual([0, 0, 0, 0]);
  await expect(page.getByRole('tab').first()).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('link', { name: 'Activity' })).toBeInViewport({ ratio: 1 });
});
