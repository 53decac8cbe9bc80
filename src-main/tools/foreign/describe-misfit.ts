import type { Checked } from '../../platform/json-schema.js';

/**
 * Every way in which a value does not fit its schema, in words; null where it fits. `whole`: the name for the value
 * itself.
 */
export function describeMisfit(checked: Checked<unknown>, whole: 'the arguments' | 'the result'): string | null {
  if (checked.ok) return null;
  const top = (message: string): string =>
    `${whole} ${whole === 'the arguments' ? message.replace(/^has “/u, 'have “') : message}`;
  return checked.problems.map(({ path, message }) => (path === '' ? top(message) : `${path} ${message}`)).join('; ');
}
