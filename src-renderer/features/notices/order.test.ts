import { expect, it } from 'vitest';
import type { Notice } from '#contract/window/notices.js';
import { compareSeverity } from './order.js';

it('puts the gravest first, and the newest before older ones as grave', () => {
  const notice = (id: string, severity: Notice['severity']) => ({ id, severity }) as Notice;
  const notices = [notice('1', 'info'), notice('2', 'error'), notice('3', 'warning'), notice('4', 'error')];
  expect(compareSeverity(notices).map(({ id }) => id)).toEqual(['4', '2', '3', '1']);
});
