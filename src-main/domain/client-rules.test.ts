import { expect, it } from 'vitest';
import { defaultConfig } from '../executor/default-config.test-support.js';
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
  expect(clientAccess(rules, 'claude-code 2.1.0')).toBe('ask');
  expect(clientAccess(rules, 'claude-code')).toBe('ask');
  expect(clientAccess(rules, 'claude-code-next 1')).toBe('normal');
  expect(clientAccess(rules, 'cursor 1')).toBe('blocked');
  expect(clientAccess(rules, null)).toBe('normal');
  expect(clientAccess(config([]), 'cursor 1')).toBe('normal');
});
