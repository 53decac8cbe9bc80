import type { Page } from '@playwright/test';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { approveAll, denyAll, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, PLACES, resize, watchForFaults } from './places.js';

const flags = ['--gateway'];
/** Commands that nobody needs to be asked about run at once. */
const UNASKED = '[tools.approval]\ndenylist = []\ncommands = "sandbox"\n';

const strip = (page: Page) => page.getByRole('region', { name: 'Running', exact: true });
const who = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const LONG = 'echo one; echo two; sleep 600';

test('Before anything happened it says what comes here, and leads to what makes it happen', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No activity yet' })).toBeVisible();
  await expect(strip(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Before today' }).click();
  await expect(page.getByText('Nothing happened before today.')).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-empty');
  await page.getByRole('button', { name: 'Compose a call' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Compose' })).toBeVisible();
});

test('What an agent runs stands at the foot of every place, with Stop, and under its name in Activity', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'a\n' }, flags, config: UNASKED });
  const { page } = app;
  const faults = watchForFaults(page);
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  expect(await callTool(agent, 'read_file', { path: 'a.txt' })).toMatchObject({ isError: false });
  const running = callTool(agent, 'run_command', { command: LONG });
  for (const place of PLACES) {
    await goTo(page, place);
    await expect(strip(page)).toContainText('run_command');
    await expect(strip(page)).toContainText('sleep 600');
    await expect(strip(page).locator('[data-call-id]')).toHaveAttribute('data-state', 'executing');
    await expect(strip(page).getByRole('button', { name: /^Stop/ })).toBeEnabled();
  }
  await goTo(page, 'Activity');
  // The last line that it wrote, and none before it.
  await expect(strip(page).locator('.gh-running-line')).toHaveText('two');
  const own = who(page, 'test agent 1.2');
  await expect(own).toContainText('connected');
  await expect(own).toContainText('read 1 time');
  await expect(own.getByRole('region', { name: 'Output of run_command' })).toContainText('two');
  await expect(
    own.getByRole('region', { name: 'Output of run_command' }).getByRole('button', { name: /^Stop/ }),
  ).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectAccessible(page);
    await keepScreenshot(page, `activity-running-${theme}`);
  }
  await resize(app, 640, 480);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await keepScreenshot(page, 'activity-640');
  // A question takes the page there, but for what runs and its Stop.
  const other = await connectAgent(await gatewayOf(app.dataDir, app.pid), 'another');
  const asking = callTool(other, 'run_command', {
    command: 'npm run build-all && rm -rf /srv/somewhere-else/long-name',
  });
  await expect(sheet(page)).toBeVisible();
  await expect(own).toBeHidden();
  for (const part of [
    sheet(page).getByLabel('Command', { exact: true }),
    strip(page).getByRole('button', { name: /^Stop/ }),
  ])
    await expect(part).toBeInViewport({ ratio: 1 });
  await expectAccessible(page);
  await keepScreenshot(page, 'sheet-running-640');
  await denyAll(page);
  expect(await asking).toMatchObject({ code: 'DeniedByPerson' });
  await other.close();
  await expect(own).toBeVisible();

  // By the keyboard alone.
  await strip(page).getByRole('button', { name: /^Stop/ }).focus();
  await page.keyboard.press('Enter');
  expect(await running).toMatchObject({ isError: true, code: 'Cancelled' });
  await expect(strip(page)).toHaveCount(0);
  await expect(own.getByRole('list', { name: 'Latest calls' }).locator('[data-tool="run_command"]')).toHaveAttribute(
    'data-state',
    'cancelled',
  );
  await own.getByRole('button', { name: 'All calls (2)' }).click();
  await expect(own.getByRole('list', { name: 'All calls' }).locator('[data-call-id]')).toHaveCount(2);
  expect(faults()).toEqual([]);
  await agent.close();
});

test('The link ends in the number that waits, and what waits leads to its sheet', async ({ launch }) => {
  const app = await launch({ files: {}, flags });
  const { page } = app;
  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agents = [await connectAgent(gateway, 'first'), await connectAgent(gateway, 'second')] as const;
  await expect(link('Activity')).toBeVisible();
  const first = callTool(agents[0], 'write_file', { path: 'one.txt', content: '1\n' });
  await expect(link('Activity 1')).toBeVisible();
  const second = callTool(agents[1], 'write_file', { path: 'two.txt', content: '2\n' });
  await expect(link('Activity 2')).toBeVisible();
  const asked = page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(asked).toContainText('one.txt');
  const waiting = who(page, 'second 1.2');
  await expect(waiting.getByRole('list', { name: 'Waiting for you' })).toContainText('two.txt');
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-waiting');
  await waiting.getByRole('button', { name: 'Review 1 call' }).click();
  await expect(asked.locator('.gh-ask').getByText('two.txt').first()).toBeVisible();
  await expect.poll(() => asked.evaluate((dialog) => dialog.contains(document.activeElement))).toBe(true);
  await denyAll(page);
  expect(await second).toMatchObject({ code: 'DeniedByPerson' });
  await expect(waiting).toContainText('1 denied');
  await approveAll(page);
  expect(await first).toMatchObject({ isError: false });
  await expect(link('Activity')).toBeVisible();
  await expect(who(page, 'first 1.2')).toContainText('changed 1 file');
  for (const agent of agents) await agent.close();
});
