import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './app.js';
import { approveAll, calls, command, COMMANDS_ALLOWED, expectStates, results, runBatch } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

const output = (page: Page) => results(page).getByRole('region', { name: 'Output of run_command' });

async function runCommand(page: Page, text: string): Promise<void> {
  await runBatch(page, [command(text)]);
  await approveAll(page);
}

/** The rows that the terminal holds, without the empty ones. */
const lines = async (page: Page): Promise<readonly string[]> =>
  await output(page)
    .locator('.xterm-rows > div')
    .evaluateAll((rows) => rows.map((row) => row.textContent?.trimEnd() ?? '').filter((text) => text !== ''));

test('Output is live, the last 50 lines of it, with stderr told apart, and Stop ends the command', async ({
  launch,
}) => {
  const { page, workspace } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runCommand(
    page,
    'for i in $(seq 1 200); do echo "line $i"; done; until [ -e more ]; do sleep 0.05; done; echo oops >&2; sleep 600; touch never',
  );
  await expect(output(page)).toContainText('line 200');
  writeFileSync(join(workspace, 'more'), '');
  await expect(output(page)).toContainText('oops');
  await expect.poll(async () => (await lines(page)).length).toBe(50);
  const shown = await lines(page);
  expect(shown).toContain('line 200');
  expect(shown).toContain('line 152');
  expect(shown).not.toContain('line 150');
  const oops = output(page).locator('.xterm-rows span', { hasText: 'oops' });
  const line = output(page).locator('.xterm-rows span', { hasText: 'line 200' });
  const look = (element: Element) => `${getComputedStyle(element).color} ${getComputedStyle(element).fontStyle}`;
  expect(await oops.evaluate(look)).not.toBe(await line.evaluate(look));
  await expect(results(page).getByRole('progressbar', { name: /Time used/ })).toBeVisible();
  await expectAccessible(page);
  await keepScreenshot(page, 'terminal-live');
  await results(page).getByRole('button', { name: 'Stop', exact: true }).click();
  await expectStates(page, ['cancelled']);
  expect(existsSync(join(workspace, 'never'))).toBe(false);
});

test('It follows its end until the person scrolls up, and again when they come back', async ({ launch }) => {
  const { page, workspace } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runCommand(
    page,
    'seq 1 60; while [ ! -e go ]; do sleep 0.05; done; seq 61 70; while [ ! -e on ]; do sleep 0.05; done; seq 71 80; sleep 600',
  );
  const box = output(page).locator('.gh-terminal');
  const atEnd = () => box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 30);
  await expect.poll(() => lines(page)).toContain('60');
  await expect.poll(atEnd).toBe(true);
  await box.hover();
  await page.mouse.wheel(0, -200);
  await expect.poll(atEnd).toBe(false);
  const before = await box.evaluate((element) => element.scrollTop);
  writeFileSync(join(workspace, 'go'), '');
  await expect.poll(() => lines(page)).toContain('70');
  expect(await box.evaluate((element) => element.scrollTop)).toBe(before);
  await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  writeFileSync(join(workspace, 'on'), '');
  await expect.poll(() => lines(page)).toContain('80');
  await expect.poll(atEnd).toBe(true);
});

test('“Show all” opens the stored output: it is windowed, searched and copied', async ({ launch }) => {
  const { page, electron } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runCommand(page, 'seq -f "row %.0f" 1 300000; echo failed >&2');
  await expectStates(page, ['completed']);
  await output(page).getByRole('button', { name: 'Show all' }).click();
  const dialog = page.getByRole('region', { name: 'All output of run_command' });
  await expect(dialog).toContainText('300,001 lines');
  await expect(dialog.getByText('row 1', { exact: true })).toBeVisible();
  const view = dialog.getByRole('region', { name: 'Lines' });
  await view.focus();
  await page.keyboard.press('End');
  await expect(dialog.getByText('row 300000', { exact: true })).toBeVisible();
  await keepScreenshot(page, 'terminal-stored');
  await expectAccessible(page);
  await dialog.getByRole('searchbox', { name: 'Find' }).fill('row 123456');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('status')).toHaveText('1 of 1');
  await expect(dialog.getByText('row 123456', { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: 'Copy visible' }).click();
  await expect.poll(() => electron.evaluate(({ clipboard }) => clipboard.readText())).toContain('row 123456\n');
  await dialog.getByRole('button', { name: 'Copy all' }).click();
  await expect(dialog.getByRole('button', { name: 'Copied' }).first()).toBeVisible();
  await expect.poll(() => electron.evaluate(({ clipboard }) => clipboard.readText().split('\n').length)).toBe(300_002);
  await view.press('End');
  await expect(dialog.getByText('failed', { exact: true })).toBeVisible();
});

test('Escapes that a command writes change nothing on the screen', async ({ launch }) => {
  const { page } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runCommand(
    page,
    String.raw`printf 'kept\033[2J\033[Hhome\033]0;title\007 end\n\342\200\256reversed\n<b>bold</b>\n'; sleep 600`,
  );
  await expect(output(page)).toContainText('<b>bold</b>');
  await expect(output(page)).toContainText('kepthome end');
  await expect(output(page)).toContainText(String.raw`\u{202e}reversed`);
  await results(page).getByRole('button', { name: 'Stop', exact: true }).click();
  await expectStates(page, ['cancelled']);
});

test('While output streams, typing elsewhere stays quick and no list is drawn again', async ({ launch }) => {
  const { page } = await launch({ files: {}, config: COMMANDS_ALLOWED });
  await runCommand(page, 'head -c 100000000 /dev/zero | tr "\\0" x | fold -w 99; sleep 600');
  await expect(output(page)).toContainText('xxxx');
  await page.evaluate(() => {
    const state = { changes: 0 };
    (globalThis as unknown as { drawn: typeof state }).drawn = state;
    const observer = new MutationObserver((changes) => {
      const outside = changes.filter((change) => {
        const element = change.target instanceof Element ? change.target : change.target.parentElement;
        return element?.closest('.gh-terminal, .gh-call-time, .gh-call-bar, .gh-picker') === null;
      });
      state.changes += outside.length;
    });
    observer.observe(document.querySelector('.gh-results') ?? document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
  const search = page.getByRole('searchbox', { name: 'Find a tool' });
  await search.pressSequentially('read the quick brown fox');
  await expect(search).toHaveValue('read the quick brown fox');
  expect(await page.evaluate(() => (globalThis as unknown as { drawn: { changes: number } }).drawn.changes)).toBe(0);
  await expect(calls(page)).toHaveAttribute('data-state', 'executing');
});
