import { expect, it } from 'vitest';
import { describeExpiry, describeExtent, describeOwner } from './rule-words.js';

it('says for whom, for what and until when', () => {
  expect(describeExtent({ tool: 'write_file', command: null, prefix: null })).toBe('Every call of write_file');
  expect(describeExtent({ tool: 'run_command', command: null, prefix: 'npm run' })).toBe('npm run …');
  expect(describeOwner({ agent: null, session: null })).toBe('All agents');
  expect(describeOwner({ agent: 'claude', session: null })).toBe('claude');
  expect(describeOwner({ agent: null, session: 'codex 1' })).toBe('One session of codex 1');
  expect(describeExpiry({ kept: 'until-quit', session: 's', expires: null })).toBe('The session ends');
  expect(describeExpiry({ kept: 'settings', session: null, expires: '2027-01-01' })).toBe('2027-01-01');
  expect(describeExpiry({ kept: 'settings', session: null, expires: null })).toBe('You remove it');
});
