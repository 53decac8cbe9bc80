import type { Checked } from '../../platform/json-schema.js';

/** All that does not fit; null where everything does. */
export function inWords(checked: Checked<unknown>, whole: 'the arguments' | 'the result'): string | null {
  if (checked.ok) return null;
  return checked.problems.map(({ path, message }) => `${path === '' ? whole : path} ${message}`).join('; ');
}
