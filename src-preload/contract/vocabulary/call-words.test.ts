import { describe, expect, it } from 'vitest';
import { askerWord, askerWords, AWAITING_WORDS, callWord, callWordWithCode } from './call-words.js';

const settled = { awaiting: null, code: null, outcome: null, display: 'pending', state: 'VALIDATED' } as const;

describe('how a call stands', () => {
  it('says what it waits for before anything else, in the same words wherever it is shown', () => {
    for (const awaiting of ['decision', 'result'] as const) {
      expect(callWord({ ...settled, awaiting })).toBe(AWAITING_WORDS[awaiting].person);
      expect(callWordWithCode({ ...settled, awaiting })).toBe(AWAITING_WORDS[awaiting].person);
    }
  });

  it('tells a call that ran out of time or was cut off from one that failed', () => {
    const failed = { ...settled, display: 'failed', state: 'ABORTED', outcome: 'error' } as const;
    expect(callWord({ ...failed, code: 'ExecutionFailed' })).toBe('Failed');
    expect(callWord({ ...failed, code: 'Timeout', outcome: 'timeout' })).toBe('Timed out');
    expect(callWord({ ...failed, code: 'Interrupted', outcome: 'interrupted' })).toBe('Interrupted');
  });

  it('gives a list the state it is filtered by, and the code', () => {
    expect(callWordWithCode({ ...settled, state: 'COMPLETED', display: 'completed', outcome: 'success' })).toBe(
      'Completed',
    );
    expect(
      callWordWithCode({
        ...settled,
        state: 'DENIED',
        display: 'denied',
        outcome: 'denied',
        code: 'DeniedByPerson',
      }),
    ).toBe('Denied (DeniedByPerson)');
  });
});

describe('who asked', () => {
  it('names an agent by its token, and what its client says as what it says', () => {
    expect(askerWords('mcp', 'Claude Code 2.1', null)).toBe('Claude Code 2.1 via MCP');
    expect(askerWords('mcp', 'Claude Code 2.1', 'builder')).toBe('builder (calls itself Claude Code 2.1) via MCP');
    expect(askerWords('gateway', null, 'builder')).toBe('builder via the gateway');
    expect(askerWords('mcp', null, null)).toBe('An MCP client');
  });

  it('is the door alone where nobody said a name', () => {
    expect(askerWord({ door: 'window', client: null })).toBe('By yourself');
    expect(askerWord({ door: 'mcp', client: 'codex 1' })).toBe('codex 1 · MCP');
  });
});
