import { expect, it } from 'vitest';
import { agentName, withAccess } from './client-rules.js';

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
