import { describe, expect, it } from 'vitest';
import {
  labelAsker,
  describeAsker,
  AWAITING_WORDS,
  CANCELLED_REASONS,
  describeCallStatus,
  formatExitCodeReason,
} from './call-labels.js';

const settled = {
  agent: null,
  awaiting: null,
  client: 'codex 1',
  code: null,
  display: 'pending',
  door: 'mcp',
  nature: 'command',
  outcome: null,
  reason: null,
} as const;

describe('how a call stands', () => {
  it('says what it waits for before anything else, in the same words wherever it is shown', () => {
    for (const awaiting of ['decision', 'result'] as const)
      expect(describeCallStatus({ ...settled, awaiting })).toBe(AWAITING_WORDS[awaiting].person);
  });

  it('says why a call waits that was decided', () => {
    expect(describeCallStatus({ ...settled, reason: 'Waiting: 8 calls are running' })).toBe(
      'Waiting: 8 calls are running',
    );
    expect(describeCallStatus(settled)).toBe('Pending');
  });

  it('tells a call that ran out of time or was cut off from one that failed', () => {
    const failed = { ...settled, display: 'failed', outcome: 'error' } as const;
    expect(describeCallStatus({ ...failed, code: 'OutputInvalid' })).toBe('Failed');
    expect(describeCallStatus({ ...failed, code: 'Timeout', outcome: 'timeout' })).toBe('Timed out');
    expect(describeCallStatus({ ...failed, code: 'Interrupted', outcome: 'interrupted' })).toBe('Interrupted');
  });

  it('gives the exit code of a command, and of nothing else', () => {
    const failed = { ...settled, display: 'failed', outcome: 'error', code: 'ExecutionFailed' } as const;
    expect(describeCallStatus({ ...failed, reason: formatExitCodeReason(127) })).toBe('Failed, exit code 127');
    expect(describeCallStatus({ ...failed, reason: `${formatExitCodeReason(6)}. It had no network` })).toBe(
      'Failed, exit code 6',
    );
    expect(describeCallStatus({ ...failed, reason: 'The command could not be started' })).toBe('Failed');
    expect(describeCallStatus({ ...failed, nature: 'remote', reason: formatExitCodeReason(1) })).toBe('Failed');
  });

  it('says who ended or denied it', () => {
    const cancelled = { ...settled, display: 'cancelled', outcome: 'cancelled', code: 'Cancelled' } as const;
    const byCaller = { ...cancelled, reason: CANCELLED_REASONS.caller };
    expect(describeCallStatus({ ...cancelled, reason: CANCELLED_REASONS.person })).toBe('Stopped by you');
    expect(describeCallStatus(byCaller)).toBe('Cancelled by codex 1');
    expect(describeCallStatus({ ...byCaller, client: null, agent: 'builder' })).toBe('Cancelled by builder');
    expect(describeCallStatus({ ...byCaller, client: null })).toBe('Cancelled by the agent');
    expect(describeCallStatus({ ...byCaller, door: 'conversation' })).toBe('Stopped by you');
    const denied = { ...settled, display: 'denied', outcome: 'denied' } as const;
    expect(describeCallStatus({ ...denied, code: 'DeniedByPerson' })).toBe('Denied by you');
    expect(describeCallStatus({ ...denied, code: 'Denylisted' })).toBe('Denied');
    expect(describeCallStatus({ ...settled, display: 'completed', outcome: 'success' })).toBe('Completed');
  });
});

describe('who asked', () => {
  it('says for whom, where they said so', () => {
    const call = { door: 'gateway', client: null, agent: 'builder' } as const;
    expect(labelAsker({ ...call, tenant: 'acme', user: 'ada' })).toBe('builder, for ada at acme · HTTP');
    expect(labelAsker({ ...call, agent: null, tenant: null, user: 'ada' })).toBe('for ada · HTTP');
    expect(labelAsker({ ...call, agent: null, tenant: null, user: null })).toBe('HTTP');
    expect(describeAsker('gateway', null, 'builder', { tenant: 'acme', user: null })).toBe(
      'builder via HTTP, for acme',
    );
  });

  it('names an agent by its token, and what its client says as what it says', () => {
    expect(describeAsker('mcp', 'Claude Code 2.1', null)).toBe('Claude Code 2.1 via MCP');
    expect(describeAsker('mcp', 'Claude Code 2.1', 'builder')).toBe('builder (calls itself Claude Code 2.1) via MCP');
    expect(describeAsker('gateway', null, 'builder')).toBe('builder via HTTP');
    expect(describeAsker('mcp', null, null)).toBe('An MCP client');
    expect(describeAsker('gateway', null, null)).toBe('A program via HTTP');
  });

  it('is the door alone where nobody said a name', () => {
    expect(labelAsker({ door: 'window', client: null, agent: null })).toBe('You');
    expect(labelAsker({ door: 'mcp', client: 'codex 1', agent: null })).toBe('codex 1 · MCP');
    expect(labelAsker({ door: 'mcp', client: 'codex 1', agent: 'builder' })).toBe('builder · MCP');
  });
});
