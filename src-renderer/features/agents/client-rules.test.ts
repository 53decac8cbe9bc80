import { expect, it } from 'vitest';
import { trimAgentName, readAccess, applyAccess } from './client-rules.js';

it('takes the version off a name, and only that', () => {
  expect(trimAgentName('claude-code 2.1.0')).toBe('claude-code');
  expect(trimAgentName('Visual Studio Code 1.99')).toBe('Visual Studio Code');
  expect(trimAgentName('test agent')).toBe('test agent');
  expect(trimAgentName('x v2')).toBe('x');
});

it('keeps one rule an agent, and none where there is nothing to say', () => {
  const rules = applyAccess([{ name: 'a', access: 'ask' }], 'a', 'blocked');
  expect(rules).toEqual([{ name: 'a', access: 'blocked' }]);
  expect(applyAccess(rules, 'b', 'ask')).toHaveLength(2);
  expect(applyAccess(rules, 'a', 'normal')).toEqual([]);
});

it('keeps the folders that an agent is limited to', () => {
  const limited = { name: 'a', access: 'ask', folders: ['/shop'] } as const;
  expect(applyAccess([limited], 'a', 'normal')).toEqual([{ ...limited, access: 'normal' }]);
  expect(applyAccess([limited], 'a', 'blocked')).toEqual([{ ...limited, access: 'blocked' }]);
});

it('an agent is limited to what all of its rules allow', () => {
  expect(readAccess([{ name: 'a', access: 'ask' }], 'a')).toBeNull();
  const rules = [
    { name: 'a', access: 'normal', folders: ['/shop', '/notes'] },
    { name: 'a', access: 'ask', folders: ['/notes'] },
    { name: 'b', access: 'normal', folders: ['/shop'] },
  ] as const;
  expect(readAccess(rules, 'a')).toEqual(['/notes']);
});
