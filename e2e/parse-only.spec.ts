import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './app.js';
import { runBatch, write } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

const PARSE_ONLY = '[tools]\nmode = "parse_only"\n';

test('In parse-only mode nothing runs: the person gives the results, in the list or in a message', async ({
  launch,
}) => {
  const { page, workspace } = await launch({ files: {}, config: PARSE_ONLY });
  await runBatch(page, [write('first.txt'), write('second.txt')]);
  await page.getByRole('link', { name: 'Conversation' }).click();
  const waiting = page.getByRole('list', { name: 'Waiting for results' });
  await expect(waiting.locator('[data-call-id]')).toHaveCount(2);
  await expectAccessible(page);
  await keepScreenshot(page, 'parse-only');
  const first = waiting.locator('[data-call-id]').filter({ hasText: 'first.txt' });
  await first.getByRole('textbox', { name: 'Result' }).fill('done by hand');
  await first.getByRole('button', { name: 'Submit result' }).click();
  await expect(waiting.locator('[data-call-id]')).toHaveCount(1);
  const id = await waiting.locator('[data-call-id]').getAttribute('data-call-id');
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.fill('/tool no-such-call done');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(message).toHaveValue('/tool no-such-call done');
  await message.fill(`/tool ${id} two\nlines`);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(waiting).toHaveCount(0);
  await expect(message).toHaveValue('');
  expect(existsSync(join(workspace, 'first.txt'))).toBe(false);
  await page.getByRole('link', { name: 'Compose' }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await expect(results.locator('[data-state="completed"]')).toHaveCount(2);
  await results.locator('[data-call-id]').nth(1).getByRole('button', { expanded: false }).first().click();
  await expect(results.getByRole('region', { name: 'Result' })).toHaveText('two\nlines');
});

test('Without a model a message is kept, with words that say how to go on', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await page.getByRole('link', { name: 'Conversation' }).click();
  const log = page.getByRole('log', { name: 'Conversation' });
  await expect(log).toContainText('No model is connected');
  await expectAccessible(page);
  await keepScreenshot(page, 'conversation-empty');
  await page.getByRole('textbox', { name: 'Message' }).fill('Fix the build, please');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(log.getByRole('alert')).toContainText('model');
  await expect(log).toContainText('Fix the build, please');
  await log.getByRole('button', { name: 'Open model settings' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.getByRole('link', { name: 'Conversation' }).click();
  await expect(log).toContainText('Fix the build, please');
  await expectAccessible(page);
});
