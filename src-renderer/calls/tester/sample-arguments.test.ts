import { expect, it } from 'vitest';
import { buildSampleArguments } from './sample-arguments.js';

it('begins with what is required, from the schema’s own words where it has any', () => {
  expect(
    buildSampleArguments({
      type: 'object',
      required: ['path', 'lines', 'kind', 'deep', 'list', 'all', 'mode', 'unknown'],
      properties: {
        path: { type: 'string', examples: ['README.md'] },
        lines: { type: 'integer', minimum: 1 },
        kind: { type: 'string', default: 'text' },
        deep: { type: 'object', required: ['inner'], properties: { inner: { type: 'string' } } },
        list: { type: 'array' },
        all: { type: 'boolean' },
        mode: { enum: ['a', 'b'] },
        optional: { type: 'string' },
      },
    }),
  ).toEqual({
    path: 'README.md',
    lines: 1,
    kind: 'text',
    deep: { inner: '' },
    list: [],
    all: false,
    mode: 'a',
    unknown: '',
  });
});

it('makes an empty object of a schema without properties', () => {
  expect(buildSampleArguments({})).toEqual({});
});
