import { expect, it } from 'vitest';
import { summarizeDefinition, labelField } from './definition-summary.js';

it('reads a tool of an MCP server', () => {
  expect(
    summarizeDefinition({
      name: 'add',
      description: 'Adds.',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', description: 'One' },
          b: { type: ['string', 'null'] },
          c: { enum: [1] },
          d: true,
        },
        required: ['a'],
      },
      annotations: { readOnlyHint: true, openWorldHint: false, title: 'x' },
    }),
  ).toEqual({
    description: 'Adds.',
    does: null,
    wants: [],
    asks: [
      { name: 'a', type: 'number', optional: false, about: 'One' },
      { name: 'b', type: 'string or null', optional: true, about: '' },
      { name: 'c', type: 'one of a few', optional: true, about: '' },
      { name: 'd', type: 'anything', optional: true, about: '' },
    ],
    says: 'only reads, stays with itself',
  });
});

it('reads an operation of an API', () => {
  expect(
    summarizeDefinition({
      name: 'x',
      request: 'DELETE https://n.example/notes/{id}',
      annotations: { readOnly: false, destructive: true },
    }),
  ).toMatchObject({ does: 'Sends DELETE https://n.example/notes/{id}', says: 'changes things, may destroy' });
});

it('reads the manifest of a program', () => {
  expect(
    summarizeDefinition({
      files: {},
      manifest: {
        description: 'Counts.',
        entry: { command: ['node', 'count words.mjs'] },
        parameters_schema: { properties: { text: { type: 'string' } }, required: ['text'] },
        permissions: {
          filesystem: [{ path: 'notes', mode: 'ro' }],
          network: [{ host: 'n.example', port: 443 }],
          credentials: ['notes'],
        },
        side_effecting: false,
      },
    }),
  ).toEqual({
    description: 'Counts.',
    does: "Runs node 'count words.mjs'",
    wants: ['Reads files in notes', 'Reaches n.example:443', 'Gets the key notes'],
    asks: [{ name: 'text', type: 'string', optional: false, about: '' }],
    says: 'only reads',
  });
});

it('takes whatever comes', () => {
  expect(
    summarizeDefinition({ manifest: 7, inputSchema: [], annotations: 'x', permissions: { network: [1] } }),
  ).toEqual({
    description: '',
    does: null,
    wants: [],
    asks: [],
    says: null,
  });
  expect([labelField('ownName'), labelField('x-y')]).toEqual(['Calls itself', 'x-y']);
});
