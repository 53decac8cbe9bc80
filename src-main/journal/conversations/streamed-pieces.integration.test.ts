import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { JOURNAL_FILE } from '../opening/connection.js';
import { testFolder } from '../writing/journal.test-support.js';
import { openTestConversations, text, WHOLE } from './conversations.test-support.js';

interface Row {
  readonly block: number;
  readonly piece: number;
  readonly kind: string;
  readonly requestId: string | null;
  readonly text: string;
}

/** An answer in progress, and what somebody else can read of it; time goes by hand. */
async function begun() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let now = 0;
  const folder = testFolder();
  const open = openTestConversations(folder, { clock: { now: () => 1_800_000_000_000, monotonic: () => now } });
  const looked = vi.spyOn(open.redactor, 'text').mock.calls;
  const { id } = open.record.begin('/w', false);
  await open.record.addPersonMessage(id, text('go'));
  const answer = open.record.beginAnswer(id, 'm');
  const reader = new Database(join(folder, JOURNAL_FILE), { readonly: true });
  const rows = reader.prepare<[], Row>(
    'SELECT block, piece, kind, requestId, text FROM streamed ORDER BY block, piece',
  );
  const pass = (ms: number): void => {
    now += ms;
    vi.advanceTimersByTime(ms);
  };
  const close = (): void => {
    vi.useRealTimers();
    reader.close();
    open.close();
  };
  return { ...open, id, answer, looked, rows: () => rows.all(), pass, close };
}

describe('FR-RES-04a: what a model writes', () => {
  it('is there at once when it begins, and at most 50 ms after it came from then on', async () => {
    const { answer, rows, pass, close } = await begun();
    answer.text(0, 'text', 'One ');
    pass(0);
    expect(rows()).toMatchObject([{ text: 'One ' }]);
    for (const word of ['two ', 'three ', 'four ']) {
      pass(16);
      answer.text(0, 'text', word);
    }
    expect(rows()).toMatchObject([{ text: 'One ' }]);
    pass(2);
    expect(rows()).toMatchObject([{ text: 'One two three four ' }]);
    answer.callBegan(1, 'c1', 'read_file');
    pass(50);
    expect(rows()[1], 'a call from the moment its block began').toMatchObject({
      kind: 'call',
      requestId: 'c1',
      text: '',
    });
    close();
  });

  it('is kept in pieces of at most 64 KiB, of which only those that grew are written again', async () => {
    const { answer, rows, pass, close } = await begun();
    answer.callBegan(0, 'c1', 'write_file');
    const written = '💡é'.repeat(200_000);
    for (let at = 0; at < written.length; at += 30_011) {
      answer.callArguments(0, written.slice(at, at + 30_011));
      pass(50);
    }
    const found = rows();
    expect(found.length).toBeGreaterThan(15);
    expect(found.map(({ text: piece }) => piece).join('')).toBe(written);
    for (const { text: piece } of found) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(65_536);
    close();
  });

  it('is not cut within what looks like a secret', async () => {
    const { answer, rows, pass, close } = await begun();
    const secret = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('');
    const before = 'word '.repeat(3_275);
    expect(before.length).toBeLessThan(16_384);
    answer.text(0, 'text', `${before}${secret} and on`);
    pass(50);
    expect(rows()).toHaveLength(2);
    expect(rows()[1]?.text).toBe('[redacted] and on');
    close();
  });

  it('is looked through once: of many calls only what was added to', async () => {
    const { answer, looked, rows, pass, close } = await begun();
    for (let block = 0; block < 100; block += 1) answer.callBegan(block, `c${block}`, 'read_file');
    pass(50);
    expect(rows()).toHaveLength(100);
    looked.length = 0;
    answer.callArguments(7, '{"path":');
    answer.callArguments(93, '{"path":');
    pass(50);
    expect(looked).toEqual([['{"path":'], ['{"path":']]);
    expect(rows().filter(({ text: piece }) => piece !== '')).toMatchObject([{ block: 7 }, { block: 93 }]);
    close();
  });

  it('of a lot at once is looked through a part at a time', async () => {
    const { answer, looked, rows, pass, close } = await begun();
    const written = 'word '.repeat(3_000);
    for (let block = 0; block < 40; block += 1) answer.text(block, 'text', written);
    const turns: number[] = [];
    for (let turn = 0, before = 0; turn < 12; turn += 1, before = looked.length) {
      pass(turn === 0 ? 0 : 1);
      turns.push(looked.slice(before).reduce((sum, [each]) => sum + each.length, 0));
    }
    expect(turns.filter((length) => length > 0).length).toBeGreaterThan(5);
    expect(Math.max(...turns)).toBeLessThanOrEqual(65_536 + 16_384);
    expect(rows().map(({ text: piece }) => piece)).toEqual(Array.from({ length: 40 }, () => written));
    close();
  });

  it('keeps no secret in a name or an id', async () => {
    const { record, answer, rows, pass, close } = await begun();
    const secret = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'].join('');
    answer.callBegan(0, secret, secret);
    pass(0);
    expect(rows()).toMatchObject([{ requestId: '[redacted]' }]);
    expect(JSON.stringify(record.view(answer.messageId))).not.toContain(secret);
    close();
  });

  it('is gone when the answer ends, and nothing that came late brings it back', async () => {
    const { record, answer, rows, pass, close } = await begun();
    answer.text(0, 'text', 'So ');
    pass(0);
    answer.text(0, 'text', 'far');
    expect(record.view(answer.messageId)).toMatchObject({ state: 'streaming', blocks: [{ text: 'So far' }] });
    answer.end([{ kind: 'text', text: 'So far' }], WHOLE, null);
    expect(rows()).toEqual([]);
    answer.text(0, 'text', ' and late');
    pass(100);
    expect(rows()).toEqual([]);
    expect(() => answer.end([], WHOLE, null)).toThrow('can’t end again');
    close();
  });
});
