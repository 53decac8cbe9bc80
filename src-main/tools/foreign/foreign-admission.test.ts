import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { admitSchema } from './foreign-admission.js';
import { findSchemaProblems } from '../registry/schema-rules.js';

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';

function checkOf(schema: JsonObject): (args: unknown) => string | null {
  const admitted = admitSchema(schema);
  if (!admitted.ok) throw new Error(admitted.problems.join('; '));
  return admitted.checkInput;
}

function problemsOf(schema: JsonObject): readonly string[] {
  const admitted = admitSchema(schema);
  return admitted.ok ? [] : admitted.problems;
}

/** So many objects, one in the other. */
function nested(depth: number): JsonObject {
  let schema: JsonObject = {};
  for (let at = 1; at < depth; at += 2) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

describe('what is let in', () => {
  it('is what our own rules would not have', () => {
    const schema = { type: 'object', properties: { path: { type: 'string', format: 'uri', 'x-own': 1 } } };
    expect(findSchemaProblems(schema)).not.toEqual([]);
    const check = checkOf(schema);
    expect(check({ path: 'a', more: 1 })).toBeNull();
    expect(check({ path: 1 })).toBe('path must be string');
  });

  it('is of an object for models, also where it does not say so', () => {
    for (const schema of [{}, { type: ['object', 'null'] }, { $schema: DRAFT_7 }]) {
      expect(admitSchema(schema)).toMatchObject({ ok: true, schema: { type: 'object' } });
    }
  });

  it('is draft 7 as well as 2020-12, each by its own rules, and the one that fits where none is told', () => {
    const pair = { type: 'object', properties: { at: { items: [{ type: 'integer' }], additionalItems: false } } };
    for (const schema of [pair, { ...pair, $schema: DRAFT_7 }, { ...pair, $schema: DRAFT_7.slice(0, -1) }]) {
      expect(checkOf(schema)({ at: [1] })).toBeNull();
      expect(checkOf(schema)({ at: [1, 2] })).not.toBeNull();
    }
    const newer = { type: 'object', properties: { at: { prefixItems: [{ type: 'integer' }], items: false } } };
    for (const schema of [newer, { ...newer, $schema: 'https://json-schema.org/draft/2020-12/schema' }]) {
      expect(checkOf(schema)({ at: [1] })).toBeNull();
      expect(checkOf(schema)({ at: [1, 2] })).not.toBeNull();
    }
  });

  it('may refer to itself, by a place in it or by its own name', () => {
    const tree = checkOf({ type: 'object', properties: { child: { $ref: '#' }, n: { type: 'integer' } } });
    expect(tree({ child: { child: { n: 1 } } })).toBeNull();
    expect(tree({ child: { child: { n: 'x' } } })).toContain('child.child.n');
    const named = checkOf({
      $id: 'https://example.com/s',
      type: 'object',
      properties: { a: { $ref: 'https://example.com/s#/$defs/a' } },
      $defs: { a: { type: 'integer' } },
    });
    expect(named({ a: 'x' })).toContain('must be integer');
  });
});

it('says all that does not fit, at once', () => {
  const check = checkOf({
    type: 'object',
    required: ['a', 'b'],
    properties: { c: { type: 'integer' }, d: { enum: ['x', 'y'] } },
    additionalProperties: false,
  });
  const misfit = check({ c: 'no', d: 'z', e: 1 }) ?? '';
  for (const part of [
    "property 'a'",
    "property 'b'",
    'c must be integer',
    'd must be one of: x, y',
    'the arguments have “e”',
  ])
    expect(misfit).toContain(part);
});

describe('what is refused', () => {
  it.each([
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, /neither/],
    ['a dialect that is no text', { $schema: 1, type: 'object' }, /neither/],
    ['no object at its top', { type: 'array' }, /no object at its top/],
    ['a remote reference', { properties: { a: { $ref: 'https://example.com/x.json' } } }, /refers outside itself/],
    ['a remote dynamic one', { properties: { a: { $dynamicRef: 'https://example.com/x' } } }, /refers outside itself/],
    ['a relative one to nothing', { properties: { a: { $ref: 'x.json' } } }, /x\.json/],
    ['a place that is not there', { properties: { a: { $ref: '#/$defs/none' } } }, /none/],
    ['a broken keyword', { properties: { a: { type: 'strnig' } } }, /type/],
    ['a broken pattern', { properties: { a: { pattern: '[' } } }, /\[/],
    ['what only one library knows', { $async: true, type: 'object' }, /asynchronous/],
    [
      'what only one library knows, referred to',
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $async: true, type: 'integer' } } },
      /async/,
    ],
    ['more than 64 KiB', { type: 'object', description: 'x'.repeat(64 * 1024) }, /64 KiB/],
    ['more than 64 levels', nested(65), /64 objects and arrays/],
    ['nesting of any depth', nested(40_001), /64 objects and arrays/],
  ] as const)('is %s', (_what, schema, message) => {
    expect(problemsOf(schema).join('; ')).toMatch(message);
  });

  it('is told with every problem', () => {
    const remote = { $ref: 'https://example.com/one' };
    expect(problemsOf({ type: 'string', properties: { a: remote, b: { $ref: 'urn:two' } } })).toEqual([
      'has no object at its top (type)',
      'refers outside itself (https://example.com/one)',
      'refers outside itself (urn:two)',
    ]);
    const broken = problemsOf({ properties: { a: { type: 'strnig' }, b: { minimum: 'x' }, c: { required: 'all' } } });
    for (const place of ['properties.a.type', 'properties.b.minimum', 'properties.c.required'])
      expect(broken.join('; ')).toContain(place);
  });

  it('is not what only looks like a reference', () => {
    const data = { $ref: 'https://example.com/x' };
    expect(problemsOf({ properties: { a: { default: data, const: data, enum: [data], examples: [data] } } })).toEqual(
      [],
    );
  });

  it('just fits at the limits', () => {
    expect(problemsOf(nested(63))).toEqual([]);
  });
});

it('a schema reaches no other by the id that the other gives itself', () => {
  checkOf({ $id: 'https://example.com/shared', type: 'object', $defs: { x: { $id: 'https://example.com/inner' } } });
  for (const $ref of ['https://example.com/shared', 'https://example.com/inner'])
    expect(problemsOf({ $id: 'https://example.com/other', properties: { a: { $ref } } })).not.toEqual([]);
  const twice = { $id: 'https://example.com/shared', type: 'object', required: ['b'] };
  expect(checkOf(twice)({})).toContain("'b'");
});

describe('what would take for ever', () => {
  it('is refused as arguments, and holds nothing up for long', () => {
    const check = checkOf({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } });
    // In linear time; one that looks ahead backtracks, within its bound.
    expect(check({ a: `${'a'.repeat(60)}b` })).toContain('must match pattern');
    const ahead = checkOf({ type: 'object', properties: { a: { type: 'string', pattern: '^(?=a)(a+)+$' } } });
    expect(ahead({ a: `${'a'.repeat(60)}b` })).toContain('take too long to be checked');
    // Two of one schema are told apart.
    const two = { a: { type: 'string', pattern: '^x' }, b: { type: 'string', pattern: '^y' } };
    expect(checkOf({ type: 'object', properties: two })({ a: 'x', b: 'y' })).toBeNull();
    expect(check({ a: 'aaa' })).toBeNull();
  });

  it('is refused where the schema itself has no end', () => {
    expect(checkOf({ allOf: [{ $ref: '#' }] })({})).toContain('can’t be checked');
  });
});

it('arguments with a key that JavaScript treats specially are refused, whatever the schema says', () => {
  expect(checkOf({})(JSON.parse('{"__proto__":{}}'))).toContain('treats specially');
});

it('a misfit of the whole names it: the arguments, or the result', () => {
  expect(checkOf({ type: 'object' })([])).toBe('the arguments must be object');
  const output = admitSchema({ type: 'string' }, 'anything');
  expect(output.ok && output.checkInput(5)).toBe('the result must be string');
});
