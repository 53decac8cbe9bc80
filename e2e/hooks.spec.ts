import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, makeFolder, test } from './app.js';
import { sheet } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize, runCalls, watchForFaults } from './places.js';

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Settings with a wrong hook, one whose file lies in the folder, and one that sources a file there. */
const configFor = (workspace: string): string => `
[[hooks]]
name = "no-friday"
when = "before"
tools = ["write_file"]
command = ["sh", "no-friday.sh"]
on_failure = "deny"

[[hooks]]
name = "log"
when = "after"
command = ["sh", "-c", "cat >/dev/null; echo logged >&2"]

[[hooks]]
name = "in the folder"
when = "before"
tools = ["read_file"]
command = ["sh", ${JSON.stringify(join(workspace, 'judge.sh'))}]

[[hooks]]
name = "typo"
when = "before"
tools = ["list_directory"]
comand = ["sh"]

[[hooks]]
name = "sources"
when = "before"
tools = ["write_file"]
command = ["sh", "-c", ${JSON.stringify(`. ${join(workspace, 'rules.sh')}`)}]
on_failure = "ignore"
`;

const NO_FRIDAY = 'grep -q friday && echo \'{"decision":"deny","reason":"not on Fridays"}\'; true\n';

test('Settings show the hooks, what they did and what is wrong with them; one is tried with a call from history', async ({
  launch,
}) => {
  const workspace = makeFolder('hooked');
  writeFileSync(join(workspace, 'a.txt'), 'a\n');
  writeFileSync(join(workspace, 'judge.sh'), 'true\n');
  const app = await launch({ workspace, config: configFor(workspace) });
  const { page, dataDir } = app;
  const faults = watchForFaults(page);
  mkdirSync(join(dataDir, 'hooks'));
  writeFileSync(join(dataDir, 'hooks', 'no-friday.sh'), NO_FRIDAY);
  const notice = page.getByText('The hook “typo” can’t be used');
  await expect(notice.first()).toBeVisible();

  const [read = '', denied = '', listed = ''] = await runCalls(page, [
    { tool: 'read_file', arguments: { path: 'a.txt' } },
    { tool: 'write_file', arguments: { path: 'friday.txt', content: 'x' } },
    { tool: 'list_directory', arguments: { path: '.' } },
  ]);
  expect(existsSync(join(workspace, 'friday.txt'))).toBe(false);

  // In the call’s own timeline.
  await goTo(page, 'History');
  await page.locator(`[data-call-id="${denied}"]`).first().click();
  const detail = page.getByRole('complementary', { name: 'Call details' });
  await expect(detail).toContainText('The hook “no-friday” denied this call: not on Fridays');
  const timeline = detail.locator('.gh-timeline');
  await expect(timeline).toContainText('Hook “no-friday” denied it: not on Fridays');
  await expect(timeline).toContainText('Hook “log” ran');
  await expectAccessible(page);
  await keepScreenshot(page, 'hooks-timeline');

  await goTo(page, 'Settings');
  const hooks = part(page, 'Hooks');
  await expect(hooks).toContainText(`${join(dataDir, 'config.toml')}, line 24`);
  await expect(hooks).toContainText('Until this is fixed, calls to list_directory are denied.');
  await expect(part(page, 'no-friday')).toContainText('Before calls');
  await expect(part(page, 'no-friday')).toContainText('sh no-friday.sh');
  await expect(part(page, 'no-friday')).toContainText('1 run');
  await expect(part(page, 'log')).toContainText('After calls');
  await expect(part(page, 'log')).toContainText('sh -c "cat >/dev/null; echo logged >&2"');
  await expect(part(page, 'log')).toContainText('3 runs');
  await part(page, 'no-friday').getByRole('button', { name: 'Last runs of no-friday' }).click();
  await expect(page.getByRole('list', { name: 'Last runs of no-friday' })).toContainText('denied it: not on Fridays');

  // By the keyboard alone: tried with the call that was read, which does not run.
  await part(page, 'no-friday').getByRole('button', { name: 'Try no-friday with a call' }).focus();
  await page.keyboard.press('Enter');
  const choice = part(page, 'no-friday').getByRole('combobox', { name: 'With this call' });
  await choice.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: /friday\.txt/ })).toBeVisible();
  // The newest stands first.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(choice).toContainText('friday.txt');
  await part(page, 'no-friday').getByRole('button', { name: 'Run it' }).focus();
  await page.keyboard.press('Enter');
  await expect(part(page, 'no-friday').getByText(/^It took/)).toBeVisible();
  await expect(part(page, 'no-friday').getByRole('note')).toContainText('Hook “no-friday” denied it: not on Fridays');
  await part(page, 'no-friday').getByRole('button', { name: 'What it was given' }).click();
  await expect(part(page, 'no-friday').getByRole('region', { name: 'What it was given' })).toContainText('friday.txt');
  await expect(part(page, 'no-friday')).toContainText('1 run');

  // What lies in the folder counts by what it was.
  writeFileSync(join(workspace, 'judge.sh'), 'echo \'{"decision":"allow"}\'\n');
  const asked = runCalls(page, [{ tool: 'read_file', arguments: { path: 'a.txt' } }]);
  await expect(sheet(page)).toContainText('The hook “in the folder” was not used: its file');
  await sheet(page).getByRole('button', { name: /^Deny/ }).click();
  await asked;
  await goTo(page, 'Compose');
  await goTo(page, 'Settings');
  const folder = part(page, 'in the folder');
  await expect(folder).toContainText('Its file changed');
  for (const theme of ['light', 'dark'] as const) {
    await page.evaluate((wanted) => window.gatehouse.client['app.setTheme']({ theme: wanted }), theme);
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await part(page, 'Hooks').scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await keepScreenshot(page, `hooks-${theme}`);
  }
  await folder.scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'hooks-changed-file');
  await resize(app, 640, 700);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await part(page, 'Hooks').evaluate((element) => element.scrollIntoView());
  await keepScreenshot(page, 'hooks-640');
  // 200 % of a window of 1280: the same width in what is laid out.
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(2));
  await resizeTo(app, 1280);
  await expectAccessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await part(page, 'Hooks').evaluate((element) => element.scrollIntoView());
  await keepScreenshot(page, 'hooks-200-percent');
  await folder.getByRole('button', { name: /^Accept this file: .* of / }).focus();
  await page.keyboard.press('Enter');
  await expect(folder).not.toContainText('Its file changed');

  // What it sources is nobody’s digest: it is said, and asked about until the person says yes.
  const sources = part(page, 'sources');
  await expect(sources).toContainText('Tools may change what it runs');
  await expect(sources).toContainText(`names ${join(workspace, 'rules.sh')}, where tools may write.`);
  await sources.scrollIntoViewIfNeeded();
  await keepScreenshot(page, 'hooks-not-pinned');
  await sources.getByRole('button', { name: /^Run it anyway: ./ }).focus();
  await page.keyboard.press('Enter');
  await expect(sources).toContainText('What it runs may change without being asked about.');
  await expect(sources.getByRole('button', { name: 'Run it anyway' })).toHaveCount(0);
  const [again = ''] = await runCalls(page, [{ tool: 'read_file', arguments: { path: 'a.txt' } }]);
  expect([read, listed, again].every((id) => id !== '')).toBe(true);
  expect(faults()).toEqual([]);
});

async function resizeTo({ electron, page }: Parameters<typeof resize>[0], width: number): Promise<void> {
  await electron.evaluate(
    ({ BrowserWindow }, wide) => BrowserWindow.getAllWindows()[0]?.setContentSize(wide, 900),
    width,
  );
  await page.waitForFunction((wide) => innerWidth === wide / 2, width);
}

/** Whether a process with these words runs on this machine. */
const runs = (words: string): boolean =>
  readdirSync('/proc').some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) &&
        readFileSync(`/proc/${pid}/cmdline`, 'utf8')
          .replaceAll('\0', ' ')
          .trim()
          .replace(/^\S*\//, '') === words
      );
    } catch {
      return false;
    }
  });

test('The app is killed while a hook judges: nothing of it is left, the call did not run, and has its one end', async ({
  launch,
}) => {
  const seconds = String(90_000 + (process.pid % 9999));
  const config = `[[hooks]]\nname = "slow"\nwhen = "before"\ncommand = ["sleep", "${seconds}"]\ntimeout_seconds = 300\n`;
  const first = await launch({ files: {}, config, flags: ['--gateway'] });
  const agent = await connectAgent(await gatewayOf(first.dataDir, first.pid));
  // Nobody answers any more: that is not waited for.
  void callTool(agent, 'write_file', { path: 'never.txt', content: 'x' }).catch(() => null);
  await expect.poll(() => runs(`sleep ${seconds}`)).toBe(true);
  await first.kill();
  await expect.poll(() => runs(`sleep ${seconds}`)).toBe(false);

  const { page, dataDir, pid, workspace } = await launch({
    dataDir: first.dataDir,
    workspace: first.workspace,
    flags: ['--gateway'],
    config: '',
  });
  const dialog = page.getByRole('dialog', { name: 'Unfinished work' });
  await expect(dialog.locator('[data-standing="not-started"]')).toContainText('never.txt');
  await dialog.getByRole('button', { name: 'Resume with partial results' }).click();
  await expect(dialog).toHaveCount(0);
  const gateway = await gatewayOf(dataDir, pid);
  const { calls } = await ask<{ calls: readonly { callId: string; code: string | null }[] }>(gateway, '/v1/calls');
  expect(calls.map(({ code }) => code)).toEqual(['Interrupted']);
  expect(existsSync(join(workspace, 'never.txt'))).toBe(false);
  expect(await ask(gateway, '/v1/audit/verify')).toMatchObject({ ok: true });
});

test('What hooks said is in the events of a call that others read', async ({ launch }) => {
  const config = '[[hooks]]\nname = "no"\nwhen = "before"\ncommand = ["false"]\n';
  const app = await launch({ files: { 'a.txt': 'a\n' }, config, flags: ['--gateway'] });
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const answer = await callTool(await connectAgent(gateway), 'read_file', { path: 'a.txt' });
  expect(answer).toMatchObject({ isError: true, code: 'NotPermitted' });
  expect(answer.text).toBe(
    'The hook “no” could not judge this call, so it was denied. The user can see why in Gatehouse.',
  );
  const { events } = await ask<{ events: readonly Record<string, unknown>[] }>(gateway, `/v1/calls/${answer.callId}`);
  expect(events.filter(({ type }) => type === 'hook')).toEqual([
    expect.objectContaining({
      type: 'hook',
      name: 'no',
      when: 'before',
      failed: 'it ended with exit code 1',
      ms: expect.any(Number),
    }),
  ]);
});
