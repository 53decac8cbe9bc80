import { expect, it } from 'vitest';
import { isFiltered, NO_FILTERS, toCallFilter } from './filters.js';

it('sends only what narrows the list', () => {
  expect(toCallFilter(NO_FILTERS, 0)).toEqual({});
  expect(toCallFilter({ ...NO_FILTERS, query: '  npm test ', tool: 'run_command' }, 0)).toEqual({
    query: 'npm test',
    tool: 'run_command',
  });
  expect(toCallFilter({ ...NO_FILTERS, since: 'hour', door: 'mcp', state: 'DENIED' }, 10_000_000)).toEqual({
    from: 6_400_000,
    door: 'mcp',
    state: 'DENIED',
  });
});

it('knows when a list is narrowed', () => {
  expect(isFiltered(NO_FILTERS)).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, query: ' ' })).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, since: 'day' })).toBe(true);
});
