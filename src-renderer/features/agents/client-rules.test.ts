import { expect, it } from 'vitest';
import { agentName, limitOf, withAccess } from './client-rules.js';

it('takes the version off a name, and only that', () => {
  expect(agentName('claude-code 2.1.0')).toBe('claude-code');
  expect(agentName('Visual Studio Code 1.99')).toBe('Visual Studio Code');
  expect(agentName('test agent')).toBe('test agent');
  expect(agentName('x v2')).toBe('x');
});

it('keeps one rule an agent, and none where there is nothing to say', () => {
  const rules = withAccess([{ name: 'a', access: 'ask' }], 'a', 'blocked');
  expect(rules).toEqual([{ name: 'a', access: 'blocked' }]);
  expect(withAccess(rules, 'b', 'ask')).toHaveLength(2);
  expect(withAccess(rules, 'a', 'normal')).toEqual([]);
});

it('keeps the folders that an agent is limited to', () => {
  const limited = { name: 'a', access: 'ask', folders: ['/shop'] } as const;
  expect(withAccess([limited], 'a', 'normal')).toEqual([{ ...limited, access: 'normal' }]);
  expect(withAccess([limited], 'a', 'blocked')).toEqual([{ ...limited, access: 'blocked' }]);
});

it('an agent is limited to what all of its rules allow', () => {
  expect(limitOf([{ name: 'a', access: 'ask' }], 'a')).toBeNull();
  const rules = [
    { name: 'a', access: 'normal', folders: ['/shop', '/notes'] },
    { name: 'a', access: 'ask', folders: ['/notes'] },
    { name: 'b', access: 'normal', folders: ['/shop'] },
  ] as const;
  expect(limitOf(rules, 'a')).toEqual(['/notes']);
});
