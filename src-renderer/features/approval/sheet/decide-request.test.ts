import { describe, expect, it } from 'vitest';
import { approvalCall, approvalRequest } from './approval.test-support.js';
import { decideRequest, rememberProblem } from './decide-request.js';
import { openSheet } from './sheet-state.js';

const command = (callId: string, text: string) =>
  approvalCall(callId, { tool: 'run_command', effect: { kind: 'command', command: text, findings: [] } });
const request = approvalRequest('digest', [command('1', 'npm run build'), command('2', 'npm test'), approvalCall('3')]);
const state = openSheet(request);

describe('an answer', () => {
  it('quotes the digest and names calls, and nothing else', () => {
    expect(decideRequest(request, state, { kind: 'deny-all' })).toEqual({
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
    expect(decideRequest(request, told, { kind: 'approve-selected', callIds: ['1'] })).toMatchObject({
      reason: 'no',
      reasons: [{ callId: '3', reason: 'not there' }],
    });
  });

  it('allows the network to the calls that it was allowed to, as far as they are approved', () => {
    const ticked = { ...state, selected: new Set(['2']), network: new Set(['1']) };
    expect(decideRequest(request, ticked, { kind: 'approve-all' }).network).toEqual(['1']);
    expect(decideRequest(request, ticked, { kind: 'approve-selected', callIds: ['2'] }).network).toBeUndefined();
    expect(decideRequest(request, ticked, { kind: 'approve-selected', callIds: ['2', '1'] }).network).toEqual(['1']);
    expect(decideRequest(request, ticked, { kind: 'deny-all' }).network).toBeUndefined();
    expect(decideRequest(request, state, { kind: 'approve-all' }).network).toBeUndefined();
  });

  it('never remembers the network', () => {
    const kept = { ...state, selected: new Set(['1']), network: new Set(['1']) };
    const { remember } = decideRequest(
      request,
      { ...kept, remember: { scope: 'always', prefix: null } },
      { kind: 'approve-all' },
    );
    expect(remember).toEqual({ callIds: ['1'], scope: 'always' });
  });

  it('remembers what is approved, never what is denied', () => {
    const kept = { ...state, remember: { scope: 'workspace', prefix: ' npm run ' } as const };
    expect(decideRequest(request, kept, { kind: 'approve-selected', callIds: ['1'] }).remember).toEqual({
      callIds: ['1'],
      scope: 'workspace',
      prefix: 'npm run',
    });
    const two = { ...kept, selected: new Set(['2']) };
    expect(decideRequest(request, two, { kind: 'approve-all' }).remember?.callIds).toEqual(['2']);
    expect(decideRequest(request, kept, { kind: 'deny-all' }).remember).toBeUndefined();
    expect(decideRequest(request, state, { kind: 'approve-all' }).remember).toBeUndefined();
  });
});

it('refuses a rule that the selected commands do not fall under', () => {
  const withPrefix = (prefix: string | null, selected: readonly string[]) =>
    rememberProblem(request, { ...state, selected: new Set(selected), remember: { scope: 'always', prefix } });
  expect(withPrefix('npm run', ['1'])).toBeNull();
  expect(withPrefix('npm run', ['1', '2'])).toContain('does not begin');
  expect(withPrefix('npm', ['1', '2', '3'])).toBeNull();
  expect(withPrefix('np', ['1'])).toContain('does not begin');
  expect(withPrefix(' ', ['1'])).toContain('Write the words');
  expect(withPrefix(null, ['1'])).toBeNull();
});
