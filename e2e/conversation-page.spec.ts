import { expect, test } from './app.js';
import { field, ID, log, mine, open, send } from './conversation-window.js';
import { expectAccessible, keepScreenshot } from './look.js';
import { goTo } from './places.js';
import {
  runningCall,
  sampleAsk,
  sampleCall,
  sampleConversation,
  sampleMessage,
  sampleSheet,
} from './window-samples.js';

test('By keyboard alone: a file by “@”, a message, a draft that stays, an edit, a rename, a deletion taken back', async ({
  gatehouse,
}) => {
  const { page, workspace } = gatehouse;
  const main = await open(gatehouse, [mine('m1', 'First words'), sampleMessage('m2', 'An answer')]);
  await main.answer('conversations.findFiles', ['src/build.ts', 'src/build.test.ts']);
  await field(page).focus();
  await page.keyboard.type('Look at @bui');
  const files = page.getByRole('listbox', { name: 'Files' });
  await expect(files.getByRole('option')).toHaveCount(2);
  await page.keyboard.press('ArrowDown');
  await expect(files.getByRole('option').nth(1)).toHaveAttribute('aria-selected', 'true');
  await expectAccessible(page);
  await keepScreenshot(page, 'conversation-files');
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveValue('Look at @src/build.test.ts ');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('closely');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('all of it');
  await goTo(page, 'Tools');
  await goTo(page, 'Conversation');
  await expect(field(page)).toHaveValue('Look at @src/build.test.ts closely\nall of it');
  await expect.poll(async () => (await main.asked('conversations.keepDraft')).length).toBeGreaterThan(0);
  await field(page).focus();
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveValue('');
  await expect
    .poll(async () => (await main.asked('conversations.send')).map(({ request }) => request))
    .toEqual([
      { id: ID, text: 'Look at @src/build.test.ts closely\nall of it', files: ['src/build.test.ts'], pictures: [] },
    ]);

  await log(page).getByRole('button', { name: 'Edit message' }).focus();
  await page.keyboard.press('Enter');
  const edit = page.getByRole('textbox', { name: 'Edit message' });
  await expect(edit).toBeFocused();
  await page.keyboard.type('!');
  await page.keyboard.press('Enter');
  await expect(edit).toHaveCount(0);
  await expect
    .poll(async () => (await main.asked('conversations.send')).at(-1)?.request)
    .toMatchObject({
      text: 'First words!',
      insteadOf: 'm1',
    });
  await log(page).getByRole('button', { name: 'Retry' }).focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await main.asked('conversations.retry')).map(({ request }) => request))
    .toEqual([{ id: ID, messageId: 'm2' }]);

  const menu = page.getByRole('button', { name: 'More about this conversation' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Rename…' }).press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).fill('Another name');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect
    .poll(async () => (await main.asked('conversations.rename')).map(({ request }) => request))
    .toEqual([{ id: ID, title: 'Another name' }]);
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
  await main.answer('conversations.list', []);
  await main.emit({ type: 'conversation-gone', id: ID });
  await expect(page.getByText('Conversation deleted')).toBeVisible();
  await expect(log(page)).toContainText('What should be done?');
  await keepScreenshot(page, 'conversation-new');
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  const back = sampleConversation(ID, { workspace, title: 'Another name' });
  await main.answer('conversations.list', [back]);
  await main.emit({ type: 'conversation', conversation: back });
  await expect(log(page)).toContainText('First words');
});

test('What goes wrong is told once, with what to do; waits are counted', async ({ gatehouse }) => {
  const { page } = gatehouse;
  const main = await open(gatehouse, [
    mine('m1', 'Hello'),
    sampleMessage('m2', '', {
      state: 'failed',
      failure: { fault: 'api-key', message: 'Anthropic refused the API key. Enter another one in Settings.' },
    }),
  ]);
  const alert = log(page).getByRole('alert');
  await expect(alert).toContainText('Anthropic refused the API key.');
  await expectAccessible(page);
  await keepScreenshot(page, 'conversation-error');
  await main.emit(
    { type: 'message', message: mine('m3', 'Again') },
    {
      type: 'message',
      message: sampleMessage('m4', 'Half an', {
        state: 'broke-off',
        blocks: [
          { kind: 'text', text: 'Half an' },
          { kind: 'call', callId: null, tool: 'write_file', folded: false },
        ],
      }),
    },
  );
  await expect(alert).toHaveCount(1);
  await expect(alert).toContainText('The answer broke off');
  await expect(log(page)).toContainText('not run: the message broke off');
  await main.emit({
    type: 'working',
    working: {
      id: ID,
      doing: { kind: 'waiting', seconds: 25, why: 'rate-limit' },
      next: null,
      canContinue: false,
      context: null,
    },
  });
  await expect(page.getByRole('status').filter({ hasText: 'Waiting 25 s' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toBeEnabled();
  await keepScreenshot(page, 'conversation-waiting');
  await page.getByRole('button', { name: 'Stop' }).click();
  await main.refuse('conversations.send', 'refused', 'The folder is closed.');
  await field(page).fill('Not lost');
  await send(page).click();
  await expect(page.getByText('The folder is closed.')).toBeVisible();
  await expect(field(page)).toHaveValue('Not lost');
  await log(page).getByRole('button', { name: 'Open model settings' }).first().click();
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

test('A model and how to ask are chosen for one conversation; pictures go where they are taken', async ({
  gatehouse,
}) => {
  const { page, workspace } = gatehouse;
  const main = await open(gatehouse, [mine('m1', 'Hello')]);
  const paste = (times = 1) =>
    field(page).evaluate((element, many) => {
      const bytes = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (c) => c.charCodeAt(0)); // prettier-ignore
      for (let time = 0; time < many; time += 1) {
        const data = new DataTransfer();
        data.items.add(new File([bytes], 'p.png', { type: 'image/png' }));
        element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      }
    }, times);
  // The second before the first is read.
  await paste(2);
  await expect(page.getByRole('img', { name: 'Attached 2' })).toBeVisible();
  await send(page).click();
  await expect(page.getByRole('img', { name: 'Attached 1' })).toHaveCount(0);
  await expect
    .poll(async () => (await main.asked('conversations.send'))[0]?.request)
    .toMatchObject({
      pictures: [{ mediaType: 'image/png' }, { mediaType: 'image/png' }],
    });

  await page.getByRole('combobox', { name: 'Model' }).click();
  await page.getByRole('option', { name: /llama/ }).click();
  await expect
    .poll(async () => (await main.asked('conversations.chooseModel')).map(({ request }) => request))
    .toEqual([{ id: ID, model: { provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', model: 'llama' } }]);
  await page.getByRole('combobox', { name: 'How to ask' }).click();
  await page.getByRole('option', { name: 'Strict' }).click();
  await expect
    .poll(async () => (await main.asked('conversations.setAsking')).map(({ request }) => request))
    .toEqual([{ id: ID, asking: 'strict' }]);
  const changed = sampleConversation(ID, {
    workspace,
    model: { provider: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', model: 'llama' },
    asking: 'strict',
  });
  // Whatever makes the window read it again, it reads the same.
  await main.answer('conversations.list', [changed]);
  await main.emit({ type: 'conversation', conversation: changed });
  await expect(page.getByRole('combobox', { name: 'Model' })).toContainText('llama');
  await paste();
  await expect(page.getByText('This model takes no pictures.')).toBeVisible();
});

test('Calls of a conversation are told by its title where they run, and it is found by its name', async ({
  gatehouse,
}) => {
  const { page, workspace } = gatehouse;
  const main = await open(gatehouse, [mine('m1', 'Hello')]);
  const call = runningCall('c1', { door: 'conversation', session: ID, workspace });
  await main.answer('activity.sessions', { sessions: [], complete: true });
  await main.show({ calls: [call] });
  await expect(page.getByRole('region', { name: 'Running' })).toContainText('Fix the build');
  await goTo(page, 'Activity');
  await page.getByRole('main').getByRole('button', { name: 'Fix the build' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Conversation' })).toBeVisible();
  await goTo(page, 'Tools');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Fix the');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Conversation' })).toBeVisible();
  await expect(log(page)).toContainText('Hello');
});

test('A call that asks is led to from where it stands', async ({ gatehouse }) => {
  const { page, workspace } = gatehouse;
  const main = await open(gatehouse, [
    sampleMessage('m1', '', { blocks: [{ kind: 'call', callId: 'c1', tool: 'write_file', folded: false }] }),
  ]);
  const asked = { door: 'conversation', session: ID, workspace, tool: 'write_file', batchId: 'batch-1' } as const;
  await main.show({
    calls: [
      sampleCall('c1', {
        ...asked,
        state: 'VALIDATED',
        display: 'pending',
        awaiting: 'decision',
        outcome: null,
        durationMs: null,
      }),
    ],
    approvals: [
      sampleSheet([sampleAsk('c1')], { door: 'conversation', session: ID, client: null, workspace }),
      sampleSheet([sampleAsk('c2')], { door: 'mcp', batchId: 'batch-2' }),
    ],
  });
  await log(page).getByRole('button', { name: 'Review' }).click();
  const sheet = page.getByRole('dialog', { name: 'Approve tool calls' });
  await expect(sheet).toBeVisible();
  await expect(sheet.locator(':focus')).toHaveCount(1);
  // Which one it is, on the sheet and among what waits.
  await expect(sheet.locator('.gh-sheet-about')).toHaveText('Conversation: Fix the build · 1 call');
  await expect(sheet.getByRole('list', { name: 'Waiting', exact: true })).toContainText(
    'Conversation: Fix the build, 1 call',
  );
  await keepScreenshot(page, 'conversation-sheet');
  const renamed = sampleConversation(ID, { workspace, title: `safe\u202Etxt.exe ${'long '.repeat(100)}` });
  await main.emit({ type: 'conversation', conversation: renamed });
  await expect(sheet.locator('.gh-sheet-about')).toHaveText(
    /^Conversation: safe\\u\{202e\}txt\.exe long .{0,60}… · 1 call$/,
  );
});

test('A first message that can’t be sent is not lost, and begins no second conversation', async ({ gatehouse }) => {
  const { page, workspace } = gatehouse;
  const main = await open(gatehouse, []);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await main.answer('conversations.begin', sampleConversation('fresh', { workspace, title: '' }));
  await main.refuse('conversations.send', 'bad-request', 'src/gone.ts can’t be read.');
  await field(page).fill('Look at it');
  await send(page).click();
  await expect(page.getByText('src/gone.ts can’t be read.')).toBeVisible();
  await expect(field(page)).toHaveValue('Look at it');
  await main.answer('conversations.send', null);
  await main.answer('conversations.read', {
    messages: [mine('m1', 'Look at it', { conversationId: 'fresh' })],
    more: false,
  });
  await field(page).press('Enter');
  await expect(log(page)).toContainText('Look at it');
  await expect(field(page)).toHaveValue('');
  await expect(field(page)).toBeFocused();
  expect(await main.asked('conversations.begin')).toHaveLength(1);
  await expect
    .poll(async () => (await main.asked('conversations.send')).map(({ request }) => request))
    .toMatchObject([{ id: 'fresh' }, { id: 'fresh' }]);
});

test('A first message whose conversation was deleted meanwhile begins another', async ({ gatehouse }) => {
  const { page, workspace } = gatehouse;
  const main = await open(gatehouse, []);
  await page.getByRole('button', { name: 'New conversation' }).click();
  await main.answer('conversations.begin', sampleConversation('fresh', { workspace, title: '' }));
  await main.refuse('conversations.send', 'not-found', 'There is no such conversation.');
  await field(page).fill('Look at it');
  await send(page).click();
  await expect(page.getByText('There is no such conversation.')).toBeVisible();
  await main.answer('conversations.begin', sampleConversation('second', { workspace, title: '' }));
  await main.answer('conversations.send', null);
  await main.answer('conversations.read', {
    messages: [mine('m1', 'Look at it', { conversationId: 'second' })],
    more: false,
  });
  await send(page).click();
  await expect(log(page)).toContainText('Look at it');
  await expect
    .poll(async () => (await main.asked('conversations.send')).map(({ request }) => request))
    .toMatchObject([{ id: 'fresh' }, { id: 'second' }]);
});
