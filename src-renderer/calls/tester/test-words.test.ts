import { expect, it } from 'vitest';
import { testWords } from './test-words.js';

it('says why a call would be refused', () => {
  const plan = { disposition: 'settled', why: '', rule: null, summary: null, risk: null, code: 'BadArgs' } as const;
  expect(testWords(plan).title).toBe('It would be refused: BadArgs');
  expect(testWords({ ...plan, disposition: 'ask', code: null }).title).toContain('ask');
});
