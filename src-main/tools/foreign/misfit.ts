import type { Checked } from '../../platform/json-schema.js';

/** All that does not fit; null where everything does. `whole`: what the top of it is called. */
export function inWords(checked: Checked<unknown>, whole: 'the arguments' | 'the result'): string | null {
  if (checked.ok) return null;
  const top = (message: string): string =>
    `${whole} ${whole === 'the arguments' ? message.replace(/^has “/u, 'have “') : message}`;
  return checked.problems.map(({ path, message }) => (path === '' ? top(message) : `${path} ${message}`)).join('; ');
}
