import { expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { clientAccess } from './client-rules.js';

const config = (clients: readonly { name: string; access: 'ask' | 'blocked' }[]) => {
  const defaults = defaultConfig();
  return { ...defaults, gateway: { ...defaults.gateway, clients: [...clients] } };
};

it('goes by the name in whatever version, and the stricter rule counts', () => {
  const rules = config([
    { name: 'claude-code', access: 'ask' },
    { name: 'cursor', access: 'ask' },
    { name: 'cursor', access: 'blocked' },
  ]);
  expect(clientAccess(rules, { agent: null, client: 'claude-code 2.1.0' })).toBe('ask');
  expect(clientAccess(rules, { agent: null, client: 'claude-code' })).toBe('ask');
  expect(clientAccess(rules, { agent: null, client: 'claude-code-next 1' })).toBe('normal');
  expect(clientAccess(rules, { agent: null, client: 'cursor 1' })).toBe('blocked');
  expect(clientAccess(rules, { agent: null, client: null })).toBe('normal');
  expect(clientAccess(config([]), { agent: null, client: 'cursor 1' })).toBe('normal');
});

it('a client that renames itself keeps the rules of its agent, and can only add to them', () => {
  const rules = config([
    { name: 'builder', access: 'ask' },
    { name: 'cursor', access: 'blocked' },
  ]);
  expect(clientAccess(rules, { agent: 'builder', client: 'somebody else 1' })).toBe('ask');
  expect(clientAccess(rules, { agent: 'builder', client: null })).toBe('ask');
  expect(clientAccess(rules, { agent: 'builder', client: 'cursor 1' })).toBe('blocked');
  expect(clientAccess(rules, { agent: 'cursor', client: 'builder 1' })).toBe('blocked');
  expect(clientAccess(rules, { agent: 'other', client: 'harmless 1' })).toBe('normal');
});
