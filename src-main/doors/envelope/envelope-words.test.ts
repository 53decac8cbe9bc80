import { describe, expect, it } from 'vitest';
import { CODE_MEANINGS, type Failure, type FailureCode } from '#contract/vocabulary/outcomes.js';
import { failedExecution } from './envelope.js';
import { ENVELOPE_WORDS } from './envelope-words.js';
import { findNearestName } from './nearest-name.js';

const SAID: Readonly<Record<string, readonly FailureCode[]>> = {
  'failure ValidationError': ['BadArgs', 'OutputInvalid', 'DuplicateToolCallId'],
  'failure NotFoundError': ['UnknownTool'],
  'failure SecurityError': [
    ...(['Disabled', 'Denylisted', 'PathOutsideSandbox', 'DeniedPatternMatched', 'SandboxViolation'] as const),
    ...(['DeniedByPerson', 'NoDecision', 'ToolChanged', 'NotPermitted'] as const),
  ],
  'failure ResourceError': ['LimitsExceeded', 'RateLimited', 'ResourceExhausted'],
  'failure ExecutionError': ['ExecutionFailed', 'PatchFailed', 'StaleFile', 'SourceUnavailable', 'CircuitOpen'],
  'failure SystemError': ['Interrupted', 'Internal', 'StateError', 'JournalUnavailable'],
  'timeout TimeoutError': ['Timeout'],
  'cancelled none': ['Cancelled'],
};

describe('seed 001’s words', () => {
  it('are there for every outcome, each with something that the caller can do', () => {
    expect(Object.values(SAID).flat().sort()).toEqual(Object.keys(CODE_MEANINGS).sort());
    for (const [words, codes] of Object.entries(SAID))
      for (const code of codes) {
        const failure = { code, message: 'why' } as Failure;
        const { suggestion } = ENVELOPE_WORDS[code];
        const { status, error } = failedExecution(failure, { parameter: null, suggestion, callId: 'c' });
        expect([code, `${status} ${error?.code ?? 'none'}`]).toEqual([code, words]);
        expect(suggestion).not.toBe('');
        if (error !== undefined) expect(error.details).toMatchObject({ code, reason: 'why', suggestion, call_id: 'c' });
      }
  });

  it('find the nearest name, and none where nothing is like it', () => {
    expect(findNearestName('calculator.ad', ['calculator.add', 'calendar.add', 'other.tool'])).toBe('calculator.add');
    expect(findNearestName('zzzzzz', ['calculator.add'])).toBeNull();
    expect(findNearestName('x', [])).toBeNull();
  });
});
