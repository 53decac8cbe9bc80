import { describe, expect, it } from 'vitest';
import { NO_NETWORK } from '#contract/vocabulary/network.js';
import { approvalCall as call, approvalRequest as request } from './approval.test-support.js';
import { allowNetwork, moveFocus, openSheet, refreshSheet, currentRisk, toggle } from './sheet-state.js';

describe('a sheet', () => {
  const first = request('d1', [call('1'), call('2', { risk: 'high' }), call('3', { risk: 'low' })]);

  it('selects everything at first but what is of high risk', () => {
    expect([...openSheet(first).selected]).toEqual(['1', '3']);
  });

  it('moves within its calls', () => {
    const state = openSheet(first);
    expect(moveFocus(state, first, 'previous').focused).toBe('1');
    expect(moveFocus(moveFocus(state, first, 'last'), first, 'next').focused).toBe('3');
    expect(moveFocus(state, first, 'next').focused).toBe('2');
  });

  it('keeps what was decided when it is refreshed, but for what changed', () => {
    const decided = toggle({ ...openSheet(first), reason: 'not now', focused: '3' }, '2');
    const after = request('d2', [call('1', { summary: 'Write elsewhere' }), ...first.calls.slice(1), call('4')]);
    const refreshed = refreshSheet(decided, first, after, null);
    expect([...refreshed.selected]).toEqual(['2', '3']);
    expect(refreshed).toMatchObject({ digest: 'd2', reason: 'not now', focused: '3' });
    expect(refreshed.note).toContain('1 call changed');
  });

  it('selects nothing that joins: it was not there when the others were', () => {
    const after = request('d2', [...first.calls, call('4'), call('5', { risk: 'high' })]);
    expect(refreshSheet(openSheet(first), first, after, null)).toMatchObject({
      selected: new Set(['1', '3']),
      note: null,
    });
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
      effect: {
        kind: 'command',
        command: 'curl x',
        findings: [],
        rule: { impossible: null, prefix: null, runs: null },
      },
      network: { hosts: ['a.example', 'b.example'], others: false, bySettings: NO_NETWORK },
    } as const;
    const [one, two] = [call('1', offered), call('2', offered)];
    const both = request('d1', [one, two]);
    const allowed = allowNetwork(openSheet(both), one, ['a.example']);

    it('is allowed to none at first, and selecting or choosing allows nothing', () => {
      expect(openSheet(both).network.size).toBe(0);
      expect(toggle(toggle(openSheet(both), '1'), '1').network.size).toBe(0);
      expect(moveFocus(openSheet(both), both, 'last').network.size).toBe(0);
    });

    it('is allowed call by call, and selects nothing', () => {
      const high = call('1', { ...offered, risk: 'high' });
      const opened = openSheet(request('d1', [high]));
      expect(allowNetwork(opened, high, 'any')).toMatchObject({
        network: new Map([['1', 'any']]),
        selected: new Set(),
      });
      expect([...allowed.network]).toEqual([['1', ['a.example']]]);
      expect(allowNetwork(allowed, one, []).network.size).toBe(0);
    });

    it('makes it of High risk: what was selected before is selected only by hand', () => {
      expect(currentRisk(openSheet(both), one)).toBe('medium');
      expect([currentRisk(allowed, one), currentRisk(allowed, two)]).toEqual(['high', 'medium']);
      expect([...allowed.selected]).toEqual(['2']);
      const byHand = toggle(allowed, '1');
      expect([...allowNetwork(byHand, one, 'any').selected]).toEqual(['2', '1']);
      expect([...allowNetwork(byHand, one, []).selected]).toEqual(['2', '1']);
    });

    it('stays where the call stays the same', () => {
      const joined = request('d2', [...both.calls, call('3', offered)]);
      expect([...refreshSheet(allowed, both, joined, null).network.keys()]).toEqual(['1']);
    });

    it('is lost with the person’s own edit, a change from elsewhere, and the offer', () => {
      const edited = request('d2', [call('1', { ...offered, summary: 'Run other' }), call('2', offered)]);
      expect(refreshSheet(allowed, both, edited, '1').network.size).toBe(0);
      expect(refreshSheet(allowed, both, edited, null).network.size).toBe(0);
      const other = { hosts: ['c.example'], others: false, bySettings: NO_NETWORK };
      for (const network of [null, other]) {
        const unoffered = request('d3', [call('1', { ...offered, network }), call('2', offered)]);
        expect(refreshSheet(allowed, both, unoffered, null).network.size).toBe(0);
      }
      expect(refreshSheet(allowed, both, request('d4', [call('2', offered)]), null).network.size).toBe(0);
    });
  });
});
