import type { CallFilter, Decider, Door } from '#contract/vocabulary/calls.js';

export type Since = 'ever' | 'hour' | 'day' | 'week' | 'month';

export interface Filters {
  readonly query: string;
  readonly state: string;
  readonly tool: string;
  readonly door: Door | '';
  readonly since: Since;
  /** A single day, as a date field has it: then it counts, and not the span. */
  readonly day: string;
  readonly workspace: string;
  readonly agent: string;
  readonly decidedBy: Decider | '';
  readonly changed: '' | 'yes' | 'no';
  readonly exit: '' | 'zero' | 'other';
  /** The rule that let calls run; empty for all. */
  readonly rule: string;
}

export const NO_FILTERS: Filters = {
  query: '',
  state: '',
  tool: '',
  door: '',
  since: 'ever',
  day: '',
  workspace: '',
  agent: '',
  decidedBy: '',
  changed: '',
  exit: '',
  rule: '',
};

const HOUR = 3_600_000;
const SPANS: Readonly<Record<Exclude<Since, 'ever'>, number>> = {
  hour: HOUR,
  day: 24 * HOUR,
  week: 7 * 24 * HOUR,
  month: 30 * 24 * HOUR,
};

/**
 * A word that has only its first letter is not looked for yet: among a million calls nearly all have a word that begins so,
 * and finding that out takes longer than typing on. With a space after it, it is.
 */
export const isBegunLetter = (query: string): string | null => /(?:^|\s)([a-z\d])$/iu.exec(query)?.[1] ?? null;

/** `now` is when the person chose the span: it must not creep, or every render would be a new question. */
export function toCallFilter(filters: Filters, now: number): CallFilter {
  const begun = isBegunLetter(filters.query) ?? '';
  const query = filters.query.slice(0, filters.query.length - begun.length).trim();
  return {
    ...(query === '' ? {} : { query }),
    ...(filters.state === '' ? {} : { state: filters.state }),
    ...(filters.tool === '' ? {} : { tool: filters.tool }),
    ...(filters.door === '' ? {} : { door: filters.door }),
    ...(filters.rule === '' ? {} : { rule: filters.rule }),
    ...(filters.workspace === '' ? {} : { workspace: filters.workspace }),
    ...(filters.agent === '' ? {} : { agent: filters.agent }),
    ...(filters.decidedBy === '' ? {} : { decidedBy: filters.decidedBy }),
    ...(filters.changed === '' ? {} : { changed: filters.changed === 'yes' }),
    ...(filters.exit === '' ? {} : { exit: filters.exit }),
    ...(parseDay(filters.day) ?? (filters.since === 'ever' ? {} : { from: now - SPANS[filters.since] })),
  };
}

/** Parses a day into its midnights, where the person is; null for none, or one that is half typed. */
function parseDay(day: string): { readonly from: number; readonly to: number } | null {
  const [year = 0, month = 0, date = 0] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(day)?.slice(1).map(Number) ?? [];
  if (year === 0) return null;
  // A day is not always 24 hours long.
  const [from, next] = [date, date + 1].map((each) => new Date(year, month - 1, each).getTime());
  return from === undefined || next === undefined ? null : { from, to: next - 1 };
}

const BY_RULE = 'rule:';

/** Builds the filters for a link from another place: the calls of one rule, or of one state. */
export const parseFilters = (anchor: string | null): Filters =>
  anchor?.startsWith(BY_RULE) === true
    ? { ...NO_FILTERS, rule: anchor.slice(BY_RULE.length) }
    : { ...NO_FILTERS, state: anchor ?? '' };

export const isFiltered = (filters: Filters): boolean => Object.keys(toCallFilter(filters, 0)).length > 0;
