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

test('What sources offer is read and chosen in a small window, zoomed and dark, whatever it calls itself', async ({
  gatehouse,
}) => {
  const { page, electron } = gatehouse;
  const main = await open(gatehouse, [mine('m1', 'Look into it.')]);
  await main.answer('conversations.findFiles', ['src/build.ts']);
  const long = 'A name that goes on and on, '.repeat(6);
  await main.answer('conversations.findOnShelves', {
    resources: [
      { source: 'notes', uri: 'notes://1', name: 'src/build.ts\u202e', description: 'Looks like a file.' },
      { source: 'notes', uri: `notes://${'x'.repeat(300)}`, name: long, description: '' },
    ],
    prompts: [
      {
        source: 'notes',
        name: 'review',
        title: 'Review',
        description: long,
        args: [{ name: 'what\u200b', description: long, required: true }],
      },
    ],
    problems: ['“slow” has not answered yet.'],
  });
  for (const [width, height, zoom, theme] of [
    [640, 400, 1, 'light'],
    [1280, 800, 2, 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await electron.evaluate(
      ({ BrowserWindow }, [w, h, factor]) => {
        const [window] = BrowserWindow.getAllWindows();
        window?.setMinimumSize(200, 200);
        window?.setContentSize(w, h);
        window?.webContents.setZoomFactor(factor);
      },
      [width, height, zoom] as const,
    );
    await field(page).fill('');
    await field(page).pressSequentially('@');
    const list = page.getByRole('listbox', { name: 'Files and resources' });
    await expect(list.getByRole('option')).toHaveCount(3);
    await expect(list.getByRole('option').nth(1)).toContainText('\\u{202e}');
    await expect(page.getByText('“slow” has not answered yet.')).toBeVisible();
    await expectAccessible(page);
    await keepScreenshot(page, `conversation-resources-${theme}`);
    await page.keyboard.press('Escape');
    await expect(list).toHaveCount(0);
    await field(page).fill('');
    await field(page).pressSequentially('/');
    await expect(page.getByRole('listbox', { name: 'Prompts' }).getByRole('option')).toHaveCount(1);
    await page.keyboard.press('Enter');
    const form = page.getByRole('dialog', { name: 'Prompt “review”' });
    await expect(form.getByRole('textbox', { name: 'what\\u{200b}' })).toBeFocused();
    await expectAccessible(page);
    await keepScreenshot(page, `conversation-prompt-form-${theme}`);
    await page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
    await expect(field(page)).toBeFocused();
  }
});
