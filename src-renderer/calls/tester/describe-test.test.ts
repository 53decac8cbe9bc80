import { expect, it } from 'vitest';
import { describeTest } from './describe-test.js';

it('says why a call would be refused', () => {
  const plan = { disposition: 'settled', why: '', rule: null, summary: null, risk: null, code: 'BadArgs' } as const;
  expect(describeTest(plan).title).toBe('It would be refused: BadArgs');
  expect(describeTest({ ...plan, disposition: 'ask', code: null }).title).toContain('ask');
});
