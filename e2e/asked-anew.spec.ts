import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import { answers, approveAll, COMMANDS_ALLOWED, denyAll, sheet, stood } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const SETUP = { files: {}, flags: ['--gateway'], config: COMMANDS_ALLOWED };

test('A look at another sheet that waits forgets no tick, no begun reason and no begun edit; the next one of its asker begins anew', async ({
  launch,
}) => {
  const { page, dataDir, pid, workspace } = await launch(SETUP);
  const gateway = await gatewayOf(dataDir, pid);
  const [codex, claude] = [await connectAgent(gateway, 'codex'), await connectAgent(gateway, 'claude')];
  const write = (agent: typeof codex, path: string) => callTool(agent, 'write_file', { path, content: 'x' });
  const ticked = (path: string) => sheet(page).getByRole('group', { name: path }).getByRole('checkbox');
  const reason = sheet(page).getByRole('textbox', { name: 'Reason', exact: true });
  const waiting = sheet(page).getByRole('list', { name: 'Waiting', exact: true });

  const asked = [write(codex, 'one.txt'), write(codex, 'two.txt')];
  await expect(sheet(page).getByRole('group')).toHaveCount(2);
  const other = write(claude, 'other.txt');
  await expect(waiting.getByRole('listitem')).toHaveCount(2);
  await ticked('two.txt').uncheck();
  await reason.fill('two is not needed');
  const edited = sheet(page).getByRole('textbox', { name: 'Arguments', exact: true });
  await sheet(page).getByRole('group', { name: 'two.txt' }).getByRole('button', { name: 'Edit arguments' }).click();
  await edited.fill('{"path": "half');
  await waiting.getByRole('button', { name: /claude/ }).click();
  await expect(sheet(page).getByRole('group', { name: 'other.txt' })).toBeVisible();
  await expect(reason).toHaveValue('');
  await waiting.getByRole('button', { name: /codex/ }).click();
  await expect(reason).toHaveValue('two is not needed');
  await expect(edited).toHaveValue('{"path": "half');
  await sheet(page).getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(ticked('one.txt')).toBeChecked();
  await expect(ticked('two.txt')).not.toBeChecked();
  await keepScreenshot(page, 'sheet-come-back-to');

  // It counts as new on the screen: nothing of it is approved before it stood there again.
  await stood(page);
  await answers(page)
    .getByRole('button', { name: /^Approve selected \(1\), deny 1/ })
    .click();
  const [one, two] = await Promise.all(asked);
  expect(one?.isError).toBe(false);
  expect(two).toMatchObject({ code: 'DeniedByPerson' });
  expect(two?.text).toContain('two is not needed');
  expect(existsSync(join(workspace, 'two.txt'))).toBe(false);
  await expect(sheet(page).getByRole('group', { name: 'other.txt' })).toBeVisible();
  await approveAll(page);
  await other;
  const next = write(codex, 'three.txt');
  await expect(sheet(page).getByRole('group', { name: 'three.txt' })).toBeVisible();
  await expect(reason).toHaveValue('');
  await denyAll(page);
  await next;
  await Promise.all([codex.close(), claude.close()]);
});

test('What was denied is denied again at once and counted, until “Ask me again” in History: then it asks', async ({
  launch,
}) => {
  const { page, dataDir, pid, workspace } = await launch(SETUP);
  const gateway = await gatewayOf(dataDir, pid);
  const agent = await connectAgent(gateway, 'codex');
  const asked = () => callTool(agent, 'write_file', { path: 'a.txt', content: 'a' });
  const first = asked();
  await sheet(page).getByRole('textbox', { name: 'Reason', exact: true }).fill('Not there.');
  await denyAll(page);
  const { callId } = await first;
  for (let again = 0; again < 2; again += 1) {
    const repeated = await asked();
    expect(repeated).toMatchObject({ code: 'DeniedByPerson' });
    expect(repeated.text).toContain('Not there.');
  }
  await expect(sheet(page)).toHaveCount(0);
  expect(await ask(gateway, `/v1/calls/${callId}`)).toMatchObject({ repeats: 2 });

  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${callId}"]`).click();
  const detail = page.locator(`article[data-call-id="${callId}"]`);
  await expect(detail).toContainText('Denied 3 times');
  await expectAccessible(page);
  await keepScreenshot(page, 'denied-three-times');
  const again = detail.getByRole('button', { name: 'Ask me again' });
  await again.focus();
  await page.keyboard.press('Enter');
  await expect(detail).toContainText('You will be asked if it comes again');

  const anew = asked();
  await expect(sheet(page).getByRole('group', { name: 'a.txt' })).toBeVisible();
  await approveAll(page);
  expect((await anew).isError).toBe(false);
  expect(existsSync(join(workspace, 'a.txt'))).toBe(true);
  await agent.close();
});
