import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, makeFolder, test, writeFiles } from './app.js';
import { expectAccessible, expectByKeyboard, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

const SETTINGS = '{\n  // dark\n  "ui": { "theme": "x" },\n}\n';

function homeWith(files: Readonly<Record<string, string>>) {
  const home = makeFolder('home');
  writeFiles(home, files);
  return { home, env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') } };
}
const client = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Installed agents' }).getByRole('listitem', { name, exact: true });

test('Connect: what is installed is found, the change shown and written, its command tried, and all of it undone', async ({
  launch,
}) => {
  const { home, env } = homeWith({ '.gemini/settings.json': SETTINGS, '.cursor/mcp.json': '{}\n' });
  const app = await launch({ files: { 'hello.txt': 'hello\n' }, env });
  const { page, dataDir } = app;
  const file = join(home, '.gemini', 'settings.json');
  await goTo(page, 'Agents');
  await expect(page.getByRole('list', { name: 'Installed agents' }).getByRole('listitem')).toHaveCount(2);
  const gemini = client(page, 'Gemini CLI');
  await expect(gemini).toContainText('Not connected');

  // Shown first, by the keyboard alone; nothing is written by looking.
  await gemini.getByRole('button', { name: 'Connect Gemini CLI' }).focus();
  await page.keyboard.press('Enter');
  const change = page.getByRole('region', { name: 'Change to the files of Gemini CLI' });
  await expect(change).toContainText('--mcp-stdio');
  await expect(change).toContainText('mcp_gatehouse_*');
  expect(readFileSync(file, 'utf8')).toBe(SETTINGS);
  await gemini.scrollIntoViewIfNeeded();
  await expectAccessible(page);
  await keepScreenshot(page, 'connect-change');

  // No gateway serves: the command that was written is started as the client would, and makes a call.
  await gemini.getByRole('button', { name: 'Write settings' }).focus();
  await page.keyboard.press('Enter');
  await expect(gemini).toContainText('Test call succeeded', { timeout: 60_000 });
  await expect(gemini).toContainText('The call list_directory succeeded.');
  await expect(gemini).toContainText('Only through Gatehouse ✓');
  await expect(gemini).toContainText('Gemini CLI was not asked');
  await expect(gemini).toContainText('Works where it is started. Tried with version 0.61.0.');
  // It is no session, and what it read is given to nobody.
  const { status } =
    (await page.evaluate(() =>
      window.gatehouse.client['app.snapshot']({}).then((told) => (told.ok ? told.value : null)),
    )) ?? {};
  expect([status?.gateway.clients, status?.given]).toEqual([[], []]);
  const written = readFileSync(file, 'utf8');
  expect(written).not.toContain('--workspace');
  expect(written).toContain('  // dark\n  "ui": { "theme": "x" },\n');
  expect(existsSync(join(dataDir, 'gateway.json'))).toBe(false);
  // It is an agent now, and was not here yet: the test call was the person's.
  const agent = page.getByRole('list', { name: 'Agents' }).getByRole('listitem', { name: 'gemini-cli' });
  await expect(agent).toContainText('Token since');
  await expect(agent.getByRole('button', { name: /List|list/ })).toHaveCount(0);
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await gemini.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await keepScreenshot(page, `connect-connected-${theme}`);
  }

  await gemini.getByRole('button', { name: 'Disconnect Gemini CLI' }).click();
  await expect(gemini).toContainText('Not connected');
  expect(readFileSync(file, 'utf8')).toBe(SETTINGS);

  const cursor = client(page, 'Cursor');
  await cursor.getByRole('button', { name: 'Connect Cursor' }).click();
  await resize(app, 640, 700);
  await cursor.scrollIntoViewIfNeeded();
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await keepScreenshot(page, 'connect-narrow');
  await expectByKeyboard(page, page.locator('.gh-place'));
  await cursor.getByRole('button', { name: 'Write settings' }).click();
  await expect(cursor).toContainText('Test call succeeded', { timeout: 60_000 });
  await expect(cursor).toContainText('Left: its own shell');
});

test('Connect: for this folder only, in a file that Git shares where there is no other, and taken out there', async ({
  launch,
}) => {
  const { home, env } = homeWith({ '.claude.json': '{}\n', '.claude/settings.json': '{}\n', '.gemini/x': '' });
  const app = await launch({ files: { 'hello.txt': 'hello\n', '.git/HEAD': 'ref: refs/heads/main\n' }, env });
  const { page, workspace } = app;
  await goTo(page, 'Agents');
  await expect(page.getByText('which are for every project of yours')).toBeVisible();

  const claude = client(page, 'Claude Code');
  await claude.getByRole('button', { name: 'Connect Claude Code' }).click();
  const places = claude.getByRole('radiogroup', { name: 'For' });
  await expect(places.getByRole('radio', { name: 'Every project of yours' })).toBeChecked();
  await places.getByRole('radio', { name: 'This folder only' }).click();
  await expect(claude).toContainText('Git shares these settings');
  await expect(claude).toContainText('settings.local.json');
  writeFileSync(join(workspace, '.gitignore'), '.claude/settings.local.json\n');
  await places.getByRole('radio', { name: 'This folder only' }).focus();
  await claude.getByRole('button', { name: 'Write settings' }).click();
  await expect(claude).toContainText('Test call succeeded', { timeout: 60_000 });
  await expect(claude).toContainText('Set up ✓');
  await expect(claude).toContainText(`Only in ${workspace}`);
  expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toMatchObject({
    projects: { [workspace]: { mcpServers: { gatehouse: { type: 'stdio' } } } },
  });
  await claude.getByRole('button', { name: 'Change… the settings of Claude Code' }).click();
  await expect(places.getByRole('radio', { name: 'This folder only' })).toBeChecked();
  await expect(claude).toContainText('Git doesn’t share these settings.');
  await claude.getByRole('button', { name: 'Cancel' }).click();

  const gemini = client(page, 'Gemini CLI');
  await gemini.getByRole('button', { name: 'Connect Gemini CLI' }).click();
  await gemini.getByRole('radio', { name: 'This folder only' }).click();
  await expect(gemini).toContainText('Git shares these settings');
  await gemini.scrollIntoViewIfNeeded();
  await expectAccessible(page);
  await keepScreenshot(page, 'connect-this-folder');
  await gemini.getByRole('button', { name: 'Write settings' }).click();
  await expect(gemini).toContainText('Test call succeeded', { timeout: 60_000 });
  expect(existsSync(join(workspace, '.gemini', 'settings.json'))).toBe(true);
  await gemini.getByRole('button', { name: 'Disconnect Gemini CLI in this folder' }).click();
  await expect(gemini).toContainText('Not connected');
  expect(existsSync(join(workspace, '.gemini', 'settings.json'))).toBe(false);
  await claude.getByRole('button', { name: 'Disconnect Claude Code in this folder' }).click();
  await expect(claude).toContainText('Not connected');
  expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe('{}\n');
});

test('Connect: settings that changed meanwhile are shown again, and a bad file is left as it is', async ({
  launch,
}) => {
  const { home, env } = homeWith({ '.gemini/settings.json': SETTINGS, '.codex/config.toml': 'a = = 1\n' });
  const { page } = await launch({ env });
  const file = join(home, '.gemini', 'settings.json');
  await goTo(page, 'Agents');
  await expect(client(page, 'Codex')).toContainText('It isn’t valid TOML (line 1)');
  await expect(client(page, 'Codex').getByRole('button', { name: 'Connect Codex' })).toBeDisabled();

  const gemini = client(page, 'Gemini CLI');
  await gemini.getByRole('button', { name: 'Connect Gemini CLI' }).click();
  const change = page.getByRole('region', { name: 'Change to the files of Gemini CLI' });
  await expect(change).toContainText('--mcp-stdio');
  writeFileSync(file, '{ "meanwhile": true }\n');
  await gemini.getByRole('button', { name: 'Write settings' }).click();
  await expect(gemini).toContainText('have changed meanwhile');
  await expect(change).toContainText('meanwhile');
  expect(readFileSync(file, 'utf8')).toBe('{ "meanwhile": true }\n');
  await gemini.getByRole('button', { name: 'Write settings' }).click();
  await expect(gemini).toContainText('Test call succeeded', { timeout: 60_000 });
  expect(readFileSync(file, 'utf8')).toContain('"meanwhile": true');

  // What it would start now is not ours: it is never started.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"command": ".*"/u, '"command": "/bin/false"'));
  await gemini.getByRole('button', { name: 'Test call for Gemini CLI' }).click();
  await expect(gemini).toContainText('don’t start this Gatehouse');
});

test('Connect: without an open folder, too; opening one keeps what is shown, and Claude Desktop is asked for its folder', async ({
  launch,
}) => {
  const { home, env } = homeWith({
    '.gemini/settings.json': SETTINGS,
    '.config/Claude/claude_desktop_config.json': '{}\n',
  });
  const app = await launch({ files: null, env });
  const { page } = app;
  await goTo(page, 'Agents');
  await expect(page.getByText('which are for every project of yours')).toBeVisible();
  const gemini = client(page, 'Gemini CLI');
  await gemini.getByRole('button', { name: 'Connect Gemini CLI' }).click();
  await expect(page.getByRole('region', { name: 'Change to the files of Gemini CLI' })).toContainText('--mcp-stdio');
  const folder = makeFolder('opened');
  await page.evaluate((path) => window.gatehouse.client['workspace.open']({ path }), folder);
  await expect(page.getByRole('tab')).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Change to the files of Gemini CLI' })).toContainText('--mcp-stdio');
  await gemini.getByRole('button', { name: 'Cancel' }).click();

  const desktop = client(page, 'Claude Desktop');
  await desktop.getByRole('button', { name: 'Connect Claude Desktop' }).click();
  await expect(desktop).toContainText('Choose the folder that Claude Desktop is to work in');
  await desktop.getByRole('radio', { name: folder }).click();
  await desktop.getByRole('button', { name: 'Write settings' }).click();
  await expect(desktop).toContainText(`Works in ${folder}`);
  await expect(desktop).toContainText('Test call succeeded', { timeout: 60_000 });
  const written = JSON.parse(readFileSync(join(home, '.config/Claude/claude_desktop_config.json'), 'utf8')) as {
    mcpServers: { gatehouse: { args: string[] } };
  };
  expect(written.mcpServers.gatehouse.args).toContain(folder);
});
