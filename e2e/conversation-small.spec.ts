import type { Locator } from '@playwright/test';
import { expect, test } from './app.js';
import { field, log, mine, open, send } from './conversation-window.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo, watchForFaults } from './places.js';
import { sampleMessage } from './window-samples.js';

const LONG = Array.from({ length: 40 }, (_, line) => `Line ${line} of what was found.`).join('\n\n');
const NOTICE = {
  id: 'n',
  severity: 'warning',
  title: 'Settings of this folder wait for your yes',
  text: 'They would let commands reach hosts. Until you accept them, they do not hold.',
  details: null,
  dismissible: false,
} as const;

/** It and what it lies in, as far as that has more than it shows. */
const scrollersAround = (inner: Locator): Promise<readonly string[]> =>
  inner.evaluate((element) => {
    const found: string[] = [];
    for (let at: Element | null = element; at !== null; at = at.parentElement)
      if (/auto|scroll/u.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight)
        found.push(`${at.className} ${at.clientHeight}/${at.scrollHeight}`);
    return found;
  });

test('In a small window what was said is the one thing that scrolls, whatever is told above it', async ({
  gatehouse,
}) => {
  const { page } = gatehouse;
  const faults = watchForFaults(page);
  const main = await open(gatehouse, [mine('m1', 'Look into it.'), sampleMessage('m2', LONG)]);
  await main.answer('instructions.review', [
    { path: 'AGENTS.md', state: 'not-seen', digest: 'a'.repeat(64), text: 'Use tabs.' },
  ]);
  await main.show({ notices: [NOTICE] });
  await goTo(page, 'Compose');
  await goTo(page, 'Conversation');
  for (const [width, height, zoom] of [
    [640, 400, 1],
    [1280, 800, 2],
    [1280, 800, 1],
  ] as const) {
    await gatehouse.electron.evaluate(({ BrowserWindow }, factor) => {
      BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(factor);
    }, zoom);
    await gatehouse.electron.evaluate(
      ({ BrowserWindow }, [wide, high]) => {
        BrowserWindow.getAllWindows()[0]?.setMinimumSize(200, 200);
        BrowserWindow.getAllWindows()[0]?.setContentSize(wide, high);
      },
      [width, height] as const,
    );
    await page.waitForFunction((wide) => innerWidth === wide, width / zoom);
    await expect(page.getByRole('button', { name: 'Review AGENTS.md' })).toBeInViewport();
    await expect(log(page).getByText('Line 39 of what was found.')).toBeInViewport();
    expect(await scrollersAround(log(page))).toEqual([expect.stringMatching(/^gh-thread-scroller /u)]);
    for (const each of [field(page), send(page), page.getByRole('combobox', { name: 'How to ask' })])
      await expect(each).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
    await keepScreenshot(page, `conversation-small-${width}-${zoom}`);
  }
  expect(faults()).toEqual([]);
});
