import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { answers, denyAll, sheet, stood } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

const CONFIG = `# mine, by hand
[tools.approval]
denylist = []

# the tests
[[tools.approval.confirmed]]  # every day
tool = "run_command"
command = "npm test"

[[tools.approval.confirmed]]
tool = "run_command"
command = "git push origin main"   # long ago

[[tools.approval.confirmed]]
tool = "run_command"
prefix = "npm run"
workspace = "/gone/for/good"

[journal]
keep_days = 30 # kept

[[tools.approval.confirmed]]
tool = "run_command"
command = "make"
agent = "barred"

[[gateway.clients]]
name = "barred"
access = "blocked"
`;
const FILES = {
  'package.json': JSON.stringify({ scripts: { test: 'echo tested', a: 'echo a', b: 'echo b', c: 'echo c' } }),
};

const table = (page: Page) => page.getByRole('table', { name: 'Rules' });
const row = (page: Page, words: string | RegExp) => table(page).getByRole('row').filter({ hasText: words });

test('A rule is seen with what it let run and what stands against it, is removed and put back as it stood', async ({
  launch,
}) => {
  test.setTimeout(120_000);
  const app = await launch({ files: FILES, config: CONFIG, flags: ['--gateway'] });
  const { page, dataDir } = app;
  const config = () => readFileSync(join(dataDir, 'config.toml'), 'utf8');
  const agent = await connectAgent(await gatewayOf(dataDir, app.pid));
  const run = (command: string) => callTool(agent, 'run_command', { command });
  expect(await run('npm test')).toMatchObject({ isError: false });
  expect(await run('npm test')).toMatchObject({ isError: false });

  // By the keyboard alone, from the navigation on.
  await page.getByRole('link', { name: 'Rules', exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Rules' })).toBeVisible();
  await expect(page.getByRole('navigation').getByRole('link')).toHaveText([
    'Activity',
    'Conversation',
    'Compose',
    'History',
    'Tools',
    'Agents',
    'Rules',
    'Health',
    'Settings',
  ]);
  await expect(row(page, 'npm test')).toContainText('2 calls');
  await expect(row(page, 'git push')).toContainText('Has no effect.');
  await expect(row(page, '/gone/for/good')).toContainText('Its folder is gone.');
  await expect(row(page, 'barred')).toContainText('Denied all the same: ');
  await expectAccessible(page);
  await keepScreenshot(page, 'rules');

  await row(page, 'npm test').getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  await expect(row(page, 'npm test')).toHaveCount(0);
  await expect(page.getByRole('status').filter({ hasText: 'Removed: npm test' })).toBeVisible();
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await expect(undo).toBeFocused();
  await expectAccessible(page);
  for (const kept of ['# mine, by hand', '# the tests', '# long ago', '# kept']) expect(config()).toContain(kept);
  expect(config()).not.toContain('npm test');
  const asked = run('npm test');
  await expect(sheet(page)).toContainText('npm test');
  await denyAll(page);
  expect(await asked).toMatchObject({ code: 'DeniedByPerson' });
  await undo.focus();
  await page.keyboard.press('Enter');
  await expect(row(page, 'npm test')).toContainText('2 calls');
  expect(config()).toBe(CONFIG);

  // The calls that it let through.
  await row(page, 'npm test')
    .getByRole('button', { name: /^2 calls/ })
    .press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
  await expect(page.getByText('2 calls', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Allowed by one rule' }).click();
  await expect(page.getByText('3 calls', { exact: true })).toBeVisible();

  // No second place for them.
  await goTo(page, 'Settings');
  await expect(page.locator('[data-key="tools.approval.confirmed"]').getByRole('textbox')).toHaveCount(0);
  await page.getByRole('button', { name: 'Open Rules' }).click();
  await expect(table(page)).toBeVisible();
  await agent.close();
});

test('What is asked about often becomes a rule, after a dry run; the tester says which rule decides', async ({
  launch,
}) => {
  test.setTimeout(120_000);
  const app = await launch({ files: FILES, config: '[tools.approval]\ndenylist = []\n', flags: ['--gateway'] });
  const { page } = app;
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const run = (command: string) => callTool(agent, 'run_command', { command });
  for (const command of ['npm run a', 'npm run b', 'npm run c']) {
    const call = run(command);
    await stood(page);
    await answers(page)
      .getByRole('button', { name: /^Approve(?! and)/ })
      .click();
    expect(await call).toMatchObject({ isError: false });
  }
  await goTo(page, 'Rules');
  const offers = page.getByRole('list', { name: 'Suggested rules' }).getByRole('listitem');
  await expect(offers).toHaveCount(1);
  await expect(offers).toContainText('3 questions about npm run');
  await offers.getByRole('button', { name: 'Make a rule' }).press('Enter');
  const form = page.getByRole('region', { name: 'Rule', exact: true });
  await expect(form).toContainText('Would have covered 3 of the last 3 calls');
  await expect(form.getByRole('radiogroup', { name: 'Who' }).getByRole('radio')).toHaveCount(1);
  await form.getByRole('radio', { name: /^Only/ }).click();
  await expect(form).toContainText('Would have covered 1 of the last 3 calls');
  await form.getByRole('radio', { name: /starting with/ }).click();
  await form.getByRole('radio', { name: 'I remove it' }).click();
  await expect(form).toContainText('Would have covered 3 of the last 3 calls');
  await expectAccessible(page);
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate(async (to) => await window.gatehouse.client['app.setTheme']({ theme: to }), theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    for (const [width, height, name] of [
      [1280, 900, 'wide'],
      [640, 800, 'narrow'],
    ] as const) {
      await resize(app, width, height);
      await expectAccessible(page);
      await keepScreenshot(page, `rules-suggested-${theme}-${name}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
  }
  await resize(app, 1280, 900);
  await form.getByRole('button', { name: 'Make rule' }).press('Enter');
  await expect(row(page, 'npm run …')).toContainText('All agents');
  await expect(offers).toHaveCount(0);
  expect(readFileSync(join(app.dataDir, 'config.toml'), 'utf8')).toContain('prefix = "npm run"');
  expect(await run('npm run b')).toMatchObject({ isError: false });
  await expect(row(page, 'npm run …')).toContainText('1 call');

  const tester = page.getByRole('region', { name: 'What would happen to this call?' });
  const tries = tester.getByRole('textbox', { name: 'Arguments (JSON)' });
  await tries.fill('{"command":"npm run c"}');
  await expect(tester).toContainText('It would run without asking');
  await expect(tester.getByText(/^confirmation:[0-9a-f]{12}$/u)).toBeVisible();
  await tries.fill('{"command":"git push --force origin main"}');
  await expect(tester).toContainText('It would ask you first');
  await expect(tester.getByRole('list', { name: 'Findings' })).toContainText('force-pushes');
  await expectAccessible(page);
  await keepScreenshot(page, 'rules-tester');
  await agent.close();
});

test('A session’s rule is no other’s, whatever that calls itself, and goes with its session', async ({ launch }) => {
  const app = await launch({ files: FILES, config: '[tools.approval]\ndenylist = []\n', flags: ['--gateway'] });
  const { page } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const one = await connectAgent(gateway, 'editor');
  const first = callTool(one, 'run_command', { command: 'npm test' });
  await stood(page);
  await page.keyboard.press('Control+j');
  await answers(page).getByRole('button', { name: 'Approve and always…' }).click();
  await stood(page);
  await page
    .getByRole('region', { name: 'Rule', exact: true })
    .getByRole('button', { name: 'Approve and make rule' })
    .click();
  expect(await first).toMatchObject({ isError: false });
  await goTo(page, 'Rules');
  await expect(row(page, 'npm test')).toContainText('One session of editor');
  expect(await callTool(one, 'run_command', { command: 'npm test' })).toMatchObject({ isError: false });
  await expect(row(page, 'npm test')).toContainText('1 call');
  // The same name and version, in a session of its own.
  const other = await connectAgent(gateway, 'editor');
  const asked = callTool(other, 'run_command', { command: 'npm test' });
  await expect(sheet(page)).toContainText('npm test');
  await denyAll(page);
  expect(await asked).toMatchObject({ code: 'DeniedByPerson' });
  await page.evaluate(async () => {
    const { client } = window.gatehouse;
    const snapshot = await client['app.snapshot']({});
    if (!snapshot.ok) throw new Error(snapshot.error.message);
    const [eldest] = [...snapshot.value.status.gateway.clients].sort((a, b) => a.since - b.since);
    await client['gateway.disconnect']({ sessionId: eldest?.sessionId ?? '' });
  });
  await expect(page.getByText('No rules', { exact: true })).toBeVisible();
  await other.close();
});
