import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './app.js';
import {
  approveAll,
  calls,
  command,
  COMMANDS_ALLOWED,
  expectStates,
  runBatch,
  sheet,
  stood,
  write,
} from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';
import { scriptMain } from './scripted-main.js';
import { sampleAsk, sampleSheet } from './window-samples.js';

test('A mixed batch: what is selected runs, the rest is denied, High risk is not selected at first', async ({
  launch,
}) => {
  const { page, workspace } = await launch({ files: { 'a.txt': 'a\n' }, config: COMMANDS_ALLOWED });
  await runBatch(page, [
    { tool: 'read_file', arguments: { path: 'a.txt' } },
    write('one.txt', 'first\nsecond\n'),
    write('two.txt'),
    command('sudo rm -rf build && echo done > log.txt'),
  ]);
  const dialog = sheet(page);
  await expect(dialog).toBeVisible();
  const one = dialog.getByRole('group', { name: /one\.txt/ });
  const two = dialog.getByRole('group', { name: /two\.txt/ });
  const rm = dialog.getByRole('group', { name: /rm -rf/ });
  await expect(one.getByRole('checkbox')).toBeChecked();
  await expect(one).toContainText('Medium risk');
  await expect(one).toContainText('first');
  await expect(one).toContainText('+2');
  await expect(rm.getByRole('checkbox')).not.toBeChecked();
  await expect(rm).toContainText('High risk');
  await expect(rm.getByLabel('Command', { exact: true })).toHaveText('sudo rm -rf build && echo done > log.txt');
  // It stands once, before anything that is said of it.
  expect((await rm.textContent())?.split('rm -rf build && echo done')).toHaveLength(2);
  const rows = await rm.evaluate((group) =>
    ['.gh-command-text', '.gh-ask-why', '.gh-findings'].map(
      (part) => group.querySelector(part)?.getBoundingClientRect().top ?? -1,
    ),
  );
  expect(rows).toEqual(rows.toSorted((upper, lower) => upper - lower));
  await expectAccessible(page);
  await keepScreenshot(page, 'approval-mixed');
  await two.getByRole('checkbox').click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Only the first one.');
  await dialog.getByRole('button', { name: 'Approve selected' }).click();
  await expectStates(page, ['completed', 'completed', 'denied', 'denied']);
  expect(existsSync(join(workspace, 'one.txt'))).toBe(true);
  expect(existsSync(join(workspace, 'two.txt'))).toBe(false);
  await expect(calls(page).nth(2)).toContainText('Only the first one.');
  await expect(calls(page).nth(2)).toContainText('DeniedByPerson');
});

test('One call is denied with its own reason, and the others still wait', async ({ launch }) => {
  const { page } = await launch({ files: {} });
  await runBatch(page, [write('one.txt'), write('two.txt')]);
  const one = sheet(page).getByRole('group', { name: /one\.txt/ });
  await one.getByRole('checkbox').click();
  await one.getByRole('textbox', { name: 'Why not this call' }).fill('Wrong folder.');
  await one.getByRole('button', { name: 'Deny' }).click();
  await expect(one).toHaveCount(0);
  await expect(sheet(page).getByRole('group', { name: /two\.txt/ })).toBeVisible();
  await approveAll(page);
  await expectStates(page, ['denied', 'completed']);
  await expect(calls(page).first()).toContainText('Wrong folder.');
});

test('Arguments are edited, checked while typing, and what was edited is what runs', async ({ launch }) => {
  const { page, workspace } = await launch({ files: {} });
  await runBatch(page, [write('wrong.txt', 'text\n')]);
  const dialog = sheet(page);
  await dialog.getByRole('button', { name: 'Edit arguments' }).click();
  const text = dialog.getByRole('textbox', { name: 'Arguments' });
  await text.fill('{"path": "../outside.txt", "content": "x"}');
  await expect(dialog.getByText(/outside/i).first()).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Approve Ctrl/ })).toBeDisabled();
  await text.fill('{"path": ');
  await expect(dialog.getByRole('button', { name: 'Save arguments' })).toBeDisabled();
  await text.fill('{"path": "right.txt", "content": "better\\n"}');
  await expect(dialog.getByText(/Create right\.txt/).first()).toBeVisible();
  await keepScreenshot(page, 'approval-edit');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save arguments' }).click();
  const edited = dialog.getByRole('group', { name: /right\.txt/ });
  await expect(edited).toContainText('better');
  await approveAll(page);
  await expectStates(page, ['completed']);
  expect(readFileSync(join(workspace, 'right.txt'), 'utf8')).toBe('better\n');
  expect(existsSync(join(workspace, 'wrong.txt'))).toBe(false);
});

test('Escape never approves and never closes the sheet; it closes the edit that was opened in it', async ({
  launch,
}) => {
  const { page } = await launch({ files: {} });
  await runBatch(page, [write('one.txt')]);
  const dialog = sheet(page);
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Edit arguments' }).click();
  const edit = dialog.getByRole('textbox', { name: 'Arguments' });
  await expect(edit).toBeVisible();
  await expect(dialog.getByRole('textbox', { name: /after this call/ })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(edit).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeVisible();
  await expect(calls(page)).toHaveAttribute('data-state', 'pending');
});

test('The keyboard alone decides: choose, take out, edit, look at Reason, approve the selected', async ({ launch }) => {
  const { page } = await launch({ files: {} });
  await runBatch(page, [write('one.txt'), write('two.txt'), write('three.txt')]);
  const list = sheet(page).getByRole('listbox', { name: 'Calls' });
  await expect(list).toBeFocused();
  const second = sheet(page).getByRole('group', { name: /two\.txt/ });
  await stood(page);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await expect(second.getByRole('checkbox')).not.toBeChecked();
  await page.keyboard.press('Home');
  await page.keyboard.press('e');
  await expect(sheet(page).getByRole('textbox', { name: /after this call/ })).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(sheet(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(list).toBeFocused();
  await page.keyboard.press('d');
  await expect(sheet(page).getByRole('textbox', { name: 'Reason' })).toBeFocused();
  await expectStates(page, ['pending', 'pending', 'pending']);
  await page.keyboard.press('Escape');
  await expect(list).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+Enter');
  await expectStates(page, ['denied', 'denied', 'completed']);
});

test('Keys and clicks as the sheet appears decide nothing, and the focus stays with who types', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await goTo(page, 'Conversation');
  await page.getByRole('textbox', { name: 'Message' }).focus();
  // Pressed and clicked within one turn of the window, so that no clock of this test matters.
  await page.evaluate(() => {
    const press = () => {
      const dialog = document.querySelector('[role="dialog"]');
      const more = { ctrlKey: true, bubbles: true, cancelable: true };
      for (const target of [document.activeElement ?? document.body, dialog])
        target?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', ...more }));
      for (const button of dialog?.querySelectorAll('button') ?? [])
        if (button.textContent.startsWith('Approve')) button.click();
    };
    new MutationObserver((_changes, observer) => {
      if (document.querySelector('[role="dialog"]') === null) return;
      observer.disconnect();
      press();
      requestAnimationFrame(press);
    }).observe(document.body, { childList: true, subtree: true });
  });
  await main.show({ approvals: [sampleSheet([sampleAsk('one')])] });
  await expect(sheet(page)).toBeVisible();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await main.asked('approvals.decide')).toEqual([]);
  await expect(page.getByRole('textbox', { name: 'Message' })).toBeFocused();
  await expect(page.getByRole('status').filter({ hasText: 'Ctrl+J' })).toContainText(
    'Claude Code 2.1 via MCP requests approval for 1 call',
  );
  // Nobody is sent to a sheet that is gone.
  await main.show({ approvals: [] });
  await expect(page.getByRole('status').filter({ hasText: 'Ctrl+J' })).toHaveCount(0);
});

test('An answer carries ids, the digest and words, and nothing that could be run', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.show({ approvals: [sampleSheet([sampleAsk('one'), sampleAsk('two', { risk: 'high' })])] });
  await sheet(page).getByRole('textbox', { name: 'Reason' }).fill('No.');
  await sheet(page).getByRole('button', { name: 'Approve selected' }).click();
  await expect
    .poll(async () => (await main.asked('approvals.decide')).map(({ request }) => request))
    .toEqual([
      {
        batchId: 'batch-1',
        digest: 'digest-1',
        decision: { kind: 'approve-selected', callIds: ['one'] },
        reason: 'No.',
      },
    ]);
});

test('A sheet that changed is shown anew, says so, and nothing changed stays selected', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.show({ approvals: [sampleSheet([sampleAsk('one'), sampleAsk('two')])] });
  await main.refuse('approvals.decide', 'stale', 'The batch changed.');
  await approveAll(page);
  await expect(sheet(page).getByRole('alert')).toContainText('nothing was decided');
  const changed = sampleSheet([sampleAsk('one', { summary: 'Write elsewhere.txt' }), sampleAsk('two')], {
    digest: 'digest-2',
  });
  await main.show({ approvals: [changed] });
  const one = sheet(page).getByRole('group', { name: 'Write elsewhere.txt' });
  await expect(one.getByRole('checkbox')).not.toBeChecked();
  await expect(sheet(page).getByRole('group', { name: 'Write two.txt' }).getByRole('checkbox')).toBeChecked();
  await expect(sheet(page)).toContainText('1 call changed while this was open');
});

test('All that waits is listed by who asks; one is looked at, and another may be chosen', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  const second = sampleSheet([sampleAsk('two')], { batchId: 'batch-2', digest: 'digest-2', client: 'codex 1' });
  await main.show({ approvals: [sampleSheet([sampleAsk('one')]), second] });
  const waiting = sheet(page).getByRole('list', { name: 'Waiting', exact: true });
  await expect(waiting.getByRole('button')).toHaveText(['Claude Code 2.1 via MCP, 1 call', 'codex 1 via MCP, 1 call']);
  await expect(sheet(page).getByRole('group', { name: 'Write one.txt' })).toBeVisible();
  await waiting.getByRole('button', { name: 'codex' }).click();
  await expect(sheet(page).getByRole('group', { name: 'Write two.txt' })).toBeVisible();
  // What is looked at stays, whatever comes before it or goes.
  await main.show({ approvals: [second, sampleSheet([sampleAsk('three')], { batchId: 'batch-3' })] });
  await expect(sheet(page).getByRole('group', { name: 'Write two.txt' })).toBeVisible();
  await main.show({ approvals: [{ ...second, callerGone: true }] });
  await expect(sheet(page)).toContainText('codex 1 disconnected');
  await expect(sheet(page)).toContainText('the result will be in History');
  await stood(page);
});
