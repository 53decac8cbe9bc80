import type { ApprovalCall } from '#contract/window/approvals.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { expect, type Gatehouse, test } from './app.js';
import { answers, sheet, stood } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { resize } from './places.js';
import { scriptMain } from './scripted-main.js';
import { sampleAsk, sampleSheet } from './window-samples.js';

const sends = (callId: string, args: JsonObject, more: Partial<ApprovalCall> = {}): ApprovalCall =>
  sampleAsk(callId, {
    tool: 'mail__send',
    summary: `mail: send ${callId}`,
    arguments: args,
    effect: { kind: 'arguments' },
    ...more,
  });

/** The real window, shown these; what it answers is kept. */
async function asked(app: Gatehouse, calls: readonly ApprovalCall[]) {
  const main = await scriptMain(app);
  await main.show({ approvals: [sampleSheet(calls)] });
  await stood(app.page);
  return async () => (await main.asked('approvals.decide')).map(({ request }) => request as Record<string, unknown>);
}

test('A recipient is drawn wherever it stands, and one press approves what fits', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const decided = await asked(gatehouse, [
    sends('one', {
      text: `${'word '.repeat(400)} first@example.org`,
      envelope: { to: { people: { all: [{ address: 'second@example.org' }] } } },
      cc: [...Array.from({ length: 40 }, (_, at) => `${at}@example.org`), 'third@example.org'],
    }),
  ]);
  for (const who of ['first', 'second', 'third'])
    await expect(sheet(page).getByText(`${who}@example.org`)).toBeVisible();
  await expect(sheet(page).getByRole('button', { name: /^Show/ })).toHaveCount(0);
  await keepScreenshot(page, 'sheet-drawn');
  await answers(page).getByRole('button', { name: 'Approve Ctrl+Enter' }).click();
  expect(await decided()).toMatchObject([{ decision: { kind: 'approve-all' } }]);
});

test('What is folded makes Approve a second step that says how much, until it was opened', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const decided = await asked(gatehouse, [
    sends('long', { to: 'a@example.org', text: `${'x'.repeat(5000)}${'y'.repeat(875)}` }),
  ]);
  const again = answers(page).getByRole('button', { name: 'Approve 875 characters not shown' });
  await page.keyboard.press('Control+Enter');
  await expect(again).toBeVisible();
  await expect(sheet(page).getByRole('status').filter({ hasText: 'Not all shown' })).toContainText('mail: send long');
  for (const [width, height] of [
    [1280, 800],
    [640, 800],
  ] as const) {
    await resize(gatehouse, width, height);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await stood(page);
      await expectAccessible(page);
      await expect(again).toBeInViewport({ ratio: 1 });
      await keepScreenshot(page, `sheet-folded-${width}-${theme}`);
      await page.keyboard.press('Escape');
      await stood(page);
      await page.keyboard.press('Control+Enter');
      await expect(again).toBeVisible();
    }
  }
  expect(await decided()).toEqual([]);
  await sheet(page).getByRole('button', { name: 'Show 875 more characters' }).click();
  await expect(again).toHaveCount(0);
  await expect(sheet(page)).toContainText('y'.repeat(875));
  await stood(page);
  await answers(page).getByRole('button', { name: 'Approve Ctrl+Enter' }).click();
  expect(await decided()).toMatchObject([{ decision: { kind: 'approve-all' }, folded: ['long'] }]);
});

test('Whatever covers it asks: all, the selected, High besides; and what is denied is not asked about', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const decided = await asked(gatehouse, [
    sends('long', { rows: Array.from({ length: 300 }, () => 7) }),
    sends('short', { to: 'b@example.org' }),
    sends('high', { to: 'c@example.org' }, { risk: 'high' }),
  ]);
  await answers(page).getByRole('button', { name: 'Approve all (3)…' }).click();
  await expect(
    answers(page).getByRole('button', { name: 'Approve 1 high risk, 404 characters not shown' }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await stood(page);
  await answers(page).getByRole('button', { name: 'Approve selected (2), deny 1' }).click();
  const selected = answers(page).getByRole('button', { name: 'Approve 404 characters not shown' });
  await expect(selected).toBeVisible();
  await stood(page);
  expect(await decided()).toEqual([]);
  await selected.click();
  expect(await decided()).toMatchObject([
    { decision: { kind: 'approve-selected', callIds: ['long', 'short'] }, folded: ['long'] },
  ]);
});

test('Of files, each is open that fits; of more, those that are closed and lines that are cut are asked about', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const file = (at: number, after: string) =>
    ({ path: `f${at}.txt`, change: 'created', before: null, after, note: null }) as const;
  const small = Array.from({ length: 30 }, (_, at) => file(at, `line of ${at}\n`));
  const large = [
    ...Array.from({ length: 13 }, (_, at) => file(at, `line of ${at}\n`.repeat(60))),
    file(13, `${'z'.repeat(6000)} the end`),
  ];
  const decided = await asked(gatehouse, [
    sampleAsk('small', { effect: { kind: 'files', files: small } }),
    sampleAsk('large', { effect: { kind: 'files', files: large } }),
  ]);
  const [of, many] = await sheet(page).locator('.gh-ask').all();
  await expect(of?.getByText('line of 29') ?? page.locator('nothing')).toBeVisible();
  await answers(page)
    .getByRole('button', { name: /^Approve selected \(2\)/ })
    .click();
  await expect(answers(page).getByRole('button', { name: /^Approve [\d,]+ characters not shown/ })).toBeVisible();
  await keepScreenshot(page, 'sheet-folded-files');
  await many?.getByRole('button', { name: 'Open all files' }).click();
  await stood(page);
  await answers(page)
    .getByRole('button', { name: /^Approve selected \(2\)/ })
    .click();
  // One line of the last is cut still.
  await expect(answers(page).getByRole('button', { name: 'Approve 1,008 characters not shown' })).toBeVisible();
  expect(await decided()).toEqual([]);
});
