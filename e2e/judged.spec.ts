import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, projectDir, test } from './app.js';
import { approveAll, denyAll, sheet } from './compose-door.js';

/** What was judged is what is used: the holes that were found in that, tried as they were found. */

test('a cloned folder moves no root, switches nothing off, and what is approved is what was shown', async ({
  launch,
}) => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-outside-')));
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-clone-')));
  writeFileSync(join(outside, 'notes.txt'), 'not yours');
  for (const folder of ['.gatehouse', '.vscode', 'd', '.git', 'src']) mkdirSync(join(workspace, folder));
  const settings = join(workspace, '.gatehouse/config.toml');
  writeFileSync(settings, '[tools.sandbox]\nallowed_roots = ["link"]\n');
  symlinkSync(outside, join(workspace, 'link'));
  writeFileSync(join(workspace, 'a.txt'), 'one\nold\n');

  const app = await launch({ workspace, flags: ['--gateway'] });
  const { page } = app;
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const notices = page.getByRole('region', { name: 'Notices' });

  // C1: the link is no root, and that is told.
  expect(await callTool(agent, 'read_file', { path: 'notes.txt' })).toMatchObject({ code: 'ExecutionFailed' });
  expect(await callTool(agent, 'read_file', { path: 'link/notes.txt' })).toMatchObject({ code: 'PathOutsideSandbox' });
  await expect(notices).toContainText('link: a link is on the way there');

  // C4: while the sheet is open the folder becomes a link to where control files are.
  const swapped = callTool(agent, 'write_file', { path: 'd/tasks.json', content: '{}' });
  await expect(sheet(page)).toBeVisible();
  renameSync(join(workspace, 'd'), join(workspace, 'd.real'));
  symlinkSync('.vscode', join(workspace, 'd'));
  await approveAll(page);
  await expect(sheet(page)).toContainText('Look at it again');
  await expect(sheet(page)).toContainText('High');
  expect(readdirSync(join(workspace, '.vscode'))).toEqual([]);
  await denyAll(page);
  expect(await swapped).toMatchObject({ code: 'DeniedByPerson' });
  rmSync(join(workspace, 'd'));
  renameSync(join(workspace, 'd.real'), join(workspace, 'd'));

  // Suspicion 3: a real folder in its place, and no link anywhere.
  const moved = callTool(agent, 'write_file', { path: 'd/tasks.json', content: '{}' });
  await expect(sheet(page)).toBeVisible();
  renameSync(join(workspace, 'd'), join(workspace, 'd.real'));
  renameSync(join(workspace, '.vscode'), join(workspace, 'd'));
  await approveAll(page);
  await expect(sheet(page)).toContainText('Look at it again');
  expect(readdirSync(join(workspace, 'd'))).toEqual([]);
  await denyAll(page);
  await moved;
  renameSync(join(workspace, 'd'), join(workspace, '.vscode'));
  renameSync(join(workspace, 'd.real'), join(workspace, 'd'));

  // M2: the file changes, and the agent reads it again: the sheet shows what would be changed now.
  await callTool(agent, 'read_file', { path: 'a.txt' });
  const patched = callTool(agent, 'apply_patch', { patch: 'LP1\nF a.txt\nR\none\n.\nTWO\n.\nEND\n' });
  await expect(sheet(page)).toContainText('old');
  writeFileSync(join(workspace, 'a.txt'), 'one\nnew\n');
  await callTool(agent, 'read_file', { path: 'a.txt' });
  await approveAll(page);
  await expect(sheet(page)).toContainText('Look at it again');
  await expect(sheet(page)).toContainText('new');
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\nnew\n');
  await approveAll(page);
  expect(await patched).toMatchObject({ isError: false });
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('TWO\nnew\n');

  // Settings that were there and that the person changes count, and the roots that they leave are said.
  writeFileSync(settings, '[tools.sandbox]\nallowed_roots = ["src"]\n');
  const status = page.getByRole('contentinfo', { name: 'Status' });
  await expect(status).toContainText(`Tools use ${join(workspace, 'src')}`);
  const narrowed = callTool(agent, 'write_file', { path: 'b.txt', content: 'x' });
  await expect(sheet(page)).toContainText(`They can use only: ${join(workspace, 'src')}`);
  await denyAll(page);
  await narrowed;
  await agent.close();
  for (const folder of [outside, workspace]) rmSync(folder, { recursive: true });
});

test('settings that a call changed wait for a yes, and the data folder is nobody’s', async ({ launch }) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-home-')));
  const dataDir = join(home, '.config/Gatehouse');
  mkdirSync(dataDir, { recursive: true });
  mkdirSync(join(home, '.gatehouse'));
  writeFileSync(join(home, '.gatehouse/config.toml'), '# nothing yet\n');

  const app = await launch({ workspace: home, dataDir, flags: ['--gateway'], env: { HOME: home } });
  const { page } = app;
  const gateway = await gatewayOf(dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const notices = page.getByRole('region', { name: 'Notices' });
  await expect(notices).toContainText('your home folder');

  // H1: unasked, and asked.
  for (const file of ['gateway.json', 'config.toml', 'journal.db', 'logs/gatehouse.log', 'new.txt']) {
    const path = `.config/Gatehouse/${file}`;
    expect(await callTool(agent, 'read_file', { path }), file).toMatchObject({ code: 'SandboxViolation' });
    expect(await callTool(agent, 'write_file', { path, content: 'x' }), file).toMatchObject({
      code: 'SandboxViolation',
    });
  }
  expect(await callTool(agent, 'list_directory', { path: '.config/Gatehouse' })).toMatchObject({
    code: 'SandboxViolation',
  });
  const listed = await callTool(agent, 'list_directory', { path: '.', recursive: true, include_hidden: true });
  expect(listed).toMatchObject({ isError: false });
  expect(listed.text).not.toContain('Gatehouse');

  // L1: what a call of theirs did to the folder's settings counts only when the person says so, though it only tightens.
  await callTool(agent, 'read_file', { path: '.gatehouse/config.toml' });
  const patch = 'LP1\nF .gatehouse/config.toml\nT\n[tools]\nmode = "disabled"\n.\nEND\n';
  const tightened = callTool(agent, 'apply_patch', { patch });
  await approveAll(page);
  expect(await tightened).toMatchObject({ isError: false });
  await expect(notices).toContainText('perhaps by a call');
  expect(await callTool(agent, 'list_directory', { path: '.' })).toMatchObject({ isError: false });
  await notices.getByRole('button', { name: 'Use these settings' }).click();
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('Tools off');
  expect(await callTool(agent, 'list_directory', { path: '.' })).toMatchObject({ code: 'Disabled' });
  await agent.close();
  await app.close();

  // A workspace in the data folder is refused before anything starts.
  const inside = join(dataDir, 'logs');
  const refused = spawnSync(
    electronExecutable(),
    [projectDir, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--data-dir', dataDir, '--workspace', inside],
    { encoding: 'utf8' },
  );
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('own data folder');
  rmSync(home, { recursive: true });
});
