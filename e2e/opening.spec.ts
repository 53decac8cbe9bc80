import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, type Gatehouse, makeFolder, test, writeFiles } from './app.js';
import { command, COMMANDS_ALLOWED, runBatch, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

interface Asked {
  readonly opened: string[];
  readonly shown: string[];
}

/** What the desktop is asked for is written down instead: a test machine has none. */
async function watchDesktop({ electron }: Gatehouse): Promise<() => Promise<Asked>> {
  await electron.evaluate(({ shell }) => {
    const asked: Asked = { opened: [], shown: [] };
    (globalThis as unknown as { asked: Asked }).asked = asked;
    shell.openPath = async (path: string) => {
      asked.opened.push(path);
      return '';
    };
    shell.showItemInFolder = (path: string) => void asked.shown.push(path);
  });
  return () => electron.evaluate(() => (globalThis as unknown as { asked: Asked }).asked);
}

const clipboard = ({ electron }: Gatehouse) => electron.evaluate(({ clipboard: held }) => held.readText());

/** By the keyboard alone. */
async function choose(page: Page, path: string, item: 'Open in editor' | 'Show in folder'): Promise<void> {
  await page
    .getByRole('button', { name: `Open ${path}…`, exact: true })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  const menu = page.getByRole('menu', { name: `Open ${path}…` });
  await menu.getByRole('menuitem', { name: item }).press('Enter');
  await expect(menu).toHaveCount(0);
}

const BALANCED = '[tools.approval]\ndenylist = []\ncommands = "sandbox"\nedits = "collect"\n';

test('A changed file is opened, shown and copied from where it is named, and only as what it is now', async ({
  launch,
}) => {
  const app = await launch({ files: { 'src/a.ts': 'one\n' }, flags: ['--gateway'], config: BALANCED });
  const { page, workspace } = app;
  const asked = await watchDesktop(app);
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  for (const path of ['docs/notes.md', 'start.desktop', 'gone.txt', 'swapped.txt'])
    expect(await callTool(agent, 'write_file', { path, content: 'new\n' })).toMatchObject({ isError: false });
  const changes = page.getByRole('region', { name: 'Changes', exact: true });
  await expect(changes.getByRole('list', { name: 'Changed files' }).getByRole('listitem')).toHaveCount(5);
  await choose(page, 'docs/notes.md', 'Open in editor');
  await expect.poll(asked).toEqual({ opened: [join(workspace, 'docs/notes.md')], shown: [] });
  await choose(page, 'docs/notes.md', 'Show in folder');
  await expect.poll(async () => (await asked()).shown).toEqual([join(workspace, 'docs/notes.md')]);
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expectAccessible(page);
    await keepScreenshot(page, `opening-changes-${theme}`);
  }
  await resize(app, 640, 700);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await keepScreenshot(page, 'opening-changes-narrow');
  await resize(app, 1280, 800);

  await page.getByRole('button', { name: 'Copy path docs/notes.md' }).first().press('Enter');
  await expect.poll(() => clipboard(app)).toBe('docs/notes.md');

  const refusal = page.getByRole('dialog', { name: 'Not opened' });
  const refused = async (path: string, item: 'Open in editor' | 'Show in folder', words: string) => {
    await choose(page, path, item);
    await expect(refusal).toContainText(words);
    await refusal.getByRole('button', { name: 'Close' }).press('Enter');
    await expect(refusal).toHaveCount(0);
  };
  await refused('start.desktop', 'Open in editor', 'Use “Show in folder”');
  await keepScreenshot(page, 'opening-refused');
  rmSync(join(workspace, 'gone.txt'));
  await refused('gone.txt', 'Open in editor', 'gone.txt isn’t there now.');
  await refused('gone.txt', 'Show in folder', 'gone.txt isn’t there now.');
  const outside = makeFolder('outside');
  writeFiles(outside, { 'theirs.txt': 'theirs\n' });
  rmSync(join(workspace, 'swapped.txt'));
  symlinkSync(join(outside, 'theirs.txt'), join(workspace, 'swapped.txt'));
  await refused('swapped.txt', 'Open in editor', 'leads out of the workspace');
  await refused('swapped.txt', 'Show in folder', 'leads out of the workspace');
  chmodSync(join(workspace, 'docs/notes.md'), 0o755);
  await refused('docs/notes.md', 'Open in editor', 'docs/notes.md is a program');
  expect((await asked()).opened).toHaveLength(1);
  expect((await asked()).shown).toHaveLength(1);
  await agent.close();
});

test('In a folder that is not open, and outside, nothing is opened or shown; the folder itself is shown where it lies', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'text\n' } });
  const { page, workspace } = app;
  const asked = await watchDesktop(app);
  const other = makeFolder('other');
  writeFiles(other, { 'b.txt': 'text\n' });
  const ask = (name: 'files.open' | 'files.show', request: { workspace: string; path: string }) =>
    page.evaluate(([channel, wanted]) => window.gatehouse.client[channel](wanted), [name, request] as const);
  for (const name of ['files.open', 'files.show'] as const) {
    expect(await ask(name, { workspace: other, path: 'b.txt' })).toMatchObject({ ok: false });
    expect(await ask(name, { workspace, path: join(other, 'b.txt') })).toMatchObject({ ok: false });
    expect(await ask(name, { workspace, path: '../b.txt' })).toMatchObject({ ok: false });
  }
  expect(await asked()).toEqual({ opened: [], shown: [] });
  await page.getByRole('button', { name: workspace }).press('Enter');
  await page.getByRole('menuitem', { name: 'Show in folder' }).press('Enter');
  await expect.poll(async () => (await asked()).shown).toEqual([workspace]);
});

test('A command is copied as it is, from the sheet and from the call, with no marks of ours in it', async ({
  launch,
}) => {
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED });
  const { page } = app;
  const text = 'printf "a\u202eb\u200b"  && true';
  await runBatch(page, [command(text)]);
  await expect(sheet(page)).toContainText('\\u{202e}');
  await sheet(page).getByRole('button', { name: 'Copy command' }).press('Enter');
  await expect.poll(() => clipboard(app)).toBe(text);
  await keepScreenshot(page, 'copy-on-sheet');
  // The sheet was not answered by it.
  await expect(sheet(page)).toBeVisible();
  await sheet(page).getByRole('button', { name: /^Deny/ }).click();
  await app.electron.evaluate(({ clipboard: held }) => held.writeText('other'));
  await goTo(page, 'History');
  await page.locator('tr[data-tool="run_command"]').first().click();
  await page.getByRole('complementary', { name: 'Call details' }).getByRole('button', { name: 'Copy command' }).click();
  await expect.poll(() => clipboard(app)).toBe(text);
});
