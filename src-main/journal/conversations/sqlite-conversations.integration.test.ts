import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { createSealer } from '../../keys/sealing.js';
import { testFolder } from '../writing/journal.test-support.js';
import { batchReceived, settled, started } from '../writing/journal-samples.test-support.js';
import { openTestConversations, text, WHOLE } from './conversations.test-support.js';

const FOLDER = '/home/someone/project';

it('the record keeps a conversation as a tree, of which one branch is shown and goes on', async () => {
  const { record, messages, verify, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  const asked = await record.addPersonMessage(id, text('## Why does the build fail?\nIt says nothing.'));
  const answer = record.beginAnswer(id, 'a model');
  answer.end([{ kind: 'text', text: 'Because.' }], WHOLE, null);
  const second = await record.addPersonMessage(id, text('And now?'));
  expect(record.get(id)?.title).toBe('Why does the build fail?');
  expect(record.branch(id).map(({ id: message }) => message)).toEqual([asked.id, answer.messageId, second.id]);
  expect([...record.newestFirst(id)]).toEqual(record.branch(id).toReversed());
  const [last] = record.newestFirst(id);
  expect(last?.id).toBe(second.id);

  const edited = await record.addPersonMessage(id, text('And then?'), second.id);
  const more = record.beginAnswer(id, 'a model');
  more.end([{ kind: 'text', text: 'Then it works.' }], WHOLE, null);
  expect(record.view(edited.id)?.branch).toEqual({ at: 2, of: 2, previous: second.id, next: null });
  expect(messages(id, 50, null)).toMatchObject({
    messages: [{ id: asked.id }, { id: answer.messageId }, { id: edited.id }, { id: more.messageId, state: 'whole' }],
    more: false,
  });
  record.showBranch(id, second.id);
  expect(record.branch(id).at(-1)?.id).toBe(second.id);
  record.showBranch(id, edited.id);
  expect(record.branch(id).at(-1)?.id, 'the newest leaf below').toBe(more.messageId);
  const again = record.beginAnswer(id, 'a model', more.messageId);
  again.end([{ kind: 'text', text: 'It does.' }], WHOLE, null);
  expect(record.view(again.messageId)?.branch).toMatchObject({ at: 2, of: 2, previous: more.messageId });
  expect(await verify()).toMatchObject({ ok: true });
  close();
});

it('the record gives pages from the newest on', async () => {
  const { record, messages, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  for (let n = 0; n < 7; n += 1) await record.addPersonMessage(id, text(`message ${n}`));
  const newest = messages(id, 3, null);
  expect(newest).toMatchObject({ more: true });
  const said = (page: typeof newest) =>
    page.messages.flatMap(({ blocks }) => blocks.map((block) => 'text' in block && block.text));
  expect(said(newest)).toEqual(['message 4', 'message 5', 'message 6']);
  const older = messages(id, 4, newest.messages[0]?.id ?? null);
  expect(said(older)).toEqual(['message 0', 'message 1', 'message 2', 'message 3']);
  expect(older.more).toBe(false);
  expect(messages(id, 4, older.messages[0]?.id ?? null)).toEqual({ messages: [], more: false });
  close();
});

it('the record finds conversations by words of their messages, and by their titles', async () => {
  // Each thing at its own time: the one that changed last is first.
  let now = 1_800_000_000_000;
  const clock = { now: () => (now += 1), monotonic: () => performance.now() };
  const { record, conversations, close } = openTestConversations(testFolder(), { clock });
  const found = (query: string, folder = FOLDER) => conversations(folder, query).map(({ id }) => id);
  const one = record.begin(FOLDER, false).id;
  await record.addPersonMessage(one, text('The parser drops trailing commas'));
  const two = record.begin(FOLDER, false).id;
  await record.addPersonMessage(two, text('Rename everything'));
  record.beginAnswer(two, 'm').end([{ kind: 'text', text: 'The lexer keeps commas.' }], WHOLE, null);
  record.rename(one, 'Grammar work');
  expect(found('')).toEqual([one, two]);
  expect(found('comm')).toEqual([one, two]);
  expect(found('lexer commas')).toEqual([two]);
  expect(found('GRAMMAR')).toEqual([one]);
  expect(found('" OR *')).toEqual([]);
  expect(found('commas', '/elsewhere')).toEqual([]);
  close();
});

it('the list of conversations says in one line of each what was said last, and nothing else', async () => {
  const { record, conversations, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  const got = () => [record.get(id)?.summary, conversations(FOLDER, '')[0]?.summary];
  expect(got()).toEqual(['', '']);
  await record.addPersonMessage(id, text('Why does the build fail?'));
  expect(got()).toEqual(['Why does the build fail?', 'Why does the build fail?']);
  const call = { kind: 'call', id: '1', name: 'read_file', arguments: {}, kept: null } as const;
  const said = (words: string) => ({ kind: 'text', text: words }) as const;
  const reasoning = { kind: 'reasoning', text: 'Hm.', kept: null } as const;
  record.beginAnswer(id, 'm').end([reasoning, said('## I look.\nMore'), call, call], WHOLE, null);
  expect(got()).toEqual(['I look.', 'I look.']);
  record.beginAnswer(id, 'm').end([reasoning, call], WHOLE, null);
  expect(got()).toEqual(['', '']);
  close();
});

it('the record takes a conversation away and back, and keeps what was typed', async () => {
  const { record, messages, conversations, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  await record.keepDraft(id, 'half a thought');
  record.remove(id);
  expect(record.get(id)).toBeNull();
  expect(conversations(FOLDER, '')).toEqual([]);
  expect(messages(id, 50, null)).toEqual({ messages: [], more: false });
  record.undoRemove(id);
  expect(record.get(id)).toMatchObject({ draft: 'half a thought' });
  record.chooseModel(id, { provider: 'anthropic', baseUrl: null, model: 'm' });
  record.setAsking(id, 'strict');
  expect(conversations(FOLDER, '')).toMatchObject([{ id, model: { model: 'm' }, asking: 'strict' }]);
  close();
});

it('no file of the record holds a secret, whatever was said', async () => {
  const { folder, record, close } = openTestConversations();
  // Put together here, so that no scanner takes this file for a leak.
  const secret = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('');
  const { id } = record.begin(FOLDER, false);
  const words = `my key is ${secret}`;
  await record.addPersonMessage(id, [...text(words), { kind: 'file', path: '.env', text: `KEY=${secret}\n` }]);
  await record.keepDraft(id, words);
  record.rename(id, words);
  const answer = record.beginAnswer(id, 'm');
  for (const piece of words.match(/.{1,7}/gsu) ?? []) answer.text(0, 'text', piece);
  answer.callBegan(1, 'call_1', 'run_command');
  answer.callArguments(1, `{"command":"curl -H 'x-api-key: ${secret}'"}`);
  await expect.poll(() => record.view(answer.messageId)?.blocks).toHaveLength(2);
  answer.end(
    [
      { kind: 'reasoning', text: words, kept: { signature: 'of the whole' } },
      { kind: 'text', text: words },
      { kind: 'call', id: 'call_1', name: 'run_command', arguments: { command: words }, kept: { secret } },
    ],
    { state: 'failed', failure: { fault: 'refused', message: words } },
    null,
  );
  expect(JSON.stringify(record.branch(id))).not.toContain(secret);
  expect(record.message(answer.messageId)).toMatchObject({ said: { blocks: [{ kept: null }, {}, { kept: null }] } });
  close();
  for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file)).includes(secret), file).toBe(false);
});

it('the record takes whatever a model may write', async () => {
  const { folder, record, messages, verify, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  const said = await record.addPersonMessage(id, text('half \ud800 and \u0000'));
  let deep: JsonObject = {};
  for (let level = 0; level < 20_000; level += 1) deep = { deep };
  const call = { kind: 'call', id: '\ud800', name: '\u0000', arguments: deep, kept: null } as const;
  record.beginAnswer(id, 'm').end([{ kind: 'text', text: '\udfff' }, call], WHOLE, null);
  expect(record.branch(id)).toMatchObject([{ id: said.id }, { said: { blocks: [{}, { arguments: {} }] } }]);
  expect(messages(id, 50, null).messages).toHaveLength(2);
  expect(await verify()).toMatchObject({ ok: true });
  close();
  const again = openTestConversations(folder);
  expect(await again.verify()).toMatchObject({ ok: true });
  again.close();
});

it('the newest draft is kept, however long the one before takes to be redacted', async () => {
  const { record, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  const long = record.keepDraft(id, 'password: it is long '.repeat(20_000));
  await record.keepDraft(id, 'short');
  await long;
  expect(record.get(id)?.draft).toBe('short');
  close();
});

it('a page of the record holds as much as a window takes at once', async () => {
  const { record, messages, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  const picture = { kind: 'picture', mediaType: 'image/png', base64: 'A'.repeat(5_000_000) } as const;
  for (let n = 0; n < 4; n += 1) await record.addPersonMessage(id, [picture]);
  const newest = messages(id, 50, null);
  expect(newest.messages).toHaveLength(2);
  expect(newest.more).toBe(true);
  const older = messages(id, 50, newest.messages[0]?.id ?? null);
  expect(older.messages).toHaveLength(2);
  expect(older.more).toBe(false);
  close();
});

it.each([
  ['with a key store', 7, 'it is hunter2'],
  // It is in no file: who let a model have it lets it have it while the app runs.
  ['without one', null, 'it is [redacted]'],
] as const)(
  'the record gives a result whole where the person let its caller have the secrets, %s',
  async (_what, key, later) => {
    const sealer = createSealer(key === null ? null : Buffer.alloc(32, key));
    const { folder, record, journal, close } = openTestConversations(testFolder(), { sealer });
    const { id } = record.begin(FOLDER, false);
    for (const [callId, capabilities] of [
      ['let', ['secrets.reveal']],
      ['not', []],
    ] as const) {
      const [received, validated, authorized, executing] = started({ callId, batchId: callId });
      if (
        received === undefined ||
        validated === undefined ||
        authorized?.type !== 'call-authorized' ||
        executing === undefined
      )
        throw new Error('These are the steps of a call.');
      const grant = { ...authorized.grant, capabilities };
      const withheld = { content: 'it is hunter2', structured: null, outputBytesLeftOut: 0 };
      journal.append([
        batchReceived(callId),
        received,
        validated,
        { ...authorized, grant },
        executing,
        settled(callId, { content: 'it is [redacted]', withheld, redactions: 1 }),
      ]);
    }
    expect(id).not.toBe('');
    expect([...record.results(['let', 'not']).values()].map(({ result }) => result?.content)).toEqual([
      'it is hunter2',
      'it is [redacted]',
    ]);
    close();
    const again = openTestConversations(folder, { sealer });
    expect([...again.record.results(['let', 'not']).values()].map(({ result }) => result?.content)).toEqual([
      later,
      'it is [redacted]',
    ]);
    again.close();
  },
);

it('the audit finds it where somebody edits or deletes a message', async () => {
  for (const change of [
    `UPDATE messages SET content = '[{"kind":"text","text":"Delete all"}]'`,
    `UPDATE messages SET state = 'stopped'`,
    'UPDATE messages SET parent = NULL',
    'UPDATE messages SET conversation = (SELECT max(id) FROM conversations)',
    'DELETE FROM messages',
  ]) {
    const { folder, record, verify, close } = openTestConversations();
    const { id } = record.begin(FOLDER, false);
    await record.addPersonMessage(id, text('Delete nothing'));
    await record.addPersonMessage(id, text('Not this either'));
    record.begin(FOLDER, false);
    expect(await verify()).toMatchObject({ ok: true });
    close();
    const edited = new Database(join(folder, 'journal.db'));
    edited.pragma('foreign_keys = off');
    edited.exec(change);
    edited.close();
    const again = openTestConversations(folder);
    expect(await again.verify(), change).toMatchObject({ ok: false });
    again.close();
  }
});

it('a conversation is erased a day after it was deleted, and when nothing happened in it for as long as calls are kept', async () => {
  const day = 24 * 60 * 60_000;
  let now = 1_000 * day;
  const clock = { now: () => now, monotonic: () => performance.now() };
  const folder = testFolder();
  const open = openTestConversations(folder, { clock, keepDays: () => 90 });
  const { record, journal, conversations } = open;
  const [removed, kept] = ['zebra', 'gnu'].map(() => record.begin(FOLDER, false).id);
  if (removed === undefined || kept === undefined) throw new Error('Two were begun.');
  await record.addPersonMessage(removed, text('about qwzxkvs'));
  record.beginAnswer(removed, 'm').end([{ kind: 'text', text: 'Striped.' }], WHOLE, null);
  await record.addPersonMessage(kept, text('about gnus'));
  record.remove(removed);
  now += day - 1;
  expect(journal.eraseConversation(now - 90 * day)).toBe(false);
  now += 2;
  expect(journal.eraseConversation(now - 90 * day)).toBe(true);
  expect(journal.eraseConversation(now - 90 * day)).toBe(false);
  expect(() => record.undoRemove(removed)).toThrow();
  while (journal.mergeSearchWords());
  expect(await open.verify()).toMatchObject({ ok: true });
  // Lowered since: what was to be kept longer is.
  expect(journal.eraseConversation(now)).toBe(false);
  now += 90 * day;
  expect(conversations(FOLDER, 'gnus')).toHaveLength(1);
  expect(journal.eraseConversation(now - 90 * day)).toBe(true);
  expect(conversations(FOLDER, '')).toEqual([]);
  expect(await open.verify()).toMatchObject({ ok: true });
  open.close();
  for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file)).includes('qwzxkv'), file).toBe(false);
});

it('a conversation is exported as Markdown and JSON, with its calls and without what was taken out', async () => {
  const { folder, record, journal, export: exportTo, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  const first = await record.addPersonMessage(id, text('Read it, and tell someone@example.com'));
  const answer = record.beginAnswer(id, 'a model');
  const call = {
    kind: 'call',
    id: 'c1',
    name: 'read_file',
    arguments: { path: 'a.ts' },
    kept: null,
    callId: 'x1',
  } as const;
  const foot = { model: 'a model', inputTokens: 1, outputTokens: 2, durationMs: 3, cost: null };
  journal.append([
    ...answer.ended([{ kind: 'text', text: 'Reading.' }, call], WHOLE, foot),
    batchReceived('b1'),
    ...started({ callId: 'x1', batchId: 'b1' }),
    settled('x1', { content: 'const a = `1`;\n```\nno fence ends\n' }),
  ]);
  record.beginAnswer(id, 'a model').end([{ kind: 'text', text: 'Half' }], { state: 'stopped', failure: null }, null);
  await record.addPersonMessage(id, text('Elsewhere'), first.id);
  record.showBranch(id, first.id);

  await exportTo(id, 'markdown', join(folder, 'out.md'));
  const markdown = readFileSync(join(folder, 'out.md'), 'utf8');
  for (const part of [
    '# Read it',
    '## You, ',
    '## a model, ',
    '### read\\_file: Read src/index.ts (COMPLETED)',
    'no fence ends',
    '*You stopped this answer.*',
  ])
    expect(markdown).toContain(part);
  expect(markdown).not.toContain('someone@example.com');
  expect(markdown).not.toContain('Elsewhere');
  await exportTo(id, 'json', join(folder, 'out.json'));
  const json = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as unknown;
  expect(json).toMatchObject({
    shown: [first.id, answer.messageId, expect.anything()],
    messages: [
      { by: 'person' },
      {
        by: 'assistant',
        blocks: [
          {},
          {
            name: 'read_file',
            recorded: { state: 'COMPLETED', outcome: 'success', result: expect.stringContaining('const a') as string },
          },
        ],
      },
      { end: { state: 'stopped' } },
      { parts: text('Elsewhere') },
    ],
  });
  expect(JSON.stringify(json)).not.toContain('someone@example.com');
  expect(statSync(join(folder, 'out.json')).mode & 0o777).toBe(0o600);
  await expect(exportTo('none', 'json', join(folder, 'none.json'))).rejects.toThrow('no such conversation');
  close();
});

it('the end of a long branch is read without the rest of it', async () => {
  const { record, messages, close } = openTestConversations();
  const { id } = record.begin(FOLDER, false);
  for (let n = 0; n < 3; n += 1) await record.addPersonMessage(id, text(`message ${n}`));
  const parse = vi.spyOn(JSON, 'parse');
  const [last, before] = record.newestFirst(id);
  expect(parse).toHaveBeenCalledTimes(2);
  expect([last, before]).toMatchObject([
    { said: { parts: [{ text: 'message 2' }] } },
    { said: { parts: [{ text: 'message 1' }] } },
  ]);
  // Not held open: what comes next is written.
  await record.addPersonMessage(id, text('and on'));
  expect(messages(id, 9, null).messages).toHaveLength(4);
  close();
});
