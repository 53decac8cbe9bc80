import { basename } from 'node:path';
import type { Page } from '@playwright/test';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, makeFolder, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize, watchForFaults } from './places.js';

/** Edits that can be undone are made at once. */
const config = '[tools.approval]\ndenylist = []\ncommands = "sandbox"\nedits = "collect"\n';

const who = (page: Page, name: string) => page.getByRole('region', { name: `${name} 1.2`, exact: true });
const tab = (page: Page, folder: string) => page.getByRole('tab', { name: basename(folder) });
const all = (page: Page) => page.getByRole('button', { name: 'All folders', exact: true });
const changes = (page: Page) => page.getByRole('region', { name: /^Changes(?!,)/u });

test('A tab filters all of Activity; “All folders” shows all, and another folder never comes to the front by it', async ({
  launch,
}) => {
  const app = await launch({ files: {}, flags: ['--gateway'], config });
  const { page, workspace: one } = app;
  const faults = watchForFaults(page);
  const two = makeFolder('second');
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const first = await connectAgent(gateway, 'first');
  expect(await callTool(first, 'write_file', { path: 'in-one.txt', content: '1\n' })).toMatchObject({ isError: false });
  await page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), two);
  await expect(tab(page, two)).toHaveAttribute('aria-selected', 'true');
  const second = await connectAgent(gateway, 'second');
  for (const name of ['in-two.txt', 'also.txt'])
    expect(await callTool(second, 'write_file', { path: name, content: '2\n' })).toMatchObject({ isError: false });

  // The tab in front: sessions, counts and changes are its own.
  await expect(who(page, 'second')).toContainText('changed 2 files');
  await expect(who(page, 'first')).toHaveCount(0);
  await expect(changes(page)).toHaveCount(1);
  await expect(changes(page)).toContainText('in-two.txt');
  await expect(changes(page)).not.toContainText('in-one.txt');
  await expect(all(page)).toHaveAttribute('aria-pressed', 'false');

  // All of them, by the keyboard alone; the tab in front stays in front.
  await all(page).focus();
  await page.keyboard.press('Enter');
  await expect(all(page)).toHaveAttribute('aria-pressed', 'true');
  await expect(who(page, 'first')).toContainText('changed 1 file');
  await expect(who(page, 'second')).toContainText('changed 2 files');
  await expect(page.getByRole('region', { name: `Changes in ${one}`, exact: true })).toContainText('in-one.txt');
  await expect(page.getByRole('region', { name: `Changes in ${two}`, exact: true })).toContainText('in-two.txt');
  await expect(tab(page, two)).toHaveAttribute('aria-selected', 'true');
  expect(await page.evaluate(() => window.gatehouse.client['app.snapshot']({}))).toMatchObject({
    value: { workspace: { path: two } },
  });
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-all-folders');
  await resize(app, 640, 480);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await keepScreenshot(page, 'activity-all-folders-640');
  await resize(app, 1280, 800);

  // It belongs to Activity alone, and is as it was when one comes back.
  await goTo(page, 'Tools');
  await expect(all(page)).toHaveCount(0);
  await goTo(page, 'Activity');
  await expect(all(page)).toHaveAttribute('aria-pressed', 'true');

  // A tab filters again: the one in front, and another.
  await tab(page, two).click();
  await expect(all(page)).toHaveAttribute('aria-pressed', 'false');
  await expect(who(page, 'first')).toHaveCount(0);
  await all(page).click();
  await tab(page, one).click();
  await expect(who(page, 'first')).toContainText('changed 1 file');
  await expect(who(page, 'second')).toHaveCount(0);
  await expect(changes(page)).toContainText('in-one.txt');
  expect(faults()).toEqual([]);
  for (const agent of [first, second]) await agent.close();
});
