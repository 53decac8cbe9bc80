import type { RJSFSchema } from '@rjsf/utils';
import { expect, it } from 'vitest';
import { schemaValidator } from './schema-validator.js';

const schema: RJSFSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    lines: { type: 'integer', minimum: 1 },
    mode: { enum: ['a', 'b'] },
    deep: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
  required: ['path'],
  additionalProperties: false,
};

it('puts each problem at the field it is about', () => {
  const { errorSchema } = schemaValidator.validateFormData({ lines: 0, mode: 'c', deep: {}, other: 1 }, schema);
  expect(errorSchema).toMatchObject({
    path: { __errors: ['Required'] },
    lines: { __errors: ['At least 1'] },
    mode: { __errors: ['Not one of the choices'] },
    deep: { name: { __errors: ['Required'] } },
    __errors: ['“other” is not one of its fields'],
  });
});

it('is content with what is right', () => {
  expect(schemaValidator.validateFormData({ path: 'a', lines: 3 }, schema)).toEqual({ errors: [], errorSchema: {} });
});

it('finds definitions for a part of a schema, and survives one it can’t read', () => {
  const root: RJSFSchema = { $defs: { size: { type: 'integer' } } };
  expect(schemaValidator.isValid({ $ref: '#/$defs/size' }, 3, root)).toBe(true);
  expect(schemaValidator.isValid({ $ref: '#/$defs/size' }, 'x', root)).toBe(false);
  expect(schemaValidator.isValid({ pattern: '(' }, 'x', {})).toBe(false);
  expect(schemaValidator.validateFormData('x', { pattern: '(' }).errors).toEqual([]);
});
