import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

test('The first ten minutes: choose how to ask, then three presses to an agent whose first call came through', async ({
  launch,
}) => {
  const home = makeFolder('home');
  writeFiles(home, { '.gemini/settings.json': '{}\n' });
  const { page, dataDir } = await launch({
    files: { 'hello.txt': 'hello\n' },
    env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
  });
  await page.getByRole('radio', { name: 'Balanced', exact: true }).click();
  await page.getByRole('button', { name: 'Use this' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Balanced is on.' })).toBeVisible();
  // The next step stands where the question was.
  await expectAccessible(page);
  await keepScreenshot(page, 'first-minutes');

  await page.getByRole('button', { name: 'Connect an agent' }).click();
  const connect = page.getByRole('button', { name: 'Connect Gemini CLI' });
  await expect(connect).toBeInViewport();
  await connect.click();
  await page.getByRole('button', { name: 'Write settings' }).click();
  await expect(page.getByText('Test call succeeded')).toBeVisible({ timeout: 60_000 });
  // Commands are not denied any more: the agent is told of that tool, too.
  await expect(page.getByText('It lists 5 tools')).toContainText('run_command');
  expect(readFileSync(join(dataDir, 'config.toml'), 'utf8')).toContain('edits = "collect"');

  // It was made for the agent, by the person: it stands in History, and is no session of anybody's.
  await goTo(page, 'Activity');
  await expect(page.getByRole('region', { name: 'Activity' })).not.toContainText('list_directory');
  await goTo(page, 'History');
  await expect(page.getByRole('table', { name: 'Calls' })).toContainText('list_directory');
});
