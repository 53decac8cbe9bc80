import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, test } from './app.js';
import {
  approveAll,
  calls,
  command,
  COMMANDS_ALLOWED,
  denyAll,
  expectStates,
  results,
  runBatch,
} from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

const output = (page: Page) => results(page).getByRole('region', { name: 'Output of run_command' });
const all = (page: Page) => page.getByRole('region', { name: 'All output of run_command' });

async function runCommand(page: Page, text: string): Promise<void> {
  await runBatch(page, [command(text)]);
  await approveAll(page);
}

const rows = (page: Page) =>
  output(page)
    .locator('.xterm-rows > div')
    .evaluateAll((lines) => lines.map((line) => line.textContent?.trimEnd() ?? '').filter((text) => text !== ''));

test('A return draws over, for the window and for the caller, and what was drawn over is counted', async ({
  launch,
}) => {
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED, flags: ['--gateway'] });
  const { page } = app;
  await runCommand(
    page,
    String.raw`printf 'Loading 10%%\rLoading 55%%\rDone\nnext\n'; printf 'half'; until [ -e on ]; do sleep 0.05; done; printf '\rHALF way'; until [ -e end ]; do sleep 0.05; done; echo`,
  );
  await expect.poll(() => rows(page)).toEqual(['Doneing 55%', 'next', 'half']);
  writeFileSync(join(app.workspace, 'on'), '');
  await expect.poll(() => rows(page)).toEqual(['Doneing 55%', 'next', 'HALF way']);
  writeFileSync(join(app.workspace, 'end'), '');
  await expectStates(page, ['completed']);
  await expect(output(page).locator('.gh-terminal-still')).toHaveText('Doneing 55%\nnext\nHALF way\n');

  const gateway = await gatewayOf(app.dataDir, app.pid);
  const callId = (await calls(page).first().getAttribute('data-call-id')) ?? '';
  expect(await ask(gateway, `/v1/calls/${callId}`)).toMatchObject({
    result: 'Doneing 55%\nnext\nHALF way\n',
    outputBytes: 48,
    // “Loading 10%”, the four of “Load” and the four of “half”.
    outputBytesLeftOut: 19,
  });
  await output(page).getByRole('button', { name: 'Show all' }).click();
  await expect(all(page)).toContainText('3 lines');
  await expect(all(page).getByText('Doneing 55%', { exact: true })).toBeVisible();
});

test('Colours are kept in the window, in both themes to be read, and the caller’s text has none', async ({
  launch,
}) => {
  const app = await launch({ files: {}, config: COMMANDS_ALLOWED, flags: ['--gateway'] });
  const { page } = app;
  await runCommand(
    page,
    String.raw`printf '\033[31mred\033[0m \033[1;42mPASS\033[0m \033[38;2;80;80;240mblue\033[0m plain\n'; until [ -e end ]; do sleep 0.05; done`,
  );
  const live = (text: string) => output(page).locator('.xterm-rows span', { hasText: text }).first();
  const look = (element: Element) => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor];
  await expect(live('red')).toBeVisible();
  const [plain] = await live('plain').evaluate(look);
  const [red] = await live('red').evaluate(look);
  expect(red).not.toBe(plain);
  await expectAccessible(page);
  await keepScreenshot(page, 'output-colours-live');
  writeFileSync(join(app.workspace, 'end'), '');
  await expectStates(page, ['completed']);
  const still = (text: string) => output(page).locator('.gh-terminal-still span[class^="gh-"]', { hasText: text });
  expect((await still('red').evaluate(look))[0]).toBe(red);
  expect((await still('PASS').evaluate(look))[1]).not.toBe('rgba(0, 0, 0, 0)');
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  await keepScreenshot(page, 'output-colours-dark');
  const callId = (await calls(page).first().getAttribute('data-call-id')) ?? '';
  expect(await ask(await gatewayOf(app.dataDir, app.pid), `/v1/calls/${callId}`)).toMatchObject({
    result: 'red PASS blue plain\n',
  });
});

test('“Show all” and Find agree with what was written: a long progress bar, both streams in order', async ({
  launch,
}) => {
  const { page } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  // Past a thousand returns “Show all” used to end early, and Find to mark other lines.
  await runCommand(
    page,
    String.raw`perl -e '$| = 1; for my $file (1 .. 5) { printf "\rfile $file: %d of 3000 needle", $_ for 1 .. 3000; print "\n"; print STDERR "warning after $file\n"; select undef, undef, undef, 1 }'; echo last`,
  );
  await expectStates(page, ['completed']);
  await output(page).getByRole('button', { name: 'Show all' }).click();
  await expect(all(page)).toContainText('11 lines');
  const lines = all(page).locator('.gh-viewer-text');
  await expect(lines.first()).toHaveText('file 1: 3000 of 3000 needle');
  expect((await lines.allTextContents()).slice(0, 4)).toEqual([
    'file 1: 3000 of 3000 needle',
    'warning after 1',
    'file 2: 3000 of 3000 needle',
    'warning after 2',
  ]);
  const find = all(page).getByRole('searchbox', { name: 'Find' });
  await find.fill('needle');
  await find.press('Enter');
  await expect(all(page).getByRole('status')).toHaveText('1 of 5');
  for (let more = 0; more < 2; more += 1) await find.press('Enter');
  await expect(all(page).getByRole('status')).toHaveText('3 of 5');
  await expect(all(page).locator('.gh-viewer-hit')).toContainText('file 3: 3000 of 3000 needle');
  await expect(all(page).locator('.gh-viewer-hit mark')).toHaveText('needle');
  await all(page).getByRole('button', { name: 'Previous match' }).click();
  await expect(all(page).getByRole('status')).toHaveText('2 of 5');
  await find.fill('3000 of 3000');
  await expect(all(page).getByRole('status')).toHaveText(/ of 5$/);
  await find.fill('2999');
  await expect(all(page).getByRole('status')).toHaveText('Not found');
  await all(page).getByRole('region', { name: 'Lines' }).press('End');
  await expect(all(page).getByText('last', { exact: true })).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'output-all');
});

test('Stopping is said at once, and each end has one word wherever it is shown', async ({ launch }) => {
  const app = await launch({
    files: {},
    config: COMMANDS_ALLOWED,
    flags: ['--gateway'],
  });
  const { page } = app;
  const word = () => calls(page).locator('.gh-call-word');

  await runCommand(page, 'exit 7');
  await expect(word()).toHaveText('Failed, exit code 7');
  await runBatch(page, [command('touch never')]);
  await denyAll(page);
  await expect(word()).toHaveText('Denied by you');
  expect(existsSync(join(app.workspace, 'never'))).toBe(false);

  // It takes its time to end: what is said meanwhile is said at once.
  await runCommand(page, `trap '' TERM HUP INT; echo here; while :; do sleep 0.1; done`);
  await expect(output(page)).toContainText('here');
  await results(page).getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(word()).toHaveText('Stopping…');
  await expect(results(page).getByRole('button', { name: 'Stopping…' })).toBeDisabled();
  await expectStates(page, ['cancelled']);
  await expect(word()).toHaveText('Stopped by you');

  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const abort = new AbortController();
  const asked = agent
    .callTool({ name: 'run_command', arguments: { command: 'sleep 600' } }, { signal: abort.signal })
    .catch(() => undefined);
  await approveAll(page);
  await expect(page.getByRole('region', { name: 'Running' })).toContainText('sleep 600');
  abort.abort();
  await asked;
  await page.getByRole('link', { name: 'History' }).click();
  const outcomes = page.getByRole('table', { name: 'Calls' }).locator('td.gh-history-outcome');
  await expect(outcomes).toHaveText([
    'Cancelled by test agent 1.2',
    'Stopped by you',
    'Denied by you',
    'Failed, exit code 7',
  ]);
  await agent.close();
});

test('A command that says nothing for 20 seconds may wait for input, and that is said', async ({ launch }) => {
  const { page } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await page.clock.install();
  await runCommand(page, 'echo begun; until [ -e end ]; do sleep 0.05; done');
  await expect(output(page)).toContainText('begun');
  await page.clock.fastForward(15_000);
  await expect(page.getByText(/^No output for/)).toHaveCount(0);
  await page.clock.fastForward(10_000);
  await expect(page.getByText('No output for 20 s; it may wait for input, and gets none.')).toBeVisible();
});

test('Why a call waits is said', async ({ launch }) => {
  const app = await launch({
    files: {},
    config: `${COMMANDS_ALLOWED}[tools.queue]\nplaces = 1\n`,
    flags: ['--gateway'],
  });
  const { page } = app;
  await runCommand(page, 'until [ -e end ]; do sleep 0.05; done');
  await expectStates(page, ['executing']);
  writeFileSync(join(app.workspace, 'a.txt'), 'a\n');
  const agent = await connectAgent(await gatewayOf(app.dataDir, app.pid));
  const read = callTool(agent, 'read_file', { path: 'a.txt' });
  await page.getByRole('link', { name: 'History' }).click();
  await expect(page.getByRole('table', { name: 'Calls' }).locator('td.gh-history-outcome').first()).toHaveText(
    'Waiting: 1 call is running',
  );
  writeFileSync(join(app.workspace, 'end'), '');
  expect(await read).toMatchObject({ text: 'a\n' });
  await agent.close();
});

test('A command that reaches its time limit is ended, and “Timed out” is its word wherever it is shown', async ({
  launch,
}) => {
  const app = await launch({
    files: {},
    config: `${COMMANDS_ALLOWED}[tools.timeouts]\nshell_commands_seconds = 1\n`,
    flags: ['--gateway'],
  });
  const { page } = app;
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agent = await connectAgent(gateway);
  const asked = callTool(agent, 'run_command', { command: 'echo begun; until [ -e end ]; do sleep 0.05; done' });
  await approveAll(page);
  const answer = await asked;
  expect(answer).toMatchObject({ isError: true, code: 'Timeout' });
  expect(answer.text).toContain('begun');
  expect(await ask(gateway, `/v1/calls/${answer.callId}`)).toMatchObject({
    state: 'ABORTED',
    outcome: 'timeout',
    code: 'Timeout',
  });
  const line = page.locator(`[data-call-id="${answer.callId}"]`).first();
  await expect(line).toHaveAttribute('data-state', 'failed');
  await expect(line).toContainText('Timed out');
  await page.getByRole('link', { name: 'History' }).click();
  await expect(page.getByRole('table', { name: 'Calls' }).locator('td.gh-history-outcome')).toHaveText(['Timed out']);
  await page.getByRole('row').filter({ hasText: 'begun' }).click();
  const details = page.getByRole('complementary', { name: 'Call details' });
  await expect(details).toContainText('Timed out');
  await expect(details.getByRole('region', { name: 'Output of run_command' })).toContainText('begun');
  await keepScreenshot(page, 'output-timed-out');
  await agent.close();
});
