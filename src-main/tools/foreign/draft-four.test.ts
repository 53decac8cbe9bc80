import { expect, it } from 'vitest';
import { translateDraftFour } from './draft-four.js';
import { admitSchema } from './foreign-admission.js';

it('a bound that a boolean beside it makes exclusive becomes an exclusive bound', () => {
  const schema = {
    type: 'object',
    properties: {
      exclusiveMinimum: { type: 'boolean' },
      size: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
      each: { type: 'array', items: [{ minimum: 1, exclusiveMinimum: true }] },
      named: { type: 'object', default: { exclusiveMinimum: true } },
      bare: { exclusiveMaximum: true },
    },
  };
  expect(translateDraftFour(schema)).toEqual({
    type: 'object',
    properties: {
      exclusiveMinimum: { type: 'boolean' },
      size: { type: 'number', exclusiveMinimum: 0, maximum: 9 },
      each: { type: 'array', items: [{ exclusiveMinimum: 1 }] },
      named: { type: 'object', default: { exclusiveMinimum: true } },
      bare: {},
    },
  });
  const plain = { type: 'object', properties: { size: { exclusiveMinimum: 3 } } };
  expect(translateDraftFour(plain)).toBe(plain);
});

it('a schema of draft 4 is admitted, and checked as meant', () => {
  const admitted = admitSchema({
    type: 'object',
    properties: { size: { type: 'number', minimum: 0, exclusiveMinimum: true } },
  });
  if (!admitted.ok) expect.fail(admitted.problems.join());
  expect([admitted.isAsMeant, admitted.checkInput({ size: 1 })]).toEqual([true, null]);
  expect(admitted.checkInput({ size: 0 })).not.toBeNull();
});
