import { expect, it } from 'vitest';
import { buildFormHints } from './form-hints.js';

it('gives long texts room and shows defaults', () => {
  const hints = buildFormHints({
    type: 'object',
    properties: {
      path: { type: 'string', maxLength: 4096 },
      content: { type: 'string' },
      limit: { type: 'integer', default: 200 },
      recursive: { type: 'boolean', default: false },
      mode: { type: 'string', enum: ['a'] },
      nested: { type: 'object', properties: { text: { type: 'string' } } },
      odd: true,
    },
  });
  expect(hints).toEqual({
    path: {},
    content: { 'ui:widget': 'textarea' },
    limit: { 'ui:placeholder': '200 if left empty' },
    recursive: { 'ui:widget': 'checkbox' },
    mode: {},
    nested: { text: { 'ui:widget': 'textarea' } },
  });
  expect(buildFormHints({ type: 'string' })).toEqual({});
});
