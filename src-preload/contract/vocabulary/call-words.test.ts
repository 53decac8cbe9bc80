import { describe, expect, it } from 'vitest';
import { askerWord, askerWords, AWAITING_WORDS, CANCELLED_REASONS, callWord, exitCodeReason } from './call-words.js';

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
      expect(callWord({ ...settled, awaiting })).toBe(AWAITING_WORDS[awaiting].person);
  });

  it('says why a call waits that was decided', () => {
    expect(callWord({ ...settled, reason: 'Waiting: 8 calls are running' })).toBe('Waiting: 8 calls are running');
    expect(callWord(settled)).toBe('Pending');
  });

  it('tells a call that ran out of time or was cut off from one that failed', () => {
    const failed = { ...settled, display: 'failed', outcome: 'error' } as const;
    expect(callWord({ ...failed, code: 'OutputInvalid' })).toBe('Failed');
    expect(callWord({ ...failed, code: 'Timeout', outcome: 'timeout' })).toBe('Timed out');
    expect(callWord({ ...failed, code: 'Interrupted', outcome: 'interrupted' })).toBe('Interrupted');
  });

  it('gives the exit code of a command, and of nothing else', () => {
    const failed = { ...settled, display: 'failed', outcome: 'error', code: 'ExecutionFailed' } as const;
    expect(callWord({ ...failed, reason: exitCodeReason(127) })).toBe('Failed, exit code 127');
    expect(callWord({ ...failed, reason: `${exitCodeReason(6)}. It had no network` })).toBe('Failed, exit code 6');
    expect(callWord({ ...failed, reason: 'The command could not be started' })).toBe('Failed');
    expect(callWord({ ...failed, nature: 'remote', reason: exitCodeReason(1) })).toBe('Failed');
  });

  it('says who ended or denied it', () => {
    const cancelled = { ...settled, display: 'cancelled', outcome: 'cancelled', code: 'Cancelled' } as const;
    const byCaller = { ...cancelled, reason: CANCELLED_REASONS.caller };
    expect(callWord({ ...cancelled, reason: CANCELLED_REASONS.person })).toBe('Stopped by you');
    expect(callWord(byCaller)).toBe('Cancelled by codex 1');
    expect(callWord({ ...byCaller, client: null, agent: 'builder' })).toBe('Cancelled by builder');
    expect(callWord({ ...byCaller, client: null })).toBe('Cancelled by the agent');
    expect(callWord({ ...byCaller, door: 'conversation' })).toBe('Stopped by you');
    const denied = { ...settled, display: 'denied', outcome: 'denied' } as const;
    expect(callWord({ ...denied, code: 'DeniedByPerson' })).toBe('Denied by you');
    expect(callWord({ ...denied, code: 'Denylisted' })).toBe('Denied');
    expect(callWord({ ...settled, display: 'completed', outcome: 'success' })).toBe('Completed');
  });
});

describe('who asked', () => {
  it('says for whom, where they said so', () => {
    const call = { door: 'gateway', client: null, agent: 'builder' } as const;
    expect(askerWord({ ...call, tenant: 'acme', user: 'ada' })).toBe('builder, for ada at acme · HTTP');
    expect(askerWord({ ...call, agent: null, tenant: null, user: 'ada' })).toBe('for ada · HTTP');
    expect(askerWord({ ...call, agent: null, tenant: null, user: null })).toBe('HTTP');
    expect(askerWords('gateway', null, 'builder', { tenant: 'acme', user: null })).toBe('builder via HTTP, for acme');
  });

  it('names an agent by its token, and what its client says as what it says', () => {
    expect(askerWords('mcp', 'Claude Code 2.1', null)).toBe('Claude Code 2.1 via MCP');
    expect(askerWords('mcp', 'Claude Code 2.1', 'builder')).toBe('builder (calls itself Claude Code 2.1) via MCP');
    expect(askerWords('gateway', null, 'builder')).toBe('builder via HTTP');
    expect(askerWords('mcp', null, null)).toBe('An MCP client');
    expect(askerWords('gateway', null, null)).toBe('A program via HTTP');
  });

  it('is the door alone where nobody said a name', () => {
    expect(askerWord({ door: 'window', client: null, agent: null })).toBe('You');
    expect(askerWord({ door: 'mcp', client: 'codex 1', agent: null })).toBe('codex 1 · MCP');
    expect(askerWord({ door: 'mcp', client: 'codex 1', agent: 'builder' })).toBe('builder · MCP');
  });
});
