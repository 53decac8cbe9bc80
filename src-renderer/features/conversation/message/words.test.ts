import { expect, it } from 'vitest';
import { describeFailure } from './describe-failure.js';
import { describeUsage } from './describe-usage.js';

it('tells what an answer took, and leaves out what is not known', () => {
  expect(describeUsage({ inputTokens: 1234, outputTokens: 56, durationMs: 3400, cost: 0.0123 })).toBe(
    '1,234 tokens in · 56 out · 3.4 s · $0.012',
  );
  expect(describeUsage({ inputTokens: null, outputTokens: null, durationMs: 400, cost: null })).toBe('400 ms');
  expect(describeUsage({ inputTokens: null, outputTokens: 1, durationMs: 400, cost: 0.0001 })).toContain(
    'under $0.001',
  );
});

it('says what went wrong and what to do, and nothing where nothing did', () => {
  expect(describeFailure({ state: 'whole', failure: null })).toBeNull();
  expect(describeFailure({ state: 'stopped', failure: null })).toBeNull();
  expect(describeFailure({ state: 'streaming', failure: null })).toBeNull();
  for (const state of ['broke-off', 'length', 'refused', 'empty', 'failed'] as const)
    expect(describeFailure({ state, failure: null })?.text, state).not.toBe('');
  expect(describeFailure({ state: 'failed', failure: { fault: 'api-key', message: 'Enter a key.' } })).toEqual({
    title: 'The API key doesn’t work',
    text: 'Enter a key.',
    leadsToSettings: true,
    offersDemo: false,
  });
  expect(describeFailure({ state: 'failed', failure: { fault: 'new-fault', message: 'So.' } })?.title).toBe(
    'The model didn’t answer',
  );
});
