import { describe, expect, it } from 'vitest';
import { CODE_MEANINGS, type Failure, type FailureCode } from '#contract/vocabulary/outcomes.js';
import { type FailedCallFacts, inToolWords, TOOL_WORDS } from './outcome-words.js';

const end = (code: FailureCode, more: Partial<Failure> = {}, of: Partial<FailedCallFacts> = {}): FailedCallFacts => ({
  failure: { code, message: 'm', ...more } as Failure,
  nature: 'reads',
  idempotent: false,
  ...of,
});

describe('seed 004’s words', () => {
  it('are there for every outcome', () => {
    expect(Object.keys(TOOL_WORDS).sort()).toEqual(Object.keys(CODE_MEANINGS).sort());
  });

  it.each([
    [end('BadArgs', { eCode: 'E3001' }), 'error', 'invalid_parameters', null, false],
    [end('OutputInvalid'), 'error', 'tool_execution_error', 'E3501', false],
    [end('OutputInvalid', { eCode: 'E3308' }, { nature: 'remote' }), 'error', 'tool_execution_error', 'E3308', false],
    [end('UnknownTool'), 'error', 'tool_not_found', 'E3001', false],
    [end('UnknownTool', { eCode: 'E3002' }), 'error', 'tool_version_not_found', 'E3002', false],
    [end('UnknownTool', { eCode: 'E3004' }), 'error', 'tool_version_not_found', 'E3004', false],
    [end('UnknownTool', { eCode: 'E3006' }), 'error', 'tool_version_not_found', 'E3006', false],
    [end('Disabled'), 'permission_denied', 'permission_denied', null, false],
    [end('Denylisted'), 'permission_denied', 'permission_denied', null, false],
    [end('PathOutsideSandbox'), 'permission_denied', 'permission_denied', null, false],
    [end('DeniedPatternMatched'), 'permission_denied', 'permission_denied', null, false],
    [end('SandboxViolation'), 'permission_denied', 'permission_denied', null, false],
    [end('DeniedByPerson'), 'permission_denied', 'permission_denied', null, false],
    [end('NoDecision'), 'permission_denied', 'permission_denied', null, false],
    [end('ToolChanged'), 'permission_denied', 'permission_denied', null, false],
    [end('NotPermitted', { eCode: 'E3201' }), 'permission_denied', 'permission_denied', 'E3201', false],
    [end('LimitsExceeded', { eCode: 'E3102' }), 'error', 'resource_exhausted', 'E3102', false],
    [end('LimitsExceeded', { eCode: 'E3106' }), 'error', 'resource_exhausted', 'E3106', true],
    [end('LimitsExceeded'), 'error', 'resource_exhausted', null, false],
    [end('RateLimited'), 'error', 'rate_limit_exceeded', 'E3303', true],
    [end('ResourceExhausted'), 'error', 'resource_exhausted', 'E3102', false],
    [end('SourceUnavailable', { eCode: 'E3306' }), 'error', 'external_api_error', 'E3306', true],
    [end('SourceUnavailable', { eCode: 'E3101' }), 'error', 'sandbox_failure', 'E3101', true],
    [end('CircuitOpen'), 'error', 'circuit_breaker_open', 'E3401', true],
    [end('ExecutionFailed'), 'error', 'tool_execution_error', null, false],
    [end('ExecutionFailed', { eCode: 'E3108' }, { nature: 'remote' }), 'error', 'tool_execution_error', 'E3108', false],
    [end('ExecutionFailed', { eCode: 'E3304' }, { nature: 'remote' }), 'error', 'external_api_error', 'E3304', false],
    [end('ExecutionFailed', {}, { nature: 'remote' }), 'error', 'external_api_error', null, false],
    [end('ExecutionFailed', { eCode: 'E3601' }), 'error', 'document_not_found', 'E3601', false],
    [end('ExecutionFailed', { eCode: 'E3702' }), 'error', 'resume_failed', 'E3702', false],
    [end('PatchFailed'), 'error', 'tool_execution_error', null, false],
    [end('StaleFile'), 'error', 'tool_execution_error', null, false],
    [end('Timeout'), 'timeout', 'timeout', 'E3103', false],
    [end('Timeout', {}, { idempotent: true }), 'timeout', 'timeout', 'E3103', true],
    [end('Cancelled'), 'cancelled', null, null, false],
    [end('Interrupted'), 'error', 'internal_error', null, false],
    [end('Internal'), 'error', 'internal_error', null, false],
    [end('StateError'), 'error', 'internal_error', null, false],
    [end('JournalUnavailable'), 'error', 'internal_error', null, false],
    [end('DuplicateToolCallId'), 'error', 'internal_error', null, false],
  ] as const)('$0.failure.code $0.failure.eCode', (ended, status, code, eCode, retryable) => {
    expect(inToolWords(ended)).toEqual({ status, code, eCode, retryable });
  });
});
