import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Gatehouse, expect, makeFolder, test } from './app.js';
import { approveAll, calls, command, COMMANDS_ALLOWED, expectStates, runBatch, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

/** Every name with its mode and bytes. */
function treeOf(folder: string): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, entry);
    const facts = lstatSync(path);
    if (facts.isSymbolicLink()) tree[entry] = `link ${readlinkSync(path)}`;
    else if (facts.isDirectory()) tree[entry] = 'folder';
    else tree[entry] = `${(facts.mode & 0o7777).toString(8)} ${readFileSync(path).toString('latin1')}`;
  }
  return tree;
}

function makeWorkspace(): string {
  const workspace = makeFolder('workspace');
  const at = (path: string) => join(workspace, path);
  mkdirSync(at('src/deep'), { recursive: true });
  writeFileSync(at('notes.txt'), 'one\ntwo\nthree\n');
  writeFileSync(at('src/run.sh'), '#!/bin/sh\n');
  chmodSync(at('src/run.sh'), 0o750);
  writeFileSync(at('src/deep/picture.bin'), Buffer.from([0, 255, 10, 13, 1]));
  chmodSync(at('src/deep/picture.bin'), 0o600);
  writeFileSync(at('app.asar'), 'no archive');
  symlinkSync('notes.txt', at('link'));
  return workspace;
}

const COMMAND = [
  'sed -i s/two/TWO/ notes.txt',
  'chmod 700 src/run.sh',
  'rm -r src/deep',
  'echo more >> app.asar',
  'ln -sfn src link',
  'mkdir -p made/here',
  'printf "\\000new" > made/here/file',
].join('; ');

async function runInApp({ page }: Gatehouse, text: string, state: string): Promise<void> {
  await runBatch(page, [command(text)]);
  await expect(sheet(page)).toContainText('Changes in this folder can be undone');
  await approveAll(page);
  await expectStates(page, [state]);
  await calls(page).first().getByRole('button', { name: 'Open in the details' }).click();
}

test('What a command modified, created and deleted is undone in the window, to every byte and mode', async ({
  launch,
}) => {
  const workspace = makeWorkspace();
  const before = treeOf(workspace);
  const app = await launch({ config: COMMANDS_ALLOWED, workspace });
  await runInApp(app, COMMAND, 'completed');
  const after = treeOf(workspace);
  expect(after['notes.txt']).toContain('TWO');
  expect(Object.keys(after)).toContain('made/here/file');
  expect(Object.keys(after)).not.toContain('src/deep');

  const detail = app.page.getByRole('complementary', { name: 'Call details' });
  await expect(detail).toContainText('Changed 6 files');
  await expect(detail).not.toContainText('can’t be undone');
  await detail.getByRole('button', { name: 'Show what changed' }).click();
  await expect(detail).toContainText('Its permissions changed from 750 to 700.');
  await keepScreenshot(app.page, 'command-done');
  await detail.getByRole('button', { name: 'Undo changes' }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Undo changes' });
  await expect(dialog.getByRole('list', { name: 'Files to undo' }).getByRole('listitem')).toHaveCount(6);
  await expect(dialog).toContainText('Its permissions change back from 700 to 750.');
  await expectAccessible(app.page);
  await keepScreenshot(app.page, 'command-undo-all');
  await dialog.getByRole('button', { name: 'Undo changes (6)' }).click();
  const undo = detail.locator('[data-tool="undo_changes"]');
  await expect(undo).toHaveAttribute('data-state', 'completed');
  expect(treeOf(workspace)).toEqual(before);
  const first = (await undo.getAttribute('data-call-id')) ?? '';

  // The undo is a call like any other: it is undone the same way.
  await detail.getByRole('button', { name: 'Undo changes' }).click();
  await app.page
    .getByRole('dialog', { name: 'Undo changes' })
    .getByRole('button', { name: 'Undo changes (6)' })
    .click();
  await expect(undo).not.toHaveAttribute('data-call-id', first);
  await expect(undo).toHaveAttribute('data-state', 'completed');
  expect(treeOf(workspace)).toEqual(after);
  rmSync(workspace, { recursive: true, force: true });
});

test('A command that failed tells which of its changes can’t be undone, and why; the others go back', async ({
  launch,
}) => {
  const workspace = makeWorkspace();
  writeFileSync(join(workspace, 'large.bin'), Buffer.alloc(1_200_000));
  writeFileSync(join(workspace, '.env'), 'KEY=1\n');
  const app = await launch({ config: COMMANDS_ALLOWED, workspace });
  await runInApp(app, 'for f in notes.txt large.bin .env; do echo x >> $f; done; echo > new.txt; exit 3', 'failed');
  const detail = app.page.getByRole('complementary', { name: 'Call details' });
  await expect(detail).toContainText('Changed 4 files');
  await expect(detail).toContainText('2 of them can’t be undone');
  const file = (name: string) => detail.locator('.gh-changes li').filter({ hasText: name });
  await expect(file('large.bin')).toContainText(
    'can’t be undone: It was larger than 1 MiB, so no copy of it was kept.',
  );
  await expect(file('.env')).toContainText('can’t be undone: It may hold secrets');
  await expect(file('notes.txt')).not.toContainText('can’t be undone');
  await expectAccessible(app.page);
  await keepScreenshot(app.page, 'command-changes');

  await detail.getByRole('button', { name: 'Undo changes' }).click();
  const dialog = app.page.getByRole('dialog', { name: 'Undo changes' });
  await expect(dialog).toContainText('2 other files will stay as the call left them');
  await expectAccessible(app.page);
  await keepScreenshot(app.page, 'command-undo-dialog');
  await dialog.getByRole('button', { name: 'Undo changes (2)' }).click();
  await expect(detail.locator('[data-tool="undo_changes"]')).toHaveAttribute('data-state', 'completed');
  expect(readFileSync(join(workspace, 'notes.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect(readdirSync(workspace)).not.toContain('new.txt');
  expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe('KEY=1\nx\n');
  rmSync(workspace, { recursive: true, force: true });
});

test('A command that changed more than is listed says so, and what is listed goes back', async ({ launch }) => {
  const app = await launch({ config: COMMANDS_ALLOWED, files: { 'kept.txt': 'kept' } });
  await runInApp(app, 'for i in $(seq 1100); do echo $i > made$i; done', 'completed');
  const detail = app.page.getByRole('complementary', { name: 'Call details' });
  await expect(detail).toContainText(/Changed 1.?000 files/);
  await expect(detail).toContainText('It may have changed more than listed');
  await keepScreenshot(app.page, 'command-many-changes');
  await detail.getByRole('button', { name: 'Undo changes' }).click();
  // Its words name none of them: somebody else may have made them, and nothing is taken without a word.
  const dialog = app.page.getByRole('dialog', { name: 'Undo changes' });
  await dialog.getByText('may be someone else’s (1000)', { exact: true }).click();
  const others = dialog.getByRole('checkbox', { name: 'Undo also what may be someone else’s (1000)' });
  await expect(others).not.toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Undo changes (0)' })).toBeDisabled();
  await expectAccessible(app.page);
  await keepScreenshot(app.page, 'command-undo-others');
  await others.click();
  await dialog.getByRole('button', { name: 'Undo changes (1000)' }).click();
  await expect(detail.locator('[data-tool="undo_changes"]')).toHaveAttribute('data-state', 'completed');
  expect(readdirSync(app.workspace)).toHaveLength(101);
});
