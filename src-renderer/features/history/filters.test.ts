import { expect, it } from 'vitest';
import { isBegunLetter, isFiltered, NO_FILTERS, toCallFilter } from './filters.js';

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

it('narrows to what a call was, who decided it and what came of it', () => {
  const filters = { workspace: '/shop', agent: 'claude', decidedBy: 'rule', changed: 'no', exit: 'other' } as const;
  expect(toCallFilter({ ...NO_FILTERS, ...filters }, 0)).toEqual({ ...filters, changed: false });
});

it('takes a day whole, however long it is, in place of a span', () => {
  const { from, to } = toCallFilter({ ...NO_FILTERS, day: '2026-03-29', since: 'hour' }, 0);
  expect([new Date(from ?? 0), new Date((to ?? 0) + 1)]).toEqual([new Date(2026, 2, 29), new Date(2026, 2, 30)]);
  for (const day of ['', '2026-3', 'today']) expect(toCallFilter({ ...NO_FILTERS, day }, 0)).toEqual({});
});

it('knows when a list is narrowed', () => {
  expect(isFiltered(NO_FILTERS)).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, query: ' ' })).toBe(false);
  expect(isFiltered({ ...NO_FILTERS, since: 'day' })).toBe(true);
});

it('looks for a word from its second letter on, or when a space ends it', () => {
  const queryOf = (query: string) => toCallFilter({ ...NO_FILTERS, query }, 0).query;
  expect(queryOf('r')).toBeUndefined();
  expect(queryOf('re')).toBe('re');
  expect(queryOf('npm t')).toBe('npm');
  expect(queryOf('npm te')).toBe('npm te');
  expect(queryOf('x ')).toBe('x');
  expect(queryOf('中')).toBe('中');
  expect(queryOf('a 7')).toBe('a');
  expect(isBegunLetter('npm t')).toBe('t');
  expect(isBegunLetter('npm t ')).toBeNull();
});
