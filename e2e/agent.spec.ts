import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { test } from './app.js';
import { approveAll, denyAll } from './compose-door.js';

const files = { 'a.txt': 'one\ntwo\n' };
const flags = ['--gateway'];

interface CallOnTheWire {
  readonly callId: string;
  readonly tool: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly client: string | null;
}

test('an agent reads at once, and what it would write is shown, approved, done, recorded and undone', async ({
  launch,
}) => {
  const app = await launch({ files, flags });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  expect(await callTool(agent, 'read_file', { path: 'a.txt' })).toMatchObject({ text: 'one\ntwo\n', isError: false });

  const patch = 'LP1\nF a.txt\nR\ntwo\n.\nTWO\n.\nEND\n';
  const pending = callTool(agent, 'apply_patch', { patch });
  const sheet = app.page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(sheet).toBeVisible();
  await expect(sheet).toContainText('test agent 1.2');
  await expect(sheet).toContainText('TWO');
  expect(readFileSync(join(app.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  const { approvals } = await ask<{ approvals: readonly { tool: string }[] }>(gateway, '/v1/approvals');
  expect(approvals).toMatchObject([{ tool: 'apply_patch' }]);
  await approveAll(app.page);
  const done = await pending;
  expect(done).toMatchObject({ text: 'modified: a.txt', isError: false });
  expect(readFileSync(join(app.workspace, 'a.txt'), 'utf8')).toBe('one\nTWO\n');

  const { calls } = await ask<{ calls: readonly CallOnTheWire[] }>(gateway, '/v1/calls');
  expect(calls.map(({ tool, state, client }) => [tool, state, client])).toEqual([
    ['apply_patch', 'COMPLETED', 'test agent 1.2'],
    ['read_file', 'COMPLETED', 'test agent 1.2'],
  ]);
  expect(await ask(gateway, '/v1/audit/verify')).toMatchObject({ ok: true });

  await app.page.getByRole('link', { name: 'History' }).click();
  await app.page.getByRole('table', { name: 'Calls' }).getByText('apply_patch').first().click();
  await app.page.getByRole('button', { name: /^Undo changes/ }).click();
  const preview = app.page.getByRole('dialog');
  await preview.getByRole('button', { name: /^Undo/ }).click();
  await expect.poll(() => readFileSync(join(app.workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  await agent.close();
});

test('the reason of a denial reaches the agent, and nothing happened', async ({ launch }) => {
  const app = await launch({ files, flags });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const pending = callTool(agent, 'write_file', { path: 'new.txt', content: 'x' });
  const sheet = app.page.getByRole('dialog', { name: 'Approve tool calls' });
  await sheet.getByRole('textbox', { name: 'Reason' }).fill('not now');
  await denyAll(app.page);
  const denied = await pending;
  expect(denied).toMatchObject({ isError: true, code: 'DeniedByPerson' });
  expect(denied.text).toContain('not now');
  expect(existsSync(join(app.workspace, 'new.txt'))).toBe(false);
  await agent.close();
});

test('killed while a call waits: it is asked again, and nothing ran', async ({ launch }) => {
  const app = await launch({ files, flags });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  void callTool(agent, 'write_file', { path: 'new.txt', content: 'x' }).catch(() => 'the agent saw the app go');
  await expect(app.page.getByRole('dialog', { name: 'Approve tool calls' })).toBeVisible();
  await app.kill();
  const again = await launch({ dataDir: app.dataDir, workspace: app.workspace, flags });
  const sheet = again.page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(sheet).toBeVisible();
  expect(existsSync(join(app.workspace, 'new.txt'))).toBe(false);
  await approveAll(again.page);
  await expect.poll(() => existsSync(join(app.workspace, 'new.txt'))).toBe(true);
});

test('run_command: refused by default; once allowed it asks, runs confined, and its failure keeps its output', async ({
  launch,
}) => {
  const app = await launch({ files, flags, config: '[tools.approval]\ndenylist = []\n' });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const pending = callTool(agent, 'run_command', { command: 'cat a.txt; echo oops >&2; exit 3' });
  const sheet = app.page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(sheet).toContainText('cat a.txt');
  await approveAll(app.page);
  const failed = await pending;
  expect(failed).toMatchObject({ isError: true, code: 'ExecutionFailed' });
  expect(failed.text).toContain('exit code 3');
  expect(failed.text).toContain('one\ntwo');
  expect(failed.text).toContain('[stderr]\noops');
  const detail = await ask<{ state: string; confinement: string }>(gateway, `/v1/calls/${failed.callId}`);
  expect(detail).toMatchObject({ state: 'ABORTED', confinement: 'confined' });
  await agent.close();
});

test('run_command is denied while it is on the denylist', async ({ launch }) => {
  const app = await launch({ files, flags });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  expect(await callTool(agent, 'run_command', { command: 'true' })).toMatchObject({
    isError: true,
    code: 'Denylisted',
  });
  await agent.close();
});

test('killed while a command runs: the story is told, nothing runs again, and the choice ends it', async ({
  launch,
}) => {
  const app = await launch({ files, flags, config: '[tools.approval]\ndenylist = []\n' });
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  void callTool(agent, 'run_command', { command: 'echo started > ran.txt; echo more >> ran.txt; sleep 600' }).catch(
    () => undefined,
  );
  await approveAll(app.page);
  const ran = () =>
    existsSync(join(app.workspace, 'ran.txt')) ? readFileSync(join(app.workspace, 'ran.txt'), 'utf8') : '';
  await expect.poll(ran).toBe('started\nmore\n');
  await app.kill();
  const again = await launch({ dataDir: app.dataDir, workspace: app.workspace, flags });
  const gateway = await gatewayOf(again.dataDir, again.pid);
  const dialog = again.page.getByRole('dialog', { name: 'Unfinished work' });
  await expect(dialog).toBeVisible();
  await expect(dialog).toContainText(/may have run/i);
  await expect(dialog).toContainText('ran.txt');
  expect(await ask(gateway, '/v1/status')).toMatchObject({ recovering: true });
  await dialog.getByRole('button', { name: /^Resume with partial results/ }).click();
  await expect(dialog).toBeHidden();
  const { calls } = await ask<{ calls: readonly CallOnTheWire[] }>(gateway, '/v1/calls');
  expect(calls).toMatchObject([{ tool: 'run_command', state: 'ABORTED', outcome: 'interrupted' }]);
  expect(ran()).toBe('started\nmore\n');
});
