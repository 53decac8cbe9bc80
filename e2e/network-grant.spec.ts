import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import type { TermChip } from '#contract/vocabulary/term-chips.js';
import { expect, test as base } from './app.js';
import {
  approveAll,
  calls,
  command,
  COMMANDS_ALLOWED,
  expectStates,
  results,
  runBatch,
  sheet,
  stood,
} from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize } from './places.js';
import { scriptMain } from './scripted-main.js';
import { sampleAsk, sampleSheet } from './window-samples.js';

/** A server on this machine that counts who came. */
const test = base.extend<{ server: { readonly port: number; readonly hits: () => number } }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures that are needed from this pattern.
  server: async ({}, use) => {
    let hits = 0;
    const server = createServer((_request, response) => {
      hits += 1;
      response.end('hello from the server\n');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    await use({ port: (server.address() as AddressInfo).port, hits: () => hits });
    await new Promise((done) => server.close(done));
  },
});

/** By the proxy that a command with a network has; without one nobody listens there. */
const fetching = (port: number) =>
  command(
    `bash -c "exec 3<>/dev/tcp/127.0.0.1/3128 && printf 'GET http://127.0.0.1:${port}/ HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3"`,
  );
const chip = (about: TermChip['about'], words: string): TermChip => ({ about, words, detail: null, warns: false });
const grant = (where: Locator): Locator => where.getByRole('switch', { name: 'Allow any host' });
const offer = (where: Locator): Locator => where.getByRole('button', { name: 'Any host…' });

async function allowAny(where: Locator): Promise<void> {
  await offer(where).click();
  await grant(where).click();
}

/** Tab, as often as it takes. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let pressed = 0; pressed < 40; pressed += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Tab does not lead there.');
}

test('Of two commands that are the same, the one that is allowed the network has a way out, by keyboard alone', async ({
  launch,
  server,
}) => {
  const { page } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runBatch(page, [fetching(server.port), fetching(server.port)]);
  const list = sheet(page).getByRole('listbox', { name: 'Calls' });
  await expect(list).toBeFocused();
  await stood(page);
  await page.keyboard.press('End');
  await page.keyboard.press('Space');
  await page.keyboard.press('Home');
  await page.keyboard.press('Space');
  const [first, second] = [sheet(page).getByRole('group').nth(0), sheet(page).getByRole('group').nth(1)];
  await expect(second).toContainText('No network');
  await tabTo(page, offer(second));
  await page.keyboard.press('Enter');
  await tabTo(page, grant(second));
  await page.keyboard.press('Space');
  await expect(grant(second)).toBeChecked();
  await expect(grant(first)).toHaveCount(0);
  await expect(second).toContainText('Any host');
  await expect(first).toContainText('No network');
  await expectAccessible(page);
  await keepScreenshot(page, 'approval-network');
  await page.keyboard.press('Control+Enter');
  await expectStates(page, ['failed', 'completed']);
  expect(server.hits(), 'a server on this computer').toBe(0);
  await expect(calls(page).nth(0).getByText('confined', { exact: true })).toBeVisible();
  await expect(calls(page).nth(1).getByText('network', { exact: true })).toBeVisible();
  await keepScreenshot(page, 'results-network');
  await calls(page)
    .nth(1)
    .getByRole('button', { name: /run_command/ })
    .first()
    .click();
  await expect(results(page).getByRole('list', { name: 'Network' }).getByRole('listitem')).toHaveText([
    new RegExp(`127\\.0\\.0\\.1:${server.port}.*refused`),
  ]);

  const ids = await calls(page).evaluateAll((all) => all.map((each) => each.getAttribute('data-call-id')));
  await goTo(page, 'History');
  for (const [index, [badge, note]] of [
    ['confined', 'Approved by you.'] as const,
    ['network', 'Approved by you, with network for this call.'] as const,
  ].entries()) {
    await page.locator(`tr[data-call-id="${ids[index]}"]`).click();
    const detail = page.locator(`article[data-call-id="${ids[index]}"]`);
    await expect(detail.getByText(badge, { exact: true })).toBeVisible();
    await expect(detail.getByText(note)).toBeVisible();
  }
  await expectAccessible(page);
  await keepScreenshot(page, 'history-network');
});

test('What will be in force follows the settings: the sheet is shown anew, and what was allowed on it is gone', async ({
  launch,
}) => {
  const { page, dataDir } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  const configure = (runCommand: string) =>
    writeFileSync(join(dataDir, 'config.toml'), `${COMMANDS_ALLOWED}[tools.run_command]\n${runCommand}\n`);
  await runBatch(page, [command('cat /proc/net/dev | wc -l')]);
  const ask = sheet(page).getByRole('group');
  await allowAny(ask);
  await expect(ask).toContainText('Any host');
  configure('confinement = "off"');
  await expect(ask).toContainText('Unconfined');
  await expect(offer(ask)).toHaveCount(0);
  await expect(sheet(page)).toContainText('1 call changed while this was open');
  configure('network = true');
  await expect(ask).toContainText('Any host');
  await expect(offer(ask)).toHaveCount(0);
  configure('network = false');
  await expect(ask).toContainText('No network');
  await expect(grant(ask)).toHaveCount(0);
  await approveAll(page);
  await expectStates(page, ['completed']);
  await expect(calls(page).getByText('confined', { exact: true })).toBeVisible();
});

test('What was approved confined does not run unconfined: settings that change while it waits its turn deny it', async ({
  launch,
}) => {
  const { page, dataDir, workspace } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runBatch(page, [command('until [ -e go ]; do sleep 0.1; done'), command('touch ran')]);
  await approveAll(page);
  await expectStates(page, ['executing', 'pending']);
  writeFileSync(join(dataDir, 'config.toml'), `${COMMANDS_ALLOWED}[tools.run_command]\nconfinement = "off"\n`);
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('Unconfined');
  writeFileSync(join(workspace, 'go'), '');
  await expectStates(page, ['completed', 'denied']);
  await expect(calls(page).nth(1)).toContainText('what a command gets changed after it was approved');
  expect(existsSync(join(workspace, 'ran'))).toBe(false);
  await keepScreenshot(page, 'denied-after-approval');
});

test('An edit takes the network back', async ({ launch }) => {
  const { page } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runBatch(page, [command('echo one')]);
  // The call itself: while its form is open there are groups in it.
  const ask = sheet(page).locator('[data-approval-call]');
  await allowAny(ask);
  await ask.getByRole('button', { name: 'Edit arguments' }).click();
  await expect(grant(ask)).toHaveCount(0);
  await ask.getByRole('textbox', { name: 'Arguments' }).fill('{"command": "echo two"}');
  await ask.getByRole('button', { name: 'Save arguments' }).click();
  await expect(ask).toContainText('echo two');
  await expect(offer(ask)).toBeVisible();
  await expect(grant(ask)).toHaveCount(0);
  await expect(ask).toContainText('No network');
});

test('After a crash the call is asked again, with the network offered anew and not allowed', async ({ launch }) => {
  const before = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runBatch(before.page, [command('echo again')]);
  await allowAny(sheet(before.page));
  await expect(grant(sheet(before.page))).toBeChecked();
  const { dataDir, workspace } = before;
  await before.kill();
  const { page } = await launch({ dataDir, workspace });
  const ask = sheet(page).getByRole('group');
  // Whether commands can be confined is found out after the start; the sheet that stands by then says it too.
  await expect(ask).toContainText('No network');
  await expect(offer(ask)).toBeVisible();
  await expect(grant(ask)).toHaveCount(0);
  await approveAll(page);
  await expect(sheet(page)).toHaveCount(0);
  const listed = async () => {
    const answer = await page.evaluate(() => window.gatehouse.client['calls.list']({ limit: 5 }));
    return answer.ok ? answer.value.calls.map(({ display, confinement }) => [display, confinement]) : answer.error;
  };
  await expect.poll(listed).toEqual([['completed', 'confined']]);
});

test('The answer names the calls that were allowed the network, and “all” allows it to no other', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  const offered = {
    tool: 'run_command',
    risk: 'high',
    effect: {
      kind: 'command',
      command: 'npm install',
      findings: [],
      rule: { impossible: null, prefix: null, runs: null },
    },
    terms: [chip('sandbox', 'Sandboxed'), chip('network', 'No network'), chip('undo', 'Can’t be undone')],
    network: { hosts: ['registry.example', 'files.example:8443'], others: true, bySettings: NO_NETWORK },
  } as const;
  const asks = [
    sampleAsk('one', { ...offered, summary: 'Run command: npm install' }),
    sampleAsk('two', { ...offered, summary: 'Run command: npm test' }),
    sampleAsk('three'),
  ];
  await main.show({ approvals: [sampleSheet(asks)] });
  await expect(offer(sheet(page))).toHaveCount(2);
  await allowAny(sheet(page).getByRole('group', { name: /npm test/ }));
  await expect(sheet(page).getByRole('option', { name: /npm test/ })).toContainText('any host');
  const install = sheet(page).getByRole('group', { name: /npm install/ });
  await install.getByRole('switch', { name: 'Allow files.example:8443' }).click();
  await expect(sheet(page).getByRole('option', { name: /npm install/ })).toContainText('with files.example:8443');
  for (const width of [1280, 640]) {
    await resize(gatehouse, width, 800);
    await sheet(page).getByText('It can reach any host').scrollIntoViewIfNeeded();
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expectAccessible(page);
      await keepScreenshot(page, `approval-network-${width}-${theme}`);
    }
  }
  await approveAll(page);
  await expect
    .poll(async () => (await main.asked('approvals.decide')).map(({ request }) => request))
    .toEqual([
      {
        batchId: 'batch-1',
        digest: 'digest-1',
        decision: { kind: 'approve-all' },
        highRisk: ['one', 'two'],
        network: [
          { callId: 'one', allowed: ['files.example:8443'] },
          { callId: 'two', allowed: 'any' },
        ],
      },
    ]);
});
