import { describe, expect, it } from 'vitest';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { type CallPages, NO_PAGES, PAGE_SIZE, findRow, countRows, findWantedPage, addPage } from './call-pages.js';

const TOTAL = 1_000_000;

/** A journal with `TOTAL` calls whose cursor is the number of the last row given. */
function answer(before: string | null) {
  const start = before === null ? 0 : Number(before);
  const calls = Array.from({ length: Math.min(PAGE_SIZE, TOTAL - start) }, (_, n) => ({
    callId: String(start + n),
    startedAt: TOTAL - start - n,
  })) as unknown as CallSummary[];
  const end = start + calls.length;
  return { calls, next: end < TOTAL ? String(end) : null };
}

function show(list: CallPages, first: number, last: number): { list: CallPages; asked: number } {
  let asked = 0;
  for (let wanted = findWantedPage(list, first, last); wanted !== null; wanted = findWantedPage(list, first, last)) {
    list = addPage(list, wanted, answer(wanted.before));
    asked += 1;
  }
  return { list, asked };
}

const inMemory = ({ pages }: CallPages) => pages.filter((page) => page.rows !== null).length;

describe('a list of calls', () => {
  it('begins with one page and looks one page ahead', () => {
    expect(findWantedPage(NO_PAGES, 0, 0)).toEqual({ number: 0, before: null });
    const { list, asked } = show(NO_PAGES, 0, 30);
    expect(asked).toBe(2);
    expect(countRows(list)).toBe(2 * PAGE_SIZE);
    expect(findRow(list, 30)?.callId).toBe('30');
    expect(findRow(list, 5000)).toBeNull();
  });

  it('knows an empty list from one that was not asked for yet', () => {
    const list = addPage(NO_PAGES, { number: 0, before: null }, { calls: [], next: null });
    expect(countRows(list)).toBe(0);
    expect(findWantedPage(list, 0, 0)).toBeNull();
  });

  it('scrolls to the end of a million rows and back in bounded memory', () => {
    let list = show(NO_PAGES, 0, 40).list;
    while (list.next !== null) list = show(list, countRows(list) - 41, countRows(list) - 1).list;
    expect(countRows(list)).toBe(TOTAL);
    expect(findRow(list, TOTAL - 1)?.callId).toBe(String(TOTAL - 1));
    expect(inMemory(list)).toBeLessThanOrEqual(41);
    expect(findRow(list, 10)).toBeNull();
    expect(list.newestAt).toBe(TOTAL);

    const back = show(list, 10, 50);
    expect(back.asked).toBe(1);
    expect(findRow(back.list, 10)?.callId).toBe('10');
    expect(countRows(back.list)).toBe(TOTAL);
    expect(inMemory(back.list)).toBeLessThanOrEqual(41);
  });

  it('ignores an answer for a page that no longer follows', () => {
    const { list } = show(NO_PAGES, 0, 10);
    expect(addPage(list, { number: 9, before: 'x' }, answer(null))).toBe(list);
  });
});
