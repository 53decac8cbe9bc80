import { expect, it } from 'vitest';
import { findChangedFields } from './changed-fields.js';

it('tells the fields that differ, and no others', () => {
  expect(
    findChangedFields(
      { name: 'a', description: 'one', inputSchema: { type: 'object', properties: { a: {} } }, annotations: {} },
      {
        name: 'a',
        description: 'two\u200b',
        inputSchema: { properties: { a: {} }, type: 'object' },
        outputSchema: null,
      },
    ),
  ).toEqual([
    { field: 'description', before: 'one', after: 'two\u200b' },
    { field: 'annotations', before: '{}', after: null },
    { field: 'outputSchema', before: null, after: 'null' },
  ]);
  expect(findChangedFields(null, { name: 'a' })).toEqual([{ field: 'name', before: null, after: 'a' }]);
});
