import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type ModelServer, startModelServer } from '../src-main/tests/model-server/model-server.test-support.js';
import { type Gatehouse, type Launch, expect, makeFolder, test as base } from './app.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, watchForFaults } from './places.js';

const test = base.extend<{ model: ModelServer }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures that are needed from this pattern.
  model: async ({}, use) => {
    await using server = await startModelServer();
    await use(server);
  },
});

const config = (server: ModelServer, more = ''): string =>
  `[model]\nprovider = "openai-compatible"\nbase_url = ${JSON.stringify(server.baseUrl)}\nmodel = "scripted-1"\n${more}`;

async function open(launch: Launch, server: ModelServer, more = {}): Promise<Gatehouse> {
  const app = await launch({ files: { 'README.md': '# Shop\n' }, config: config(server), ...more });
  await goTo(app.page, 'Conversation');
  await expect(log(app.page)).toContainText('scripted-1 answers here');
  return app;
}

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });
const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const list = (page: Page) => page.getByRole('list', { name: 'Conversations' });
const say = async (page: Page, text: string) => {
  await field(page).fill(text);
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveValue('');
};
const bodies = (server: ModelServer) => server.requests.map(({ body }) => JSON.stringify(body));

test('IT-E2E-01: a model reads and writes through the gate, is told what became of it, and says so', async ({
  launch,
  model,
}) => {
  model.script(
    {
      blocks: [
        { text: 'I look at the **readme** first.' },
        { call: 'read_file', arguments: { path: 'README.md' } },
        { call: 'write_file', arguments: { path: 'NOTES.md', content: '# Notes\n' } },
      ],
    },
    { blocks: [{ text: 'The notes are written.' }], usage: { input: 1200, output: 34 } },
  );
  const { page, workspace } = await open(launch, model);
  const faults = watchForFaults(page);
  await say(page, 'Write notes about this folder');
  const sheet = page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(sheet).toContainText('NOTES.md');
  await expect(log(page).locator('strong', { hasText: 'readme' })).toBeVisible();
  const write = log(page).locator('[data-tool="write_file"]');
  await expect(write).toHaveAttribute('data-state', 'pending');
  await expect(sheet).toHaveAttribute('data-approvable', 'true');
  await keepScreenshot(page, 'conversation-real-asks');
  await sheet
    .getByRole('button', { name: /^Approve/ })
    .first()
    .click();
  await expect(log(page)).toContainText('The notes are written.');
  await expect(write).toHaveAttribute('data-state', 'completed');
  await expect(log(page).locator('[data-tool="read_file"]')).toHaveAttribute('data-state', 'completed');
  expect(readFileSync(join(workspace, 'NOTES.md'), 'utf8')).toBe('# Notes\n');
  expect(model.requests).toHaveLength(2);
  expect(bodies(model)[1]).toContain('# Shop');
  await expect(log(page)).toContainText('1,200 tokens in · 34 out');
  await expect(list(page).getByRole('button').first()).toContainText('Write notes about this folder');
  await expectAccessible(page);
  await keepScreenshot(page, 'conversation-real');
  await write.getByRole('button', { expanded: false }).first().click();
  await expect(write.getByRole('button', { name: 'Undo changes' })).toBeVisible();
  await goTo(page, 'Activity');
  await expect(page.getByRole('main').getByRole('button', { name: 'Write notes about this folder' })).toBeVisible();
  expect(faults()).toEqual([]);
});

test('Stop keeps what came; an edit is a branch beside it; all of it is there after a restart', async ({
  launch,
  model,
}) => {
  model.script(
    { blocks: [{ text: 'This will take a while, and then some more of it comes.' }], wire: { stallAfterEvents: 3 } },
    { blocks: [{ text: 'Shorter.' }] },
    { blocks: [{ text: 'Shorter, again.' }] },
  );
  const app = await open(launch, model);
  const { page } = app;
  await say(page, 'Tell me all');
  await expect(log(page)).toContainText('This will');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(log(page)).toContainText('Stopped by you');
  await expect(log(page)).toContainText('This will');
  await log(page).getByRole('button', { name: 'Edit message' }).click();
  const edit = page.getByRole('textbox', { name: 'Edit message' });
  await edit.fill('Tell me in a word');
  await edit.press('Enter');
  await expect(log(page)).toContainText('Shorter.');
  await expect(log(page)).not.toContainText('This will');
  await expect(log(page)).toContainText('2/2');
  expect(bodies(model)[1]).not.toContain('Tell me all');
  await log(page).getByRole('button', { name: 'Retry' }).click();
  await expect(log(page)).toContainText('Shorter, again.');
  await log(page).getByRole('button', { name: 'Previous branch' }).first().click();
  await expect(log(page)).toContainText('Tell me all');
  await expect(log(page)).toContainText('1/2');
  await log(page).getByRole('button', { name: 'Next branch' }).first().click();
  await expect(log(page)).toContainText('Shorter, again.');
  await field(page).fill('A thought that is not sent');
  await expect(list(page).getByRole('button')).toHaveCount(1);
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const shown = await window.gatehouse.client['app.snapshot']({});
        const workspace = shown.ok ? (shown.value.workspace?.path ?? '') : '';
        const all = await window.gatehouse.client['conversations.list']({ workspace });
        return all.ok ? all.value[0]?.draft : null;
      }),
    )
    .toBe('A thought that is not sent');
  await app.close();
  const again = await launch({ dataDir: app.dataDir, workspace: app.workspace });
  await goTo(again.page, 'Conversation');
  await expect(log(again.page)).toContainText('Shorter, again.');
  await expect(field(again.page)).toHaveValue('A thought that is not sent');
});

test('What is said meanwhile waits as the next, and comes back', async ({ launch, model }) => {
  model.script(
    { blocks: [{ text: 'One moment, this takes its time.' }], wire: { stallAfterEvents: 2 } },
    { blocks: [{ text: 'Both done.' }] },
  );
  const { page } = await open(launch, model);
  await say(page, 'First');
  await expect(log(page)).toContainText('One');
  await say(page, 'Second');
  await expect(page.getByText('Next: Second')).toBeVisible();
  await page.getByRole('button', { name: 'Take back' }).click();
  await expect(field(page)).toHaveValue('Second');
  await expect(page.getByText('Next: Second')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await field(page).press('Enter');
  await expect(page.getByText('Next: Second')).toBeVisible();
  model.release();
  await expect(log(page)).toContainText('Both done.');
  expect(bodies(model)[1]).toContain('Second');
});

test('What goes wrong is told in plain words; waiting is counted, and can be stopped', async ({ launch, model }) => {
  model.script(
    { status: 401, body: { error: { message: 'bad key' } } },
    { status: 429, headers: { 'retry-after': '25' }, body: { error: { message: 'slow down' } } },
    { blocks: [{ text: 'Half an answ' }], ends: null },
  );
  const { page } = await open(launch, model);
  await say(page, 'Hello');
  await expect(log(page).getByRole('alert')).toContainText('key');
  await expect(log(page).getByRole('button', { name: 'Open model settings' })).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'conversation-real-key');
  await say(page, 'Again');
  await expect(page.getByRole('status').filter({ hasText: /Waiting 2\d s/ })).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Waiting' })).toHaveCount(0);
  await say(page, 'Once more');
  await expect(log(page)).toContainText('Half an answ');
  await expect(log(page).getByRole('alert')).toContainText('broke off');
});

test('Several conversations: found by what was said, renamed, deleted and taken back, exported', async ({
  launch,
  model,
}) => {
  model.otherwise(() => ({ blocks: [{ text: 'Fine.' }] }));
  const { page, electron } = await open(launch, model);
  await say(page, 'About apples');
  await expect(log(page)).toContainText('Fine.');
  await page.getByRole('button', { name: 'New conversation' }).click();
  await expect(log(page)).toContainText('What should be done?');
  await say(page, 'About pears');
  await expect(list(page).getByRole('button')).toHaveCount(2);
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('apples');
  await expect(list(page).getByRole('button')).toHaveText([/About apples/]);
  await list(page).getByRole('button').click();
  await expect(log(page)).toContainText('About apples');
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('');
  const menu = page.getByRole('button', { name: 'More about this conversation' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Fruit');
  await page.getByRole('button', { name: 'Rename' }).click();
  await expect(list(page)).toContainText('Fruit');
  for (const [name, file] of [
    ['Markdown', 'fruit.md'],
    ['JSON', 'fruit.json'],
  ] as const) {
    const path = join(makeFolder('export'), file);
    await electron.evaluate(({ dialog }, filePath) => {
      dialog.showSaveDialog = async () => ({ canceled: false, filePath });
    }, path);
    await menu.click();
    await page.getByRole('menuitem', { name: `Export as ${name}…` }).click();
    await expect(page.getByText(`Saved as ${path}`)).toBeVisible();
    expect(readFileSync(path, 'utf8')).toContain('About apples');
    await page.getByRole('button', { name: 'Dismiss: Exported' }).click();
  }
  await menu.click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(list(page).getByRole('button')).toHaveText([/About pears/]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(list(page).getByRole('button')).toHaveCount(2);
  await expect(log(page)).toContainText('About apples');
});

test('A file is attached by “@”, with its text as it is read', async ({ launch, model }) => {
  model.otherwise(() => ({ blocks: [{ text: 'Read.' }] }));
  const { page } = await open(launch, model, { files: { 'src/build.ts': 'export const secretOfTheBuild = 42;\n' } });
  await field(page).focus();
  await page.keyboard.type('Look at @build');
  await expect(page.getByRole('listbox', { name: 'Files' }).getByRole('option')).toHaveText(['src/build.ts']);
  await page.keyboard.press('Enter');
  await page.keyboard.type('closely');
  await page.keyboard.press('Enter');
  await expect(log(page)).toContainText('Read.');
  expect(bodies(model)[0]).toContain('secretOfTheBuild');
  await log(page)
    .getByRole('button', { name: /src\/build\.ts/ })
    .click();
  await expect(log(page)).toContainText('secretOfTheBuild');
});
