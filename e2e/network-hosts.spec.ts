import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { callTool, connectAgent, gatewayOf, type ToolAnswer } from './agent.js';
import { expect, type Gatehouse, test } from './app.js';
import { answers, approveAll, command, COMMANDS_ALLOWED, runBatch, sheet, stood } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';

/** Two repositories on this machine, each on a port of its own. */
const sites: Server[] = [];
let good = '';
let other = '';

test.beforeAll(async () => {
  const ref = `${'1'.repeat(40)}\trefs/heads/main\n`;
  for (let count = 0; count < 2; count += 1) {
    const site = createServer((request, response) =>
      response.end(request.url?.includes('/info/refs') === true ? ref : 'ref: refs/heads/main\n'),
    );
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    sites.push(site);
  }
  [good = '', other = ''] = sites.map((site) => `localhost:${(site.address() as AddressInfo).port}`);
});
test.afterAll(() => {
  for (const site of sites) {
    site.closeAllConnections();
    site.close();
  }
});

const SERVING = `${COMMANDS_ALLOWED}[gateway]\nenabled = true\n`;
const listing = (host: string): string => `git ls-remote http://${host}/a.git`;
const hostSwitch = (page: Page, host: string): Locator => sheet(page).getByRole('switch', { name: `Allow ${host}` });
const anyHost = (page: Page): Locator => sheet(page).getByRole('button', { name: 'Any host…' });

async function agentAsks(
  launched: Gatehouse,
  text: string,
): Promise<{ readonly answer: Promise<ToolAnswer>; readonly close: () => Promise<void> }> {
  const agent = await connectAgent(await gatewayOf(launched.dataDir, launched.pid));
  return { answer: callTool(agent, 'run_command', { command: text }), close: () => agent.close() };
}

test('A host that a command names is allowed by name; another in the same command is refused, and all are told', async ({
  launch,
}) => {
  const launched = await launch({ files: {}, config: SERVING });
  const { page } = launched;
  const { answer, close } = await agentAsks(launched, `${listing(good)}; ${listing(other)}`);
  await expect(hostSwitch(page, good)).not.toBeChecked();
  await expect(hostSwitch(page, other)).not.toBeChecked();
  await hostSwitch(page, good).click();
  await expect(hostSwitch(page, good)).toBeChecked();
  await expect(sheet(page).getByRole('list', { name: 'Terms' })).toContainText(`Network: ${good}`);
  for (const width of [1280, 640]) {
    await resize(launched, width, 800);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expectAccessible(page);
      await keepScreenshot(page, `approval-hosts-${width}-${theme}`);
    }
  }
  await approveAll(page);
  const told = await answer;
  expect(told.text).toContain('refs/heads/main');
  expect(told).toMatchObject({ isError: true, code: 'ExecutionFailed' });
  expect(told.text).toContain(`It may not reach ${other}. Ask for that host.`);
  expect(told.structured).toMatchObject({ network: { reached: [good], refused: [other] }, confinement: 'network' });
  await close();

  await resize(launched, 1280, 800);
  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${told.callId}"]`).click();
  const detail = page.locator(`article[data-call-id="${told.callId}"]`);
  await detail.getByText('More', { exact: true }).click();
  await expect(detail.getByText(`You allowed ${good} for this call`)).toBeVisible();
  await expect(detail.getByText(`Approved by you, with network to ${good} for this call.`)).toBeVisible();
  await expect(detail.getByRole('list', { name: 'Network' }).getByRole('listitem')).toHaveText([
    new RegExp(`${good}.*reached`),
    new RegExp(`${other}.*refused`),
  ]);
  await expectAccessible(page);
  await keepScreenshot(page, 'history-hosts');
});

test('A command that fails because the network was off says so, and what to ask for', async ({ launch }) => {
  const launched = await launch({ files: {}, config: SERVING });
  const { page } = launched;
  const { answer, close } = await agentAsks(launched, listing(good));
  await expect(hostSwitch(page, good)).toBeVisible();
  await approveAll(page);
  const told = await answer;
  const says = `The network was off: it could not reach ${good}. Ask for that host.`;
  expect(told.text).toContain(says);
  expect(told.structured).toMatchObject({ networkOff: [good], confinement: 'confined' });
  await close();
  await goTo(page, 'History');
  await page.locator(`tr[data-call-id="${told.callId}"]`).click();
  await expect(page.locator(`article[data-call-id="${told.callId}"]`).getByText(says).first()).toBeVisible();
});

test('Any host is a second step, by keyboard alone, and makes any call one of High risk', async ({ launch }) => {
  const config = '[tools.approval]\ndenylist = []\n';
  const { page } = await launch({ files: { 'build.sh': 'echo built\n' }, config });
  await runBatch(page, [command('sh build.sh')]);
  const ask = sheet(page).locator('[data-approval-call]');
  await expect(ask).toContainText('Which hosts it needs can’t be told.');
  await expect(ask.getByText('High risk', { exact: true })).toHaveCount(0);
  const allow = ask.getByRole('switch', { name: 'Allow any host' });
  await expect(allow).toHaveCount(0);
  await anyHost(page).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(allow).toBeFocused();
  await expect(allow).toHaveAccessibleDescription(/no server on this computer\. Programs that use no proxy/);
  await expectAccessible(page);
  await page.keyboard.press('Space');
  await expect(allow).toBeChecked();
  await expect(ask.getByText('High risk', { exact: true })).toBeVisible();
  await expect(ask.getByRole('list', { name: 'Terms' })).toContainText('Any host');
  await keepScreenshot(page, 'approval-any-host');
  // The first press decides nothing; what is taken back meanwhile is not what was asked about.
  await stood(page);
  await page.keyboard.press('Control+Enter');
  await expect(answers(page).getByRole('button', { name: 'Approve 1 high risk' })).toBeVisible();
  await allow.press('Space');
  await expect(answers(page).getByRole('button', { name: 'Approve 1 high risk' })).toHaveCount(0);
  await allow.press('Space');
  await approveAll(page);
  await expect(sheet(page)).toHaveCount(0);
  const asked = await page.evaluate(() => window.gatehouse.client['calls.list']({ limit: 1 }));
  expect(asked).toMatchObject({ ok: true, value: { calls: [{ tool: 'run_command' }] } });
  await expect(page.getByRole('region', { name: 'Results' }).getByText('network', { exact: true })).toBeVisible();
});

test('What the folder’s settings name is offered; when they change, what was allowed is gone', async ({ launch }) => {
  const files = { '.npmrc': `registry=http://${good}/\n`, 'package.json': '{}' };
  const { page, workspace } = await launch({ files, config: COMMANDS_ALLOWED });
  await runBatch(page, [command('npm install left-pad')]);
  await hostSwitch(page, good).click();
  await expect(hostSwitch(page, good)).toBeChecked();
  writeFileSync(join(workspace, '.npmrc'), `registry=http://${other}/\n`);
  await stood(page);
  await answers(page).getByRole('button', { name: 'Approve', exact: false }).first().click();
  await answers(page)
    .getByRole('button', { name: /^Approve \d+ high risk/ })
    .click();
  await expect(hostSwitch(page, other)).not.toBeChecked();
  await expect(hostSwitch(page, good)).toHaveCount(0);
});
