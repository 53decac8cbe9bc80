import { basename } from 'node:path';
import type { Page } from '@playwright/test';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import { expect, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, PLACES, resize, runCalls, watchForFaults } from './places.js';
import { scriptMain } from './scripted-main.js';

test('Every place by name, by keyboard and from the menu', async ({ gatehouse }) => {
  const { page, electron } = gatehouse;
  const faults = watchForFaults(page);
  for (const place of PLACES) {
    await goTo(page, place);
    await expect(page.getByRole('link', { name: place, exact: true })).toHaveAttribute('aria-current', 'page');
  }
  await page.getByRole('link', { name: 'Conversation', exact: true }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();

  await electron.evaluate(({ Menu }) => {
    const go = Menu.getApplicationMenu()?.items.find((item) => item.label === '&Go');
    go?.submenu?.items.find((item) => item.label === 'Health')?.click();
  });
  await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible();
  expect(faults()).toEqual([]);
});

for (const theme of ['light', 'dark'] as const) {
  test(`Every place is accessible and looks right in the ${theme} theme`, async ({ gatehouse }) => {
    const { page } = gatehouse;
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    for (const place of PLACES) {
      await goTo(page, place);
      await expectAccessible(page);
      await keepScreenshot(page, `${place.toLowerCase()}-${theme}`);
    }
  });
}

test('The welcome screen opens a workspace, and lists recent ones once there are any', async ({ launch }) => {
  const first = await launch({ files: null });
  const { page, workspace, dataDir } = first;
  await expect(page.getByRole('button', { name: 'Open workspace…' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Recent workspaces' })).toHaveCount(0);
  await expectAccessible(page);
  await keepScreenshot(page, 'welcome');
  await page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), workspace);
  await expect(page.getByRole('button', { name: 'Open workspace…' })).toHaveCount(0);
  await first.close();

  const second = await launch({ files: null, dataDir });
  const recent = second.page.getByRole('list', { name: 'Recent workspaces' });
  await keepScreenshot(second.page, 'welcome-recent');
  await recent
    .getByRole('button', { name: basename(workspace) })
    .first()
    .click();
  await expect(second.page.getByRole('button', { name: `Workspace ${basename(workspace)}` })).toBeVisible();
});

test('A folder that is gone is refused in words', async ({ launch }) => {
  const { page } = await launch({ files: null });
  const answer = await page.evaluate(() => window.gatehouse.client['workspace.open']({ path: '/no/such/folder' }));
  expect(answer.ok).toBe(false);
  await expect(page.getByRole('button', { name: 'Open workspace…' })).toBeVisible();
});

test('A narrow window keeps the names of the places, and shows details as a sheet', async ({ launch }) => {
  const app = await launch({ files: { 'a.txt': 'a\n' } });
  const { page } = app;
  const [call] = await runCalls(page, [{ tool: 'read_file', arguments: { path: 'a.txt' } }]);
  await resize(app, 700, 640);
  for (const place of PLACES) {
    await goTo(page, place);
    await expectAccessible(page);
    expect(await overflows(page)).toBe(false);
  }
  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${call}"]`).click();
  const sheet = page.getByRole('dialog', { name: 'Call details' });
  await expect(sheet.locator(`[data-call-id="${call}"]`).first()).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'narrow');
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await expect(page.locator(`tr[data-call-id="${call}"]`).getByRole('button')).toBeFocused();
});

test('Twice the size, nothing is cut off sideways', async ({ gatehouse }) => {
  const { page, electron } = gatehouse;
  await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(2));
  for (const place of PLACES) {
    await goTo(page, place);
    expect(await overflows(page), place).toBe(false);
  }
  await keepScreenshot(page, 'zoomed');
});

test('Nothing moves for those who asked for stillness', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await goTo(page, 'Settings');
  await page.getByRole('button', { name: /^Workspace / }).click();
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('*')].map((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return Math.max(Number.parseFloat(transitionDuration), Number.parseFloat(animationDuration));
      }),
    ),
  );
  expect(longest).toBeLessThan(0.001);
});

test('Each part of the status bar leads to the place that explains it', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const status = page.getByRole('contentinfo', { name: 'Status' });
  const leads = [
    [/^Tools/, 'Settings'],
    [/^(?:Sandboxed|Unconfined)/, 'Health'],
    [/^Journal/, 'Health'],
    [/^Gateway/, 'Agents'],
    [/^Pending \d+$/, 'History'],
    [/^Running \d+$/, 'History'],
  ] as const;
  for (const [part, place] of leads) {
    await goTo(page, 'Tools');
    await status.getByRole('button', { name: part }).click();
    await expect(page.getByRole('heading', { level: 1, name: place })).toBeVisible();
  }
  // Bringing a setting into sight must not move the frame around it.
  await status.getByRole('button', { name: /^Tools/ }).click();
  await expect(page.locator('[data-key="tools.mode"]')).toBeInViewport();
  const frame = await page.locator('.gh-frame').boundingBox();
  expect(frame).toMatchObject({ x: 0, y: 0, height: await page.evaluate(() => innerHeight) });
});

test('Notices: the gravest first, the rest on request, dismissed one by one', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  const notice = (id: string, severity: 'info' | 'warning' | 'error', details: string | null = null) => ({
    id,
    severity,
    title: `Notice ${id}`,
    text: '<img src=x onerror="globalThis.ran = true">',
    details,
    dismissible: true,
  });
  await main.show({ notices: [notice('a', 'info'), notice('b', 'error', 'line 1'), notice('c', 'warning')] });
  const area = page.getByRole('region', { name: 'Notices' });
  await expect(area.getByText('Notice b')).toBeVisible();
  await expect(area.getByText('Notice a')).toHaveCount(0);
  await expect(area.getByText('<img src=x').first()).toBeVisible();
  await area.getByRole('button', { name: 'Show 1 more notice' }).click();
  await expect(area.getByText('Notice a')).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'notices');
  await area.getByRole('button', { name: 'Dismiss: Notice b' }).click();
  await expect.poll(() => main.asked('notices.dismiss')).toEqual([{ name: 'notices.dismiss', request: { id: 'b' } }]);
  expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
});

test('Questions from main: the safe answer has the focus, Escape gives it', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.show({ question: { kind: 'quit', running: 2 } });
  const quit = page.getByRole('dialog', { name: 'Quit while calls are running?' });
  await expect(quit.getByRole('button', { name: 'Keep running' })).toBeFocused();
  await expect(quit.getByRole('button', { name: 'Quit' })).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'question-quit');
  await page.keyboard.press('Escape');
  await expect.poll(() => main.asked('app.answer')).toEqual([{ name: 'app.answer', request: { yes: false } }]);

  await main.show({ question: { kind: 'close-workspace', path: '/somewhere/else', calls: 2 } });
  const close = page.getByRole('dialog', { name: 'Close this folder?' });
  await expect(close.getByRole('button', { name: 'Keep open' })).toBeFocused();
  await expect(close.getByText('2 calls are waiting or running in')).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'question-close');
  await close.getByRole('button', { name: 'Stop them and close' }).click();
  await expect.poll(async () => (await main.asked('app.answer')).length).toBe(2);
});

test('A page that fails is said to fail; the rest of the window goes on', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.answer('telemetry.get', { total: 1 } as TelemetrySnapshot);
  await page.getByRole('link', { name: 'Health', exact: true }).click();
  await expect(page.getByText('This page can’t be shown')).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'page-failed');
  await goTo(page, 'Settings');
  await expect(page.getByText('This page can’t be shown')).toHaveCount(0);
});

test('Quitting while a command runs asks first; keeping it running keeps it', async ({ launch }) => {
  const config = `
[tools.approval]
denylist = []

[[tools.approval.confirmed]]
tool = "run_command"
command = "sleep 600"
`;
  const { page, electron, workspace } = await launch({ files: {}, config });
  const child = electron.process();
  const ended = new Promise<number | null>((done) => void child.once('exit', done));
  await page.evaluate(
    (folder) =>
      window.gatehouse.client['compose.run']({
        workspace: folder,
        calls: [{ tool: 'run_command', arguments: JSON.stringify({ command: 'sleep 600' }) }],
      }),
    workspace,
  );
  await expect(page.getByRole('button', { name: 'Running 1' })).toBeVisible();
  const close = () => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  const dialog = page.getByRole('dialog', { name: 'Quit while calls are running?' });

  await close();
  await dialog.getByRole('button', { name: 'Keep running' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Running 1' })).toBeVisible();

  await close();
  await dialog.getByRole('button', { name: 'Quit' }).click();
  expect(await ended).toBe(0);
});

async function overflows(page: Page): Promise<boolean> {
  return await page.evaluate(() => {
    const beyond = (element: Element) => element.scrollWidth > element.clientWidth + 1;
    return beyond(document.documentElement) || [...document.querySelectorAll('.gh-place')].some(beyond);
  });
}
