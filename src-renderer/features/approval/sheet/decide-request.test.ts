import { describe, expect, it } from 'vitest';
import { approvalCall, approvalRequest } from './approval.test-support.js';
import { buildDecision } from './decide-request.js';
import { openSheet } from './sheet-state.js';

const command = (callId: string, text: string) =>
  approvalCall(callId, {
    tool: 'run_command',
    effect: { kind: 'command', command: text, findings: [], rule: { impossible: null, prefix: null, runs: null } },
  });
const request = approvalRequest('digest', [command('1', 'npm run build'), command('2', 'npm test'), approvalCall('3')]);
const state = openSheet(request);

describe('an answer', () => {
  it('quotes the digest and names calls, and nothing else', () => {
    expect(buildDecision(request, state, { kind: 'deny-all' })).toEqual({
      batchId: 'b',
      digest: 'digest',
      decision: { kind: 'deny-all' },
    });
  });

  it('gives reasons only to calls that are denied', () => {
    const told = {
      ...state,
      reason: ' no ',
      reasons: new Map([
        ['1', 'keep'],
        ['3', 'not there'],
        ['2', '  '],
      ]),
    };
    expect(buildDecision(request, told, { kind: 'approve-selected', callIds: ['1'] })).toMatchObject({
      reason: 'no',
      reasons: [{ callId: '3', reason: 'not there' }],
    });
  });

  it('allows the network to the calls that it was allowed to, as far as they are approved', () => {
    const ticked = { ...state, selected: new Set(['2']), network: new Map([['1', ['a.example']]]) };
    const given = [{ callId: '1', allowed: ['a.example'] }];
    expect(buildDecision(request, ticked, { kind: 'approve-all' }).network).toEqual(given);
    expect(buildDecision(request, ticked, { kind: 'approve-selected', callIds: ['2'] }).network).toBeUndefined();
    expect(buildDecision(request, ticked, { kind: 'approve-selected', callIds: ['2', '1'] }).network).toEqual(given);
    expect(buildDecision(request, ticked, { kind: 'deny-all' }).network).toBeUndefined();
    expect(buildDecision(request, state, { kind: 'approve-all' }).network).toBeUndefined();
    // Network access makes it High risk, and it was asked about again.
    expect(buildDecision(request, ticked, { kind: 'approve-all' }).highRisk).toEqual(['1']);
  });

  it('reveals secrets to the calls that it was said for, as far as they are approved', () => {
    const ticked = { ...state, selected: new Set(['2']), reveals: new Set(['1']) };
    expect(buildDecision(request, ticked, { kind: 'approve-all' }).reveals).toEqual(['1']);
    expect(buildDecision(request, ticked, { kind: 'approve-selected', callIds: ['2'] }).reveals).toBeUndefined();
    expect(buildDecision(request, ticked, { kind: 'deny-all' }).reveals).toBeUndefined();
  });

  it('names the calls of High risk where all are approved: they were asked about again', () => {
    const risky = approvalRequest('digest', [command('1', 'rm x'), approvalCall('2', { risk: 'high' })]);
    expect(buildDecision(risky, openSheet(risky), { kind: 'approve-all' }).highRisk).toEqual(['2']);
    const selected = { kind: 'approve-selected', callIds: ['2'] } as const;
    expect(buildDecision(risky, openSheet(risky), selected).highRisk).toBeUndefined();
  });

  it('says of a rule only which of what was offered', () => {
    const rule = { what: 'first-words', who: 'all', where: 'here', until: 'always' } as const;
    expect(buildDecision(request, state, { kind: 'approve-all' }, rule).rule).toEqual(rule);
    expect(buildDecision(request, state, { kind: 'approve-all' }).rule).toBeUndefined();
  });
});
