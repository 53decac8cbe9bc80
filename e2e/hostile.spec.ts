import type { Page } from '@playwright/test';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import { expect, type Gatehouse, test } from './app.js';
import { denyAll, runBatch, sheet, write } from './compose-door.js';
import { keepScreenshot } from './look.js';
import { scriptMain, type ScriptedMain } from './scripted-main.js';
import {
  runningCall,
  sampleAsk,
  sampleCall,
  sampleConversation,
  sampleDetail,
  sampleMessage,
  sampleSheet,
} from './window-samples.js';

const MARKUP = '<img src=x onerror="globalThis.broken=1"><script>globalThis.broken=2</script>';
const BIDI = 'invoice\u202Efdp.exe\u2066';
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\u009b31m';
const EVERYTHING = `${MARKUP}${BIDI}${ESCAPES}\u200b`;

const broken = (page: Page) =>
  page.evaluate(() => 'broken' in globalThis || document.querySelector('#root img, [role="dialog"] img') !== null);

/** The page of a conversation whose answer asked for these calls. */
async function openAskingFor({ page, workspace }: Gatehouse, main: ScriptedMain, ...callIds: string[]): Promise<void> {
  const blocks = callIds.map((callId) => ({ kind: 'call', callId, tool: 'run_command', folded: false }) as const);
  await main.answer('conversations.list', [sampleConversation('conversation-1', { workspace })]);
  await main.answer('conversations.read', { messages: [sampleMessage('m1', '', { blocks })], more: false });
  await main.answer('conversations.models', { chosen: null, others: [], problem: null });
  await page.getByRole('link', { name: 'Conversation' }).click();
}

test('Names, paths, reasons and outputs full of markup, escapes and overrides are inert and legible', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await openAskingFor(gatehouse, main, 'bad');
  const hostile = { tool: `tool${EVERYTHING}`, summary: EVERYTHING, reason: EVERYTHING, client: EVERYTHING } as const;
  await main.answer(
    'calls.get',
    sampleDetail(sampleCall('bad', hostile), {
      arguments: { [EVERYTHING]: EVERYTHING, deep: { [MARKUP]: [BIDI] } },
      result: EVERYTHING,
      changedFiles: [{ path: EVERYTHING, change: 'created', undoable: false, note: MARKUP }],
    }),
  );
  await main.show({
    calls: [
      sampleCall('bad', { ...hostile, door: 'conversation', display: 'failed', outcome: 'error', code: 'Internal' }),
    ],
  });
  const card = page.locator('[data-call-id="bad"]');
  await expect(card).toContainText('<script>');
  await expect(card).toContainText(String.raw`invoice\u{202e}fdp.exe`);
  await card.getByRole('button', { expanded: false }).first().click();
  await expect(card.getByRole('region', { name: 'Result' })).toContainText(String.raw`\u{001b}[2J`);
  await keepScreenshot(page, 'hostile-call');
  expect(await broken(page)).toBe(false);

  await main.show({
    approvals: [
      sampleSheet(
        [
          sampleAsk('files', {
            ...hostile,
            why: EVERYTHING,
            effect: {
              kind: 'files',
              files: [
                {
                  path: EVERYTHING,
                  change: 'modified',
                  before: `${MARKUP}\n`,
                  after: `${BIDI}\n${ESCAPES}\n`,
                  note: null,
                },
              ],
            },
          }),
          sampleAsk('command', {
            tool: 'run_command',
            summary: 'Run it',
            risk: 'high',
            effect: {
              kind: 'command',
              rule: { impossible: null, prefix: null, runs: null },
              command: `echo ${EVERYTHING}; rm -rf /`,
              findings: [{ start: 5, end: 4000, severity: 'danger', explanation: EVERYTHING }],
            },
          }),
          sampleAsk('problem', { effect: { kind: 'problem', message: EVERYTHING } }),
        ],
        { client: EVERYTHING },
      ),
    ],
  });
  const command = sheet(page).getByRole('group', { name: 'Run it' }).getByLabel('Command');
  await expect(command).toContainText('<script>');
  await expect(command).toContainText(String.raw`\u{202e}`);
  await expect(command).toContainText('; rm -rf /');
  await keepScreenshot(page, 'hostile-sheet');
  expect(await broken(page)).toBe(false);
  expect(await page.title()).not.toContain('owned');
});

test('A patch of 10,000 files opens at once and shows only what is looked at', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  const files = Array.from({ length: 10_000 }, (_, index): FileEffect => ({
    path: `src/part-${index}.ts`,
    change: 'modified',
    before: `one\ntwo ${index}\nthree\n`,
    after: `one\n2 ${index}\nthree\nfour\n`,
    note: null,
  }));
  await main.show({ approvals: [sampleSheet([sampleAsk('many', { effect: { kind: 'files', files } })])] });
  await expect(sheet(page)).toContainText('10,000 files');
  await expect(sheet(page).getByText('src/part-0.ts')).toBeVisible();
  const rows = sheet(page).getByRole('region', { name: /, lines$/ });
  expect(await rows.locator('[data-index]').count()).toBeLessThan(300);
  await rows.focus();
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return sheet(page).getByText('src/part-9999.ts').isVisible();
    })
    .toBe(true);
  await sheet(page).getByText('src/part-9999.ts').click();
  await expect(sheet(page).getByText('two 9999')).toBeVisible();
  await keepScreenshot(page, 'hostile-10000-files');
});

test('A line of a megabyte is cut until asked for, in diffs, arguments, results and terminals', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await openAskingFor(gatehouse, main, 'loud', 'long');
  const long = `begin${'x'.repeat(1_000_000)}`;
  await main.answer('calls.get', sampleDetail(sampleCall('long'), { arguments: { long }, result: long }));
  await main.show({
    calls: [runningCall('loud', { door: 'conversation' }), sampleCall('long', { door: 'conversation' })],
  });
  await expect(page.getByRole('region', { name: 'Output of run_command' })).toBeVisible();
  await main.emit(
    { type: 'output', callId: 'loud', pieces: [{ stream: 'stdout', text: long.slice(0, 500_000) }] },
    { type: 'output', callId: 'loud', pieces: [{ stream: 'stdout', text: `${long.slice(500_000)}\nafter\n` }] },
  );
  await expect(page.getByRole('region', { name: 'Output of run_command' })).toContainText('after');
  const card = page.locator('[data-call-id="long"]');
  await card.getByRole('button', { expanded: false }).first().click();
  await expect(card.getByRole('button', { name: /Show more .* left/ })).toHaveCount(2);
  await main.show({
    approvals: [
      sampleSheet([
        sampleAsk('wide', {
          effect: {
            kind: 'files',
            files: [{ path: 'a.min.js', change: 'created', before: null, after: long, note: null }],
          },
        }),
      ]),
    ],
  });
  await expect(sheet(page).getByRole('button', { name: /Show more .* left/ })).toBeVisible();
  expect(await page.evaluate(() => document.body.textContent?.length ?? 0)).toBeLessThan(200_000);
  await keepScreenshot(page, 'hostile-long-lines');
});

test('A batch of 1,000 calls can be looked through and decided', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await scriptMain(gatehouse);
  await main.show({ approvals: [sampleSheet(Array.from({ length: 1000 }, (_, index) => sampleAsk(`call-${index}`)))] });
  await expect(sheet(page).getByRole('button', { name: 'Approve all (1000)' })).toBeEnabled();
  const list = sheet(page).getByRole('listbox', { name: 'Calls' });
  await expect(list).toBeFocused();
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return list.getAttribute('aria-activedescendant');
    })
    .toMatch(/-999$/);
  const last = sheet(page).getByRole('group', { name: 'Write call-999.txt' });
  await expect(last).toBeInViewport();
  await expect(last).toContainText('world');
});

test('The real gate, asked with hostile names, is shown as inert', async ({ launch }) => {
  const { page } = await launch({ files: {} });
  await runBatch(page, [
    write('<b>x</b>.txt', `${MARKUP}\n${BIDI}\n`),
    { tool: MARKUP, arguments: { [BIDI]: MARKUP } },
  ]);
  await expect(sheet(page)).toContainText('<b>x</b>.txt');
  await expect(sheet(page)).toContainText(String.raw`\u{202e}fdp.exe`);
  await denyAll(page);
  await expect(page.getByRole('region', { name: 'Results' })).toContainText('<script>');
  expect(await broken(page)).toBe(false);
});
