import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, makeFolder, test } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, watchForFaults } from './places.js';

const TOKEN = `ghp_${'Zz9'.repeat(12)}`;
const PASTED = JSON.stringify({
  mcpServers: {
    GitHub: { command: 'npx', args: ['-y', '@example/github'], env: { GITHUB_TOKEN: TOKEN, LOG_LEVEL: 'debug' } },
    notes: { type: 'http', url: 'https://notes.example/mcp', headers: { 'X-Api-Key': '<YOUR_KEY>' } },
    itself: { command: 'gatehouse', args: ['--mcp-stdio'] },
  },
});

test('What another program keeps of its servers is shown before anything of it is taken', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const faults = watchForFaults(page);
  await goTo(page, 'Tools');
  await page.getByRole('button', { name: 'Add a source…' }).first().click();
  const text = page.getByRole('textbox', { name: 'Settings of another program' });
  await text.fill('{"mcpServers": {');
  await expect(page.getByText(/This can’t be read\. Line 1/)).toBeVisible();
  await text.fill(PASTED);
  const list = page.getByRole('list', { name: 'Servers in it' });
  const github = list.getByRole('listitem', { name: 'github' });
  await expect(github).toContainText('npx -y @example/github');
  await expect(github).toContainText('LOG_LEVEL=debug');
  await expect(github).toContainText('moves to the key store as github-token');
  await expect(list).not.toContainText('Zz9');
  await expect(list.getByRole('listitem', { name: 'itself' })).toContainText('Gatehouse itself');
  await expect(list.getByLabel('Key for X-Api-Key')).toHaveAttribute('type', 'password');
  await github.getByRole('combobox', { name: 'Network of github' }).click();
  await page.getByRole('option', { name: 'Only these hosts' }).click();
  await page.getByRole('button', { name: 'Add 2 sources' }).click();
  await expect(page.getByText('Name the hosts that it may reach.')).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'sources-paste');
  expect(faults()).toEqual([]);
});

test('A source is written by hand, and what is wrong is told beside it', async ({ gatehouse }) => {
  const { page } = gatehouse;
  await goTo(page, 'Tools');
  await page.getByRole('button', { name: 'Add a source…' }).first().click();
  await page.getByRole('tab', { name: 'By hand' }).click();
  const form = page.getByRole('form', { name: 'Source by hand' });
  await form.getByRole('button', { name: 'Add source' }).click();
  await expect(form).toContainText('Give it a name.');
  await expect(form).toContainText('Enter the command that starts it.');
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Gate');
  await expect(form).toContainText('Lowercase letters, digits and “-”');
  await form.getByRole('button', { name: 'Add one' }).click();
  await form.getByRole('textbox', { name: 'Name 1' }).fill('API_TOKEN');
  await form.getByRole('combobox', { name: 'Kind of value 1' }).click();
  await page.getByRole('option', { name: 'New key' }).click();
  await expect(form.getByLabel('Value 1', { exact: true })).toHaveAttribute('type', 'password');
  await expect(form).toContainText('API_TOKEN has no value yet.');
  await expectAccessible(page);
  await keepScreenshot(page, 'sources-by-hand');
});

test('What a folder brings along is offered, and starts nothing', async ({ launch }) => {
  const started = join(makeFolder('started'), 'by-a-folder');
  const { page } = await launch({
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: { evil: { command: 'touch', args: [started] } } }),
      '.vscode/mcp.json': '{ // mine\n "servers": { "x": { "type": "stdio", "command": "x" }, } }',
      '.cursor/mcp.json': '{"mcpServers": ',
    },
  });
  await goTo(page, 'Tools');
  await expect(page.getByText('.mcp.json and .vscode/mcp.json in this folder name 2 MCP servers.')).toBeVisible();
  await page.getByRole('button', { name: 'Look at them…' }).click();
  const file = page.getByRole('region', { name: '.mcp.json', exact: true });
  await expect(file.getByRole('listitem', { name: 'evil' })).toContainText(`Starts touch ${started}`);
  await expect(page.getByRole('region', { name: '.cursor/mcp.json' })).toContainText('can’t be read');
  await expectAccessible(page);
  await keepScreenshot(page, 'sources-found');
  expect(existsSync(started)).toBe(false);
});
