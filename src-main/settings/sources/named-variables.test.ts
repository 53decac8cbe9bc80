import { expect, it } from 'vitest';
import { listNamedVariables } from './named-variables.js';

it('finds each variable that a source is given, in its environment, its headers and its credentials', () => {
  const named = listNamedVariables({
    a: { kind: 'mcp', command: 'x', env: { TOKEN: 'env:NOTES', PLAIN: 'no env:here at all' } },
    b: { kind: 'openapi', url: 'https://a.example', headers: { Authorization: 'Bearer env:API', 'X-Key': 'secret:k' } },
    c: { kind: 'program', manifest: 'm.json', credentials: { one: 'env:NOTES', two: 'env:TWO' } },
    d: { kind: 'mcp', command: 'y' },
  });
  expect(named).toEqual(['NOTES', 'API', 'TWO']);
});
