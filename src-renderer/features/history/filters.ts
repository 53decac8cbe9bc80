import type { CallFilter, Door } from '#contract/vocabulary/calls.js';

export type Since = 'ever' | 'hour' | 'day' | 'week' | 'month';

export interface Filters {
  readonly query: string;
  readonly state: string;
  readonly tool: string;
  readonly door: Door | '';
  readonly since: Since;
}

export const NO_FILTERS: Filters = { query: '', state: '', tool: '', door: '', since: 'ever' };

const HOUR = 3_600_000;
const SPANS: Readonly<Record<Exclude<Since, 'ever'>, number>> = {
  hour: HOUR,
  day: 24 * HOUR,
  week: 7 * 24 * HOUR,
  month: 30 * 24 * HOUR,
};

/** `now` is when the person chose the span: it must not creep, or every render would be a new question. */
export function toCallFilter(filters: Filters, now: number): CallFilter {
  const query = filters.query.trim();
  return {
    ...(query === '' ? {} : { query }),
    ...(filters.state === '' ? {} : { state: filters.state }),
    ...(filters.tool === '' ? {} : { tool: filters.tool }),
    ...(filters.door === '' ? {} : { door: filters.door }),
    ...(filters.since === 'ever' ? {} : { from: now - SPANS[filters.since] }),
  };
}

export const isFiltered = (filters: Filters): boolean => Object.keys(toCallFilter(filters, 0)).length > 0;
