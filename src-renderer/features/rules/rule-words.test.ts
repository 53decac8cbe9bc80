import { expect, it } from 'vitest';
import { untilOf, whatOf, whoOf } from './rule-words.js';

it('says for whom, for what and until when', () => {
  expect(whatOf({ tool: 'write_file', command: null, prefix: null })).toBe('Every call of write_file');
  expect(whatOf({ tool: 'run_command', command: null, prefix: 'npm run' })).toBe('npm run …');
  expect(whoOf({ agent: null, session: null })).toBe('All agents');
  expect(whoOf({ agent: 'claude', session: null })).toBe('claude');
  expect(whoOf({ agent: null, session: 'codex 1' })).toBe('One session of codex 1');
  expect(untilOf({ kept: 'until-quit', session: 's', expires: null })).toBe('The session ends');
  expect(untilOf({ kept: 'settings', session: null, expires: '2027-01-01' })).toBe('2027-01-01');
  expect(untilOf({ kept: 'settings', session: null, expires: null })).toBe('You remove it');
});
