import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { approveAll } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

test('Agents: empty says what comes, an agent is made by keyboard and shown its token once, and is seen at work', async ({
  launch,
}) => {
  const app = await launch({ files: { 'hello.txt': 'hello\n' }, flags: ['--gateway'] });
  const { page, dataDir } = app;
  const own = await gatewayOf(dataDir, app.pid);
  await goTo(page, 'Agents');
  await expect(page.getByRole('heading', { name: 'No agents yet' })).toBeVisible();

  await page.getByRole('button', { name: 'New agent…' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await page.keyboard.type('Not A Name');
  await page.keyboard.press('Enter');
  await expect(page.getByText('at most 32 characters')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name' }).fill('builder');
  await page.keyboard.press('Enter');
  const field = page.getByRole('textbox', { name: 'Token' });
  await expect(field).toHaveValue(/^gatehouse_/);
  await expect(field).not.toBeEditable();
  const token = await field.inputValue();
  const builder = page.getByRole('listitem', { name: 'builder' });
  await expect(builder).toContainText('No calls yet');
  await keepScreenshot(page, 'agents-new-token');
  await goTo(page, 'Tools');
  await goTo(page, 'Agents');
  await expect(field).toHaveCount(0);

  const client = await connectAgent({ ...own, token }, 'busy');
  const writing = callTool(client, 'write_file', { path: 'made.txt', content: 'made\n' });
  await expect(builder).toContainText('1 waiting');
  await expect(builder).toContainText('busy 1.2');
  await expect(builder).toContainText('HTTP, since');
  await expectAccessible(page);
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await keepScreenshot(page, `agents-waiting-${theme}`);
  }
  await approveAll(page);
  await writing;
  await expect(builder).not.toContainText('waiting');
  const last = builder.getByRole('button', { name: /made\.txt/ });
  await last.click();
  await expect(page.locator('[data-tool="write_file"]').first()).toBeVisible();
  await page.getByRole('button', { name: 'Close the details' }).click();

  // Paused here, what it asks waits, with no sheet; resumed, it goes on.
  await builder.getByRole('button', { name: 'Pause builder' }).click();
  await expect(builder.getByRole('button', { name: 'Resume builder' })).toBeVisible();
  const reading = callTool(client, 'read_file', { path: 'hello.txt' });
  await expect(builder).toContainText('1 waiting');
  await builder.getByRole('button', { name: 'Resume builder' }).click();
  expect(await reading).toMatchObject({ text: 'hello\n' });

  await builder.getByRole('button', { name: 'Disconnect busy 1.2' }).click();
  await expect(builder).toContainText('Not connected');
  await expect(builder).toContainText('as busy 1.2');
  await resize(app, 640, 700);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await keepScreenshot(page, 'agents-narrow');
  await client.close();
});
