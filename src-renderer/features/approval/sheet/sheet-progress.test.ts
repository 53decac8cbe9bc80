import { expect, it } from 'vitest';
import { approvalCall as call, approvalRequest as request } from './approval.test-support.js';
import { type SheetProgressByName, changeSheet, followSheets, nameSheet } from './sheet-progress.js';
import { openSheet, toggle } from './sheet-state.js';

const one = request('d1', [call('1'), call('2', { risk: 'high' })], 'one');
const other = request('d2', [call('9')], 'other');
const both = [one, other];
const none: SheetProgressByName = new Map();
const stateOf = (begun: SheetProgressByName, of: typeof one) => begun.get(nameSheet(of))?.state;

/** Ticks and writes a reason on the first, then shows the other. */
const begun = changeSheet(followSheets(none, both, one, null), nameSheet(one), (state) => ({
  ...toggle(state, '2'),
  reason: 'not in there',
  edit: { callId: '1', text: '{"path": "half', contents: new Map([['a.txt', 'half']]) },
}));
const away = followSheets(begun, both, other, null);

it('a look at another sheet forgets nothing of the first, and brings nothing to the other', () => {
  expect(stateOf(away, other)).toEqual(openSheet(other));
  expect(stateOf(followSheets(away, both, one, null), one)).toMatchObject({
    selected: new Set(['1', '2']),
    reason: 'not in there',
    edit: { callId: '1', text: '{"path": "half', contents: new Map([['a.txt', 'half']]) },
  });
});

it('an edit of a call that was taken back is forgotten with it', () => {
  const after = { ...one, digest: 'd3', calls: one.calls.slice(1) };
  expect(stateOf(followSheets(away, [after, other], after, null), one)?.edit).toBeNull();
});

it('what changed meanwhile is no longer ticked', () => {
  const after = { ...one, digest: 'd3', calls: [call('1', { summary: 'Write elsewhere' }), ...one.calls.slice(1)] };
  const back = stateOf(followSheets(away, [after, other], after, null), one);
  expect(back).toMatchObject({ selected: new Set(['2']), reason: 'not in there' });
  expect(back?.note).toContain('1 call changed');
});

it('what is decided is forgotten: the next one of the same asker begins anew', () => {
  const next = { ...one, drawing: 2, digest: 'd9' };
  expect(stateOf(followSheets(away, [next, other], next, null), next)).toEqual(openSheet(next));
  expect([...followSheets(away, [other], other, null).keys()]).toEqual([nameSheet(other)]);
  expect(followSheets(away, both, other, null), 'nothing changed').toBe(away);
});

it('forgets everything when another takes its place, of the same asker too', () => {
  expect(followSheets(begun, [other], other, null)).toEqual(followSheets(none, [other], other, null));
  const next = { ...one, drawing: 2, digest: 'd9' };
  expect(followSheets(begun, [next], next, null)).toEqual(followSheets(none, [next], next, null));
});
