import { expect, test } from './app.js';
import { field, ID, log, mine, open } from './conversation-window.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, resize, watchForFaults } from './places.js';
import { runningCall, sampleCall, sampleMessage } from './window-samples.js';

test('What was said stands there: text, calls, reasoning, what it took; at every size, by every look', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const faults = watchForFaults(page);
  const main = await open(gatehouse, [
    mine('m1', 'The build is red. Look into it.\nUse @src/build.ts', {
      blocks: [
        { kind: 'text', text: 'The build is red. Look into it.' },
        { kind: 'file', path: 'src/build.ts', text: 'export const build = 1;\n' },
      ],
    }),
    sampleMessage('m2', '', {
      blocks: [
        { kind: 'reasoning', text: 'The type is wrong.' },
        {
          kind: 'text',
          text: '## What I found\n\nThe type in `src/build.ts` is **wrong**. See [the manual](https://example.com/a?b=c).\n\n- first\n- second\n\n```ts\nexport const build: string = 1;\n```\n\n| file | errors |\n|:-|-:|\n| build.ts | 1 |\n',
        },
        { kind: 'call', callId: 'c1', tool: 'read_file', folded: true },
        { kind: 'call', callId: 'c2', tool: 'write_file', folded: false },
      ],
      branch: { at: 2, of: 3, previous: 'm2a', next: 'm2c' },
    }),
  ]);
  await main.show({
    calls: [
      sampleCall('c1', { door: 'conversation', session: ID }),
      runningCall('c2', {
        door: 'conversation',
        session: ID,
        tool: 'write_file',
        state: 'VALIDATED',
        display: 'pending',
        awaiting: 'decision',
      }),
    ],
    working: [
      {
        id: ID,
        doing: { kind: 'calls', messageId: 'm2' },
        next: { text: 'And then the tests', files: [], pictures: [] },
        canContinue: false,
        context: { usedTokens: 43_000, ofTokens: 128_000 },
      },
    ],
  });
  await expect(log(page).getByRole('heading', { name: 'What I found' })).toBeVisible();
  await expect(log(page).getByRole('table')).toContainText('build.ts');
  await expect(log(page).locator('[data-call-id="c1"]')).toHaveAttribute('data-state', 'completed');
  await expect(log(page).locator('[data-call-id="c2"]')).toHaveAttribute('data-state', 'pending');
  await expect(log(page).getByText('12,345 tokens in · 678 out · 3.4 s · $0.012')).toBeVisible();
  await expect(log(page).getByText('2/3')).toBeVisible();
  await expect(page.getByText('Next: And then the tests')).toBeVisible();
  await log(page).getByRole('button', { name: 'Reasoning' }).click();
  await expect(log(page).getByText('The type is wrong.')).toBeVisible();
  await log(page).getByRole('button', { name: 'Reasoning' }).click();
  await expect(page.getByRole('progressbar', { name: /43,000 of 128,000 tokens/ })).toBeVisible();
  await log(page).getByRole('button', { name: 'Send it whole' }).click();
  await expect
    .poll(async () => (await main.asked('conversations.unfold')).map(({ request }) => request))
    .toEqual([{ id: ID, callId: 'c1' }]);
  await log(page).getByRole('button', { name: 'Next branch' }).click();
  await expect
    .poll(async () => (await main.asked('conversations.showBranch')).map(({ request }) => request))
    .toEqual([{ id: ID, messageId: 'm2c' }]);
  for (const [width, height] of [
    [1280, 800],
    [640, 800],
    [640, 400],
  ] as const) {
    await resize(gatehouse, width, height);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await field(page).scrollIntoViewIfNeeded();
      await expect(field(page)).toBeInViewport();
      await expectAccessible(page);
      await keepScreenshot(page, `conversation-${width}x${height}-${theme}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    }
  }
  expect(faults()).toEqual([]);
});

test('A link of a model opens nothing until its whole address was seen', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const faults = watchForFaults(page);
  const main = await open(gatehouse, [
    sampleMessage(
      'm1',
      '[the manual](https://evil.example/?secret=1) ![p](https://evil.example/p.png) <img src="https://evil.example/q.png"> [run](javascript:alert(1)) https://plain.example/x',
    ),
  ]);
  const links = log(page).getByRole('link');
  await expect(links).toHaveText(['the manual', /Picture: p/, 'https://evil.example/q.png', 'https://plain.example/x']);
  await expect(log(page).locator('img')).toHaveCount(0);
  await expect(log(page)).toContainText('<img src=');
  await expect(log(page)).toContainText('run (javascript:alert(1))');
  await links.first().focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Open link?' });
  await expect(dialog).toContainText('https://evil.example/?secret=1');
  await expectAccessible(page);
  await keepScreenshot(page, 'conversation-open-link');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await main.asked('app.openLink')).toEqual([]);
  await links.first().click();
  await dialog.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect
    .poll(async () => (await main.asked('app.openLink')).map(({ request }) => request))
    .toEqual([{ url: 'https://evil.example/?secret=1' }]);
  expect(faults()).toEqual([]);
});

test('An answer comes piece by piece, follows at the end and nowhere else, and stops', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const earlier = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? mine(`m${at}`, `Question ${at}`) : sampleMessage(`m${at}`, `Answer ${at}\n\nwith two paragraphs`),
  );
  const main = await open(gatehouse, earlier);
  await expect(log(page).getByText('Answer 39')).toBeInViewport();
  await main.emit(
    { type: 'message', message: sampleMessage('s', '', { state: 'streaming', foot: null }) },
    {
      type: 'working',
      working: { id: ID, doing: { kind: 'streaming', messageId: 's' }, next: null, canContinue: false, context: null },
    },
  );
  await expect(log(page)).toHaveAttribute('aria-busy', 'true');
  let at = 0;
  const say = async (text: string) => {
    await main.emit({
      type: 'message-piece',
      piece: { conversationId: ID, messageId: 's', block: 0, kind: 'text', at, text },
    });
    at += text.length;
  };
  await say('I look **into');
  await expect(log(page).locator('strong', { hasText: 'into' })).toBeInViewport();
  for (let line = 0; line < 30; line += 1) await say(`** it.\n\nLine ${line} of **what I found`);
  await expect(log(page).getByText('Line 29')).toBeInViewport();

  await log(page).evaluate((list) => {
    list.scrollTop = 0;
    list.dispatchEvent(new Event('scroll'));
  });
  await expect(page.getByRole('button', { name: 'Go to the end' })).toBeVisible();
  const before = await log(page).evaluate((list) => list.scrollTop);
  await say('.** More.\n\nLine 30');
  await expect.poll(() => log(page).evaluate((list) => list.scrollTop)).toBe(before);
  await page.getByRole('button', { name: 'Go to the end' }).click();
  await expect(log(page).getByText('Line 30')).toBeInViewport();

  await main.answer('conversations.stop', { unsent: { text: 'And the tests', files: ['a.ts'], pictures: [] } });
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(field(page)).toHaveValue('And the tests');
  await expect(page.getByRole('list', { name: 'Attached' })).toContainText('a.ts');
  await main.emit(
    { type: 'message', message: sampleMessage('s', 'I look into it.', { state: 'stopped' }) },
    { type: 'working', working: { id: ID, doing: { kind: 'idle' }, next: null, canContinue: true, context: null } },
  );
  await expect(log(page).getByText('Stopped by you')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeDisabled();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => main.asked('conversations.continue')).toHaveLength(1);
});

test('Older messages are read when one comes near them, and what is looked at stays where it is', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const part = (from: number) =>
    Array.from({ length: 60 }, (_, at) =>
      sampleMessage(`m${from + at}`, `Message ${from + at}\n\n${'More words. '.repeat(((from + at) * 7) % 40)}`),
    );
  const main = await open(gatehouse, []);
  await main.answer('conversations.read', { messages: part(60), more: true });
  await goTo(page, 'Tools');
  await goTo(page, 'Conversation');
  await expect(log(page).getByText('Message 119')).toBeInViewport();
  const answer = await main.hold('conversations.read');
  await log(page).evaluate((list) => list.scrollTo(0, 300));
  await expect
    .poll(async () => (await main.asked('conversations.read')).at(-1)?.request)
    .toMatchObject({ before: 'm60' });
  // The row that is looked at, and where it stands in each picture from now on.
  const moved = page.evaluate(async () => {
    const list = document.querySelector('.gh-thread-scroller');
    const rows = [...document.querySelectorAll('.gh-thread-row')];
    const top = list?.getBoundingClientRect().top ?? 0;
    const looked = rows.find((row) => row.getBoundingClientRect().top >= top)?.querySelector('p');
    if (list === null || looked === null || looked === undefined) throw new Error('nothing is looked at');
    const from = looked.getBoundingClientRect().top;
    const height = list.scrollHeight;
    let most = 0;
    let grown = false;
    for (let frame = 0; frame < 40 || !grown; frame += 1) {
      await new Promise(requestAnimationFrame);
      grown ||= list.scrollHeight > height + 1000;
      most = Math.max(most, looked.isConnected ? Math.abs(looked.getBoundingClientRect().top - from) : Infinity);
    }
    return most;
  });
  await answer({ messages: part(0), more: false });
  expect(await moved).toBeLessThan(2);
  const firstOfAll = log(page).getByText('Message 0', { exact: true });
  await log(page).hover();
  while (!(await firstOfAll.isVisible())) await page.mouse.wheel(0, -2000);
  await firstOfAll.scrollIntoViewIfNeeded();
  await expect(firstOfAll).toBeInViewport();
});
