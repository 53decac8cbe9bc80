import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from '@playwright/test';
import { electronExecutable } from '../scripts/setup/electron-runtime.mjs';
import { callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, projectDir, test } from './app.js';
import { denyAll, sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const place = (page: Page) => page.getByRole('region', { name: 'Agents', exact: true });

async function tokenFor(page: Page, name: string): Promise<string> {
  await place(page).getByRole('button', { name: 'New agent…' }).click();
  await place(page).getByRole('textbox', { name: 'Name' }).fill(name);
  await place(page).getByRole('button', { name: 'Create', exact: true }).click();
  await expect(place(page).getByRole('listitem', { name, exact: true })).toBeVisible();
  return await place(page).getByRole('textbox', { name: 'Token' }).inputValue();
}

test('One agent is asked otherwise than all, as its card says; a name without a token has no rules', async ({
  launch,
}) => {
  const config = '[[tools.approval.confirmed]]\ntool = "write_file"\nagent = "taken"\n';
  const app = await launch({ files: {}, config, flags: ['--gateway'] });
  const { page, dataDir, workspace } = app;
  const own = await gatewayOf(dataDir, app.pid);
  await goTo(page, 'Agents');
  const builder = await connectAgent({ ...own, token: await tokenFor(page, 'builder') });
  const other = await connectAgent({ ...own, token: await tokenFor(page, 'other') });
  const write = (agent: Client, path: string) => callTool(agent, 'write_file', { path, content: 'x\n' });
  /** It asks, and is denied. */
  const asks = async (agent: Client, path: string): Promise<void> => {
    const call = write(agent, path);
    await expect(sheet(page)).toContainText(path);
    await denyAll(page);
    expect(await call).toMatchObject({ code: 'DeniedByPerson' });
  };
  await asks(builder, 'first.txt');

  const card = place(page).getByRole('listitem', { name: 'builder', exact: true });
  await card.getByRole('combobox', { name: 'How builder is asked' }).click();
  await page.getByRole('option', { name: /^Balanced/ }).click();
  await expect(card.getByRole('combobox', { name: 'How builder is asked' })).toContainText('Balanced');
  await expect.poll(() => readFileSync(join(dataDir, 'config.toml'), 'utf8')).toContain('edits = "collect"');
  await expectAccessible(page);
  await keepScreenshot(page, 'agents-asking');
  expect(await write(builder, 'second.txt')).toMatchObject({ isError: false });
  expect(await write(builder, join(workspace, 'third.txt'))).toMatchObject({ isError: false });
  expect(existsSync(join(workspace, 'third.txt'))).toBe(true);
  await asks(other, 'fourth.txt');
  expect(await write(other, join(workspace, 'fifth.txt'))).toMatchObject({ code: 'PathOutsideSandbox' });

  const taken = new Client({ name: 'builder', version: '1' });
  await taken.connect(
    new StdioClientTransport({
      command: electronExecutable(),
      args: [projectDir, '--no-sandbox', '--mcp-stdio', '--agent', 'taken', '--data-dir', dataDir],
      env: Object.fromEntries(
        Object.entries(process.env).filter(
          (each): each is [string, string] => each[1] !== undefined && each[0] !== 'ELECTRON_RUN_AS_NODE',
        ),
      ),
      cwd: workspace,
      stderr: 'ignore',
    }),
  );
  await expect(place(page).getByRole('listitem', { name: 'taken', exact: true })).toContainText('has no token');
  await expect(page.getByRole('combobox', { name: 'How taken is asked' })).toHaveCount(0);
  await asks(taken, 'sixth.txt');
  // A token that is made for the name meanwhile: what waits can be decided, as it stands then.
  const waiting = write(taken, 'between.txt');
  await expect(sheet(page)).toContainText('between.txt');
  await tokenFor(page, 'taken');
  await denyAll(page);
  expect(await waiting).toMatchObject({ code: 'DeniedByPerson' });

  await card.getByRole('combobox', { name: 'How builder is asked' }).click();
  await page.getByRole('option', { name: 'As all agents' }).click();
  await expect.poll(() => readFileSync(join(dataDir, 'config.toml'), 'utf8')).not.toContain('builder');
  await asks(builder, 'seventh.txt');
  await Promise.all([builder, other, taken].map((each) => each.close()));
});
