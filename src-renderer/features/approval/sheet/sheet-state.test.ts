import { describe, expect, it } from 'vitest';
import { approvalCall as call, approvalRequest as request } from './approval.test-support.js';
import { move, openSheet, refreshSheet, toggle, toggleNetwork } from './sheet-state.js';

describe('a sheet', () => {
  const first = request('d1', [call('1'), call('2', { risk: 'high' }), call('3', { risk: 'low' })]);

  it('selects everything at first but what is of high risk', () => {
    expect([...openSheet(first).selected]).toEqual(['1', '3']);
  });

  it('moves within its calls', () => {
    const state = openSheet(first);
    expect(move(state, first, 'previous').focused).toBe('1');
    expect(move(move(state, first, 'last'), first, 'next').focused).toBe('3');
    expect(move(state, first, 'next').focused).toBe('2');
  });

  it('keeps what was decided when it is refreshed, but for what changed', () => {
    const decided = toggle({ ...openSheet(first), reason: 'not now', focused: '3' }, '2');
    const after = request('d2', [call('1', { summary: 'Write elsewhere' }), ...first.calls.slice(1), call('4')]);
    const refreshed = refreshSheet(decided, first, after, null);
    expect([...refreshed.selected]).toEqual(['2', '3', '4']);
    expect(refreshed).toMatchObject({ digest: 'd2', reason: 'not now', focused: '3' });
    expect(refreshed.note).toContain('One call changed');
    expect(refreshed.note).toContain('One more call was asked for');
  });

  it('selects what joins as at first, and says that it came', () => {
    const after = request('d2', [...first.calls, call('4'), call('5', { risk: 'high' })]);
    const refreshed = refreshSheet(openSheet(first), first, after, null);
    expect([...refreshed.selected]).toEqual(['1', '3', '4']);
    expect(refreshed.note).toBe('2 more calls were asked for.');
  });

  it('treats an edit of the person as new: selected again, unless it became high risk', () => {
    const state = openSheet(first);
    const edited = request('d2', [call('1', { summary: 'Write elsewhere' }), ...first.calls.slice(1)]);
    expect(refreshSheet(state, first, edited, '1')).toMatchObject({ selected: new Set(['1', '3']), note: null });
    const riskier = request('d3', [call('1', { risk: 'high' }), ...first.calls.slice(1)]);
    expect([...refreshSheet(state, first, riskier, '1').selected]).toEqual(['3']);
  });

  describe('the network for one call', () => {
    const offered = {
      effect: { kind: 'command', command: 'curl x', findings: [] },
      confinementWithNetwork: 'w',
    } as const;
    const both = request('d1', [call('1', offered), call('2', offered)]);
    const allowed = toggleNetwork(openSheet(both), '1');

    it('is allowed to none at first, and selecting or choosing allows nothing', () => {
      expect(openSheet(both).network.size).toBe(0);
      expect(toggle(toggle(openSheet(both), '1'), '1').network.size).toBe(0);
      expect(move(openSheet(both), both, 'last').network.size).toBe(0);
    });

    it('is allowed call by call, and selects nothing', () => {
      const high = request('d1', [call('1', { ...offered, risk: 'high' })]);
      expect(toggleNetwork(openSheet(high), '1')).toMatchObject({ network: new Set(['1']), selected: new Set() });
      expect([...allowed.network]).toEqual(['1']);
      expect(toggleNetwork(allowed, '1').network.size).toBe(0);
    });

    it('stays where the call stays the same', () => {
      const joined = request('d2', [...both.calls, call('3', offered)]);
      expect([...refreshSheet(allowed, both, joined, null).network]).toEqual(['1']);
    });

    it('is lost with the person’s own edit, a change from elsewhere, and the offer', () => {
      const edited = request('d2', [call('1', { ...offered, summary: 'Run other' }), call('2', offered)]);
      expect(refreshSheet(allowed, both, edited, '1').network.size).toBe(0);
      expect(refreshSheet(allowed, both, edited, null).network.size).toBe(0);
      const unoffered = request('d3', [call('1', { ...offered, confinementWithNetwork: null }), call('2', offered)]);
      expect(refreshSheet(allowed, both, unoffered, null).network.size).toBe(0);
      expect(refreshSheet(allowed, both, request('d4', [call('2', offered)]), null).network.size).toBe(0);
    });
  });

  it('forgets everything when another batch takes its place', () => {
    const other = request('d9', [call('9')], 'other');
    expect(refreshSheet({ ...openSheet(first), reason: 'no' }, first, other, null)).toEqual(openSheet(other));
  });
});
