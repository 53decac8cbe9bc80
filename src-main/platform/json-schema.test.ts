import Type from 'typebox';
import { expect, test } from 'vitest';
import { hasPrototypeKey, compileValidator, compileJsonValidator } from './json-schema.js';

const check = compileValidator(
  Type.Object(
    { name: Type.String(), inner: Type.Optional(Type.Object({ n: Type.Integer() }, { additionalProperties: false })) },
    { additionalProperties: false },
  ),
);

test('Says where a value is wrong, in a path that people read', () => {
  expect(check({ name: 'a', inner: { n: 1 } })).toEqual({ ok: true, value: { name: 'a', inner: { n: 1 } } });
  expect(check({ name: 'a', inner: { n: 1.5 } })).toMatchObject({ ok: false, problems: [{ path: 'inner.n' }] });
  expect(check({ name: 'a', more: 1 })).toMatchObject({
    ok: false,
    problems: [{ message: 'has “more”, which is not known here' }],
  });
});

test('Inherited properties count for nothing, and checking changes nothing', () => {
  const value = Object.freeze({ name: 'a' });
  expect(check(value)).toMatchObject({ ok: true });
  expect(check(Object.create({ name: 'inherited' }))).toMatchObject({ ok: false });
});

test('A prototype key is found at any depth, without exhausting the stack', () => {
  expect(check(JSON.parse('{"name":"a","__proto__":{}}'))).toMatchObject({ ok: false });
  let deep: unknown = JSON.parse('{"__proto__":1}');
  for (let at = 0; at < 100_000; at += 1) deep = [deep];
  expect(hasPrototypeKey(deep)).toBe(true);
  expect(hasPrototypeKey({ proto: [{ constructorName: 1 }] })).toBe(false);
});

test('A schema with a misspelt keyword is a mistake, told at its first use', () => {
  expect(() => compileJsonValidator({ type: 'object', propertys: {} })({})).toThrow(/propertys/);
  expect(compileJsonValidator({ type: 'object', required: ['a'], properties: { a: {} } })({})).toMatchObject({
    ok: false,
  });
});

test('Bounds are told in words that people use', () => {
  const bounded = compileJsonValidator({
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 3 },
      list: { type: 'array', minItems: 2, maxItems: 2000 },
    },
  });
  const said = (value: object) => {
    const checked = bounded(value);
    return checked.ok ? [] : checked.problems.map(({ message }) => message);
  };
  expect(said({ text: '' })).toEqual(['must not be empty']);
  expect(said({ text: 'long' })).toEqual(['must have at most 3 characters']);
  expect(said({ list: [1] })).toEqual(['must have at least 2 items']);
  expect(said({ list: Array.from({ length: 2001 }) })).toEqual(['must have at most 2,000 items']);
});
