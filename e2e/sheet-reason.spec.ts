import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { Page } from '@playwright/test';
import { connectAgent, gatewayOf } from './agent.js';
import { expect, type Gatehouse, test } from './app.js';
import { answerable, answers, approveAll, expectStates, runBatch, sheet, stood, write } from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';

const SETUP = { files: {}, flags: ['--gateway'] };

interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly code: string | null;
}

interface Asking {
  readonly answer: Promise<Answer>;
  readonly takeBack: () => void;
}

/** An agent of its own asks for a file of its own, and may take that back. */
function create(agent: Client, path: string): Asking {
  const stop = new AbortController();
  const answer = agent
    .callTool({ name: 'write_file', arguments: { path, content: `${path}\n` } }, { signal: stop.signal })
    .then(({ _meta: said, ...result }) => {
      const meta = (said ?? {}) as Record<string, unknown>;
      const text = JSON.stringify(result.content);
      return { text, isError: result.isError === true, code: (meta['gatehouse/code'] as string | undefined) ?? null };
    })
    .catch((error: unknown) => ({ text: String(error), isError: true, code: null }));
  return { answer, takeBack: () => stop.abort() };
}

async function agentsOf(app: Gatehouse): Promise<readonly [Client, Client]> {
  const gateway = await gatewayOf(app.dataDir, app.pid);
  return [await connectAgent(gateway, 'claude-code'), await connectAgent(gateway, 'codex')];
}

const reason = (page: Page) => sheet(page).getByRole('textbox', { name: 'Reason', exact: true });
const asked = (page: Page, path: string) => sheet(page).getByRole('group', { name: path });
const said = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });

/** One is shown, and another waits behind it. */
async function bothAsk(page: Page, one: Client, two: Client): Promise<readonly [Asking, Asking]> {
  const first = create(one, 'first.txt');
  await expect(asked(page, 'first.txt')).toBeVisible();
  const second = create(two, 'second.txt');
  await expect(sheet(page).getByRole('list', { name: 'Waiting', exact: true }).getByRole('button')).toHaveCount(2);
  await stood(page);
  return [first, second];
}

/** As soon as the sheet shows this, within the same turn: every key and press that decides, while it is surely too soon. */
async function pressAsItComes(page: Page, words: string): Promise<() => Promise<number>> {
  await page.evaluate((awaited) => {
    const noted = { tried: 0, drawn: 0 };
    (globalThis as unknown as { noted: typeof noted }).noted = noted;
    const press = (): void => {
      if (performance.now() - noted.drawn > 400) return;
      noted.tried += 1;
      for (const button of document.querySelectorAll<HTMLElement>('.gh-sheet-answers button')) button.click();
      const target = document.activeElement ?? document.body;
      const dialog = document.querySelector('.gh-sheet') ?? document.body;
      for (const key of ['e', 'a', ' ', 'Enter'])
        for (const at of [target, dialog])
          for (const ctrlKey of [false, true])
            at.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }));
      requestAnimationFrame(press);
    };
    new MutationObserver(() => {
      if (noted.drawn > 0 || !(document.querySelector('.gh-sheet-pages')?.textContent ?? '').includes(awaited)) return;
      noted.drawn = performance.now();
      press();
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  }, words);
  return () => page.evaluate(() => (globalThis as unknown as { noted: { tried: number } }).noted.tried);
}

/** It stands as it came: nothing was written, begun or decided on it. */
async function expectUntouched(page: Page, path: string): Promise<void> {
  await expect(asked(page, path)).toBeVisible();
  await expect(reason(page)).toHaveValue('');
  await expect(sheet(page).getByRole('region', { name: 'Rule' })).toHaveCount(0);
  await expect(sheet(page).getByRole('textbox', { name: 'Arguments' })).toHaveCount(0);
}

test('D goes to Reason, Enter denies with it, and what is typed on reaches no other', async ({ launch }) => {
  const app = await launch(SETUP);
  const { page, workspace } = app;
  const [one, two] = await agentsOf(app);
  const [first, second] = await bothAsk(page, one, two);
  await page.keyboard.press('d');
  await expect(reason(page)).toBeFocused();
  await expect(sheet(page)).toContainText('Enter denies · Esc goes back');
  await page.keyboard.press('Escape');
  await expect(reason(page)).not.toBeFocused();
  await page.keyboard.press('d');
  await page.keyboard.type('Use edit, and ask again.');
  await keepScreenshot(page, 'sheet-reason');
  await expectAccessible(page);
  const tried = await pressAsItComes(page, 'second.txt');
  await page.keyboard.press('Enter');
  // A person who types on: the keys follow one another, and none is for the other.
  await page.keyboard.type('ead ead ead ead ead ead ead ead', { delay: 60 });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  expect(await first.answer).toMatchObject({ code: 'DeniedByPerson' });
  expect((await first.answer).text).toContain('Use edit, and ask again.');
  await expect(said(page, 'Denied · claude-code')).toBeVisible();
  expect(await tried()).toBeGreaterThan(0);
  await answerable(page);
  await expectUntouched(page, 'second.txt');
  await expect(sheet(page).getByRole('region', { name: 'What would happen' })).toBeFocused();
  await approveAll(page);
  expect(await second.answer).toMatchObject({ isError: false });
  expect(existsSync(join(workspace, 'first.txt'))).toBe(false);
  expect(existsSync(join(workspace, 'second.txt'))).toBe(true);
  await expect(said(page, 'Denied · claude-code')).toHaveCount(0);
});

test('Deny denies at once and says so; a second press in its place denies nobody else', async ({ launch }) => {
  const app = await launch(SETUP);
  const { page } = app;
  const [one, two] = await agentsOf(app);
  const [first, second] = await bothAsk(page, one, two);
  const tried = await pressAsItComes(page, 'second.txt');
  const deny = answers(page).getByRole('button', { name: 'Deny' });
  const box = await deny.boundingBox();
  if (box === null) throw new Error('Deny is not drawn.');
  const at = [box.x + box.width / 2, box.y + box.height / 2] as const;
  await page.mouse.click(...at);
  expect(await first.answer).toMatchObject({ code: 'DeniedByPerson' });
  await expect(asked(page, 'second.txt')).toBeVisible();
  await page.mouse.click(...at, { clickCount: 2 });
  await expect(said(page, 'Denied · claude-code')).toBeVisible();
  await answerable(page);
  expect(await tried()).toBeGreaterThan(0);
  await expectUntouched(page, 'second.txt');
  await answers(page).getByRole('button', { name: 'Deny' }).click();
  expect(await second.answer).toMatchObject({ code: 'DeniedByPerson' });
});

test('A reason is dropped with a word when its call is taken back, and is said to nobody else', async ({ launch }) => {
  const app = await launch(SETUP);
  const { page } = app;
  const [one, two] = await agentsOf(app);
  const [first, second] = await bothAsk(page, one, two);
  await page.keyboard.press('d');
  await page.keyboard.type('Because of ');
  first.takeBack();
  await expect(said(page, 'The call was taken back. Your reason was not sent.')).toBeVisible();
  // However long somebody thinks about the rest of the sentence.
  await answerable(page);
  await page.keyboard.type('a, e and d ', { delay: 40 });
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+Enter');
  await expectUntouched(page, 'second.txt');
  await keepScreenshot(page, 'sheet-reason-dropped');
  await page.keyboard.press('Control+j');
  await page.keyboard.press('d');
  await page.keyboard.type('Not you either.');
  await page.keyboard.press('Enter');
  expect((await second.answer).text).toContain('Not you either.');
  expect((await second.answer).text).not.toContain('Because of');
  await expect(said(page, 'Denied · codex')).toBeVisible();
});

test('A reason stays with its call while another is looked at; on several, Enter denies all', async ({ launch }) => {
  const app = await launch(SETUP);
  const { page } = app;
  const [one, two] = await agentsOf(app);
  const [first, second] = await bothAsk(page, one, two);
  const choose = (name: string) =>
    sheet(page).getByRole('list', { name: 'Waiting', exact: true }).getByRole('button', { name }).click();
  await page.keyboard.press('d');
  await page.keyboard.type('Half a rea');
  await choose('codex');
  await expectUntouched(page, 'second.txt');
  await choose('claude-code');
  await expect(reason(page)).toHaveValue('Half a rea');
  await stood(page);
  await page.keyboard.press('d');
  await page.keyboard.press('End');
  await page.keyboard.type('son.');
  await page.keyboard.press('Enter');
  expect((await first.answer).text).toContain('Half a reason.');
  await stood(page);
  await page.keyboard.press('d');
  await page.keyboard.press('Enter');
  expect(await second.answer).toMatchObject({ code: 'DeniedByPerson' });

  await runBatch(page, [write('a.txt'), write('b.txt')]);
  await stood(page);
  await page.keyboard.press('Control+j');
  await page.keyboard.press('d');
  await expect(sheet(page)).toContainText('Enter denies all · Esc goes back');
  await page.keyboard.type('Neither.');
  await page.keyboard.press('Enter');
  await expectStates(page, ['denied', 'denied']);
});
