import { describe, expect, it } from 'vitest';
import {
  addCall,
  readCurrentBatch,
  draftStore,
  moveItem,
  removeCall,
  showAsText,
  takeBatch,
  addRecent,
} from './draft.js';

const call = (tool: string, given = {}) => ({ tool, arguments: given });
const tools = () => draftStore.getState().calls.map(({ tool }) => tool);

describe('a batch being composed', () => {
  it('grows, moves and shrinks', () => {
    takeBatch([]);
    for (const tool of ['a', 'b', 'c']) addCall(tool);
    expect(tools()).toEqual(['a', 'b', 'c']);
    const { calls } = draftStore.getState();
    const [first, , last] = calls.map(({ key }) => key);
    expect(moveItem(calls, first ?? '', 1).map(({ tool }) => tool)).toEqual(['b', 'a', 'c']);
    expect(moveItem(calls, first ?? '', -1)).toBe(calls);
    expect(moveItem(calls, last ?? '', 1)).toBe(calls);
    removeCall(first ?? '');
    expect(tools()).toEqual(['b', 'c']);
  });

  it('runs what is shown: the forms, or the text', () => {
    takeBatch([call('a', { x: 1 })]);
    expect(readCurrentBatch(draftStore.getState())).toEqual({ ok: true, value: [call('a', { x: 1 })] });
    showAsText();
    draftStore.setState({ text: '[{"tool":"b","arguments":{}}]' });
    expect(readCurrentBatch(draftStore.getState())).toEqual({ ok: true, value: [call('b')] });
    draftStore.setState({ text: 'nonsense' });
    expect(readCurrentBatch(draftStore.getState())).toMatchObject({ ok: false });
  });

  it('says which call can’t be read', () => {
    takeBatch([call('a'), call('b')]);
    draftStore.setState(({ calls }) => ({
      calls: calls.map((each) => (each.tool === 'b' ? { ...each, text: '{' } : each)),
    }));
    expect(readCurrentBatch(draftStore.getState())).toEqual({
      ok: false,
      message: 'Call 2 (b). Line 1, column 2: The text ends too early.',
    });
  });
});

it('keeps the latest batches, each once, and no huge ones', () => {
  const recent = addRecent(addRecent([], [call('a')], 1), [call('b')], 2);
  expect(addRecent(recent, [call('a')], 3).map(({ at }) => at)).toEqual([3, 2]);
  expect(addRecent(recent, [call('a', { x: 'x'.repeat(200_000) })], 4)).toBe(recent);
  let many = recent;
  for (let at = 0; at < 50; at += 1) many = addRecent(many, [call(`t${at}`)], at);
  expect(many).toHaveLength(12);
});
