import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { approveAll } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const flags = ['--gateway'];
const who = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Approve tool calls' });

interface Waiting {
  readonly calls: readonly { readonly tool: string; readonly state: string; readonly agent: string | null }[];
}

test('A paused agent’s calls wait, its sheet goes, and both come back when it is resumed; a crash resumes nobody', async ({
  launch,
}) => {
  const app = await launch({ files: { 'a.txt': 'a\n' }, flags, config: '' });
  const { page } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const made = await page.evaluate(() => window.gatehouse.client['agents.create']({ name: 'builder' }));
  const token = made.ok ? made.value.token : '';
  const agent = await connectAgent({ ...gateway, token }, 'codex');
  const other = await connectAgent(gateway, 'other');
  const asked = callTool(agent, 'write_file', { path: 'one.txt', content: '1\n' });
  await expect(sheet(page)).toBeVisible();

  // By the keyboard alone.
  const pause = who(page, 'builder').getByRole('button', { name: 'Pause builder' });
  await pause.focus();
  await page.keyboard.press('Enter');
  await expect(sheet(page)).toHaveCount(0);
  await expect(who(page, 'builder')).toContainText('Paused. Its calls wait until you resume it');
  const read = callTool(agent, 'read_file', { path: 'a.txt' });
  await expect(who(page, 'builder').getByRole('list', { name: 'Queued' })).toContainText('builder is paused.');
  expect(await callTool(other, 'read_file', { path: 'a.txt' })).toMatchObject({ text: 'a\n' });
  expect(await ask(gateway, '/v1/status')).toMatchObject({ pending: 2 });
  const { calls } = await ask<Waiting>(gateway, '/v1/calls?limit=3');
  expect(calls.filter((call) => call.agent === 'builder').map(({ tool, state }) => [tool, state])).toEqual([
    ['read_file', 'AUTHORIZED'],
    ['write_file', 'VALIDATED'],
  ]);
  await expectAccessible(page);
  await keepScreenshot(page, 'activity-paused');

  await who(page, 'builder').getByRole('button', { name: 'Resume builder' }).click();
  expect(await read).toMatchObject({ text: 'a\n', isError: false });
  await expect(sheet(page)).toContainText('one.txt');
  await approveAll(page);
  expect(await asked).toMatchObject({ isError: false });
  expect(readFileSync(join(app.workspace, 'one.txt'), 'utf8')).toBe('1\n');

  // From Agents as well.
  await goTo(page, 'Agents');
  const card = page.locator('[data-agent="builder"]');
  await card.getByRole('button', { name: 'Pause builder' }).click();
  await expect(card.getByRole('button', { name: 'Resume builder' })).toBeVisible();
  await expectAccessible(page);
  await goTo(page, 'Activity');
  await expect(who(page, 'builder').getByRole('button', { name: 'Resume builder' })).toBeVisible();
  void callTool(agent, 'write_file', { path: 'two.txt', content: '2\n' }).catch(() => 'the agent saw the app go');
  await expect(who(page, 'builder').getByRole('list', { name: 'Waiting for you' })).toContainText('two.txt');
  await app.kill();
  await agent.close().catch(() => undefined);
  await other.close().catch(() => undefined);

  const again = await launch({ dataDir: app.dataDir, workspace: app.workspace, flags });
  const waiting = who(again.page, 'builder');
  await expect(waiting.getByRole('list', { name: 'Waiting for you' })).toContainText('two.txt');
  await expect(sheet(again.page)).toHaveCount(0);
  await waiting.getByRole('button', { name: 'Resume builder' }).click();
  await expect(sheet(again.page)).toContainText('two.txt');
  expect(existsSync(join(app.workspace, 'two.txt'))).toBe(false);
});
