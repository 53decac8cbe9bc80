import type { CallPage, CallSummary } from '#contract/vocabulary/calls.js';

export const PAGE_SIZE = 200;
/** So many pages stay in memory; the rest is fetched again when it comes into sight. */
const PAGES_KEPT = 40;

interface LoadedPage {
  readonly before: string | null;
  readonly start: number;
  readonly size: number;
  /** Null once let go of. */
  readonly rows: readonly CallSummary[] | null;
}

/** A list of any length, known from its top down as far as someone has scrolled. */
export interface CallPages {
  readonly pages: readonly LoadedPage[];
  /** Where it goes on; null when everything is known. Undefined before the first answer. */
  readonly next: string | null | undefined;
  /** When the newest call of the list began, known even once its page was let go of. */
  readonly newestAt: number | null;
}

export const NO_PAGES: CallPages = { pages: [], next: undefined, newestAt: null };

export const countRows = ({ pages }: CallPages): number => {
  const last = pages.at(-1);
  return last === undefined ? 0 : last.start + last.size;
};

const findPage = (pages: readonly LoadedPage[], index: number): number => {
  let low = 0;
  let high = pages.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((pages[middle]?.start ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Null for a row that is not in memory at the moment. */
export function findRow({ pages }: CallPages, index: number): CallSummary | null {
  const page = pages[findPage(pages, index)];
  return page?.rows?.[index - page.start] ?? null;
}

export interface WantedPage {
  readonly number: number;
  readonly before: string | null;
}

/** Finds the page to ask for next so that rows `first` to `last`, and some beyond, can be shown. */
export function findWantedPage(list: CallPages, first: number, last: number): WantedPage | null {
  const { pages, next } = list;
  if (next === undefined) return { number: 0, before: null };
  if (pages.length > 0) {
    for (let number = findPage(pages, first); number <= findPage(pages, last); number += 1) {
      const page = pages[number];
      if (page !== undefined && page.rows === null) return { number, before: page.before };
    }
  }
  const nearEnd = last + PAGE_SIZE >= countRows(list);
  return next !== null && nearEnd ? { number: pages.length, before: next } : null;
}

/** Takes an answer in, and lets go of what is farthest away. */
export function addPage(list: CallPages, wanted: WantedPage, answer: CallPage): CallPages {
  const existing = list.pages[wanted.number];
  if (existing !== undefined) {
    const pages = list.pages.with(wanted.number, { ...existing, rows: answer.calls });
    return { ...list, pages: evict(pages, wanted.number) };
  }
  if (wanted.number !== list.pages.length) return list;
  const page = { before: wanted.before, start: countRows(list), size: answer.calls.length, rows: answer.calls };
  return {
    pages: evict([...list.pages, page], wanted.number),
    next: answer.next,
    newestAt: wanted.number === 0 ? (answer.calls[0]?.startedAt ?? null) : list.newestAt,
  };
}

function evict(pages: readonly LoadedPage[], around: number): readonly LoadedPage[] {
  if (pages.length <= PAGES_KEPT) return pages;
  const near = (number: number) => Math.abs(number - around) <= PAGES_KEPT / 2;
  if (pages.every((page, number) => page.rows === null || near(number))) return pages;
  return pages.map((page, number) => (near(number) || page.rows === null ? page : { ...page, rows: null }));
}
