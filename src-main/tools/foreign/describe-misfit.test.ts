import { expect, it } from 'vitest';
import { admitSchema } from './foreign-admission.js';

it('what does not fit is described in words of its own for arguments and for an output', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
  const said = (of: 'object' | 'anything', value: unknown): string | null => {
    const admitted = admitSchema(schema, of);
    return admitted.ok ? admitted.checkInput(value) : admitted.problems.join();
  };
  expect(said('object', { b: 1 })).toBe('the arguments have “b”, which is not known here');
  expect(said('object', { a: 'x' })).toBe('a must be number');
  expect(said('anything', 5)).toBe('the result must be object');
  expect(said('anything', { b: 1 })).toBe('the result has “b”, which is not known here');
});
