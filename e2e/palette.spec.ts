import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { calls, command, COMMANDS_ALLOWED, approveAll, expectStates, runBatch } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

test('Ctrl+K leads to places, settings and calls, and stops what runs, by keyboard alone', async ({ launch }) => {
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED });
  const { page } = app;
  await runBatch(page, [command('sleep 300')]);
  await approveAll(page);
  await expectStates(page, ['executing']);
  const callId = (await calls(page).first().getAttribute('data-call-id')) ?? '';

  const palette = page.getByRole('dialog', { name: 'Go to or do' });
  const field = palette.getByRole('combobox');
  const options = palette.getByRole('listbox').getByRole('option');
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expect(options.filter({ hasText: 'Stop all running calls' })).toBeVisible();
  for (const width of [1280, 640]) {
    await resize(app, width, 800);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expectAccessible(page);
      await keepScreenshot(page, `palette-${width}-${theme}`);
    }
  }
  await resize(app, 1280, 800);
  await page.keyboard.type('largest arg');
  await expect(options.first()).toContainText('Largest arguments');
  await page.keyboard.press('Enter');
  await expect(palette).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect(page.locator('[data-key="tools.max_tool_args_bytes"]')).toBeInViewport();

  await page.keyboard.press('Control+k');
  await page.keyboard.type(callId);
  await page.keyboard.press('Enter');
  await expect(palette).toHaveCount(0);
  await expect(page.locator(`article[data-call-id="${callId}"]`)).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.keyboard.press('ArrowDown');
  await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('stop all');
  await page.keyboard.press('Enter');
  await expect(page.locator(`article[data-call-id="${callId}"]`)).toHaveAttribute('data-state', 'cancelled');
});

test('“?” and Ctrl+/ show the shortcuts, but not while somebody types; Ctrl+F searches the page', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await goTo(page, 'History');
  await page.keyboard.press('?');
  await expect(sheet).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await page.keyboard.press('Control+/');
  await expect(sheet).toBeVisible();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+f');
  const search = page.getByRole('searchbox', { name: 'Search calls' });
  await expect(search).toBeFocused();
  await page.keyboard.type('what?');
  await expect(search).toHaveValue('what?');
  await expect(sheet).toHaveCount(0);
  await goTo(page, 'Settings');
  await page.keyboard.press('Control+f');
  await expect(page.getByRole('searchbox', { name: 'Search settings' })).toBeFocused();
});

test('Ctrl+K pauses one agent or all that are connected, and resumes them', async ({ launch }) => {
  const app = await launch({ files: { 'hello.txt': 'hello\n' }, flags: ['--gateway'] });
  const { page } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const clients = [await connectAgent(gateway, 'first'), await connectAgent(gateway, 'other')];
  const options = page.getByRole('dialog', { name: 'Go to or do' }).getByRole('option');
  const open = async (typed: string) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(typed);
  };
  await open('pause');
  await expect(options).toHaveText([/^Pause all connected agents/, /^Pause first 1\.2/, /^Pause other 1\.2/]);
  await keepScreenshot(page, 'palette-pause');
  await page.keyboard.press('Enter');
  await goTo(page, 'Agents');
  const readings = clients.map((client) => callTool(client, 'read_file', { path: 'hello.txt' }));
  for (const name of ['first', 'other']) await expect(page.getByRole('listitem', { name })).toContainText('1 waiting');
  await open('resume other');
  await page.keyboard.press('Enter');
  expect(await readings[1]).toMatchObject({ text: 'hello\n' });
  await expect(page.getByRole('listitem', { name: 'first' })).toContainText('1 waiting');
  await open('resume all');
  await expect(options.first()).toContainText('1 agent');
  await page.keyboard.press('Enter');
  expect(await readings[0]).toMatchObject({ text: 'hello\n' });
  await open('resume');
  await expect(options.filter({ hasText: 'Resume' })).toHaveCount(0);
  for (const client of clients) await client.close();
});
