import { expect, test, vi } from 'vitest';
import { CHANNEL_NAMES, CHANNELS, MAX_MESSAGE_BYTES } from '#contract/window/channels.js';
import { Border, type Handlers } from './border.js';

/** Handlers that say which request they got. */
function border(overrides: Partial<Handlers> = {}) {
  const report = vi.fn();
  const handlers = Object.fromEntries(
    CHANNEL_NAMES.map((name) => [name, vi.fn(async (request: unknown) => ({ ok: true, value: { name, request } }))]),
  );
  return { border: new Border({ ...handlers, ...overrides } as unknown as Handlers, report), report, handlers };
}

test('A valid request reaches its handler as it was sent', async () => {
  const { border: it } = border();
  expect(await it.answer('calls.get', '{"callId":"7"}', false)).toEqual({
    ok: true,
    value: { name: 'calls.get', request: { callId: '7' } },
  });
});

test.each([
  ['an unknown channel', 'app.nothing', '{}'],
  ['a name that objects inherit', 'constructor', '{}'],
  ['the prototype', '__proto__', '{}'],
  ['a name that is no text', 5, '{}'],
  ['a request that is no text', 'app.snapshot', {}],
  ['text that is no JSON', 'app.snapshot', '{'],
  ['nothing', 'app.snapshot', ''],
  ['an extra field', 'calls.get', '{"callId":"7","more":1}'],
  ['a missing field', 'calls.get', '{}'],
  ['an inherited stand-in for a field', 'calls.get', '{"__proto__":{"callId":"7"}}'],
  [
    'a prototype key deep inside',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"deny-all","__proto__":1}}',
  ],
  [
    'a network grant that is no list',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"approve-all"},"network":"c"}',
  ],
  [
    'a network grant for everything',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"approve-all"},"network":true}',
  ],
  [
    'a network grant that names no id',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"approve-all"},"network":[""]}',
  ],
  [
    'a network grant of something else than ids',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"approve-all"},"network":[{"callId":"c","host":"example.com"}]}',
  ],
  [
    'a network grant by an id too long for one',
    'approvals.decide',
    `{"batchId":"b","digest":"d","decision":{"kind":"approve-all"},"network":["${'x'.repeat(201)}"]}`,
  ],
  [
    'a network grant inside the decision',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"approve-selected","callIds":["c"],"network":["c"]}}',
  ],
  [
    'a network grant in what is remembered',
    'approvals.decide',
    '{"batchId":"b","digest":"d","decision":{"kind":"approve-all"},"remember":{"callIds":["c"],"scope":"session","network":["c"]}}',
  ],
  [
    'a network grant with a call’s edit',
    'approvals.edit',
    '{"batchId":"b","callId":"c","digest":"d","arguments":"{}","network":["c"]}',
  ],
  ['a network grant with what Compose asks', 'compose.run', '{"calls":[{"tool":"t","arguments":"{}","network":true}]}'],
  ['a wrong type', 'calls.list', '{"limit":"5"}'],
  ['a number out of range', 'calls.list', '{"limit":501}'],
  ['an empty id', 'calls.get', '{"callId":""}'],
  ['a list as request', 'app.snapshot', '[]'],
  ['null as request', 'app.snapshot', 'null'],
])('Refuses %s before any handler sees it', async (_what, name, json) => {
  const { border: it, handlers } = border();
  expect(await it.answer(name, json, true)).toMatchObject({ ok: false, error: { code: 'bad-request' } });
  for (const handler of Object.values(handlers)) expect(handler).not.toHaveBeenCalled();
});

test('A message past the limit is refused by its bytes, not its characters', async () => {
  const { border: it } = border();
  const wide = JSON.stringify({ text: '€'.repeat(MAX_MESSAGE_BYTES / 3) });
  expect(wide.length).toBeLessThan(MAX_MESSAGE_BYTES);
  expect(await it.answer('app.copyText', wide, true)).toMatchObject({ ok: false, error: { code: 'bad-request' } });
  expect(await it.answer('app.copyText', 'x'.repeat(10 * 1024 * 1024), true)).toMatchObject({ ok: false });
});

test('What a handler throws, at once or later, stays inside: the window learns nothing of it', async () => {
  const secret = new Error('at /home/someone/secret.ts');
  const { border: it, report } = border({
    'audit.verify': () => {
      throw secret;
    },
    'tools.list': async () => await Promise.reject(secret),
  });
  for (const name of ['audit.verify', 'tools.list']) {
    const answer = await it.answer(name, '{}', true);
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(report).toHaveBeenCalledWith(name, secret);
  }
});

test.each(CHANNEL_NAMES.filter((name) => CHANNELS[name].byHand))(
  'Without a key or click of the person, %s is refused',
  async (name) => {
    const { border: it, handlers } = border();
    expect(await it.answer(name, '{}', false)).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(handlers[name]).not.toHaveBeenCalled();
  },
);

test('What decides, loosens or acts for the person takes their hand', () => {
  expect(CHANNEL_NAMES.filter((name) => CHANNELS[name].byHand)).toEqual(
    expect.arrayContaining(['approvals.decide', 'compose.run', 'settings.set', 'tools.setPolicy', 'undo.apply']),
  );
  expect(CHANNELS['approvals.denyOne'].byHand).toBe(false);
  expect(CHANNELS['calls.stop'].byHand).toBe(false);
});
