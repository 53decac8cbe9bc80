/**
 * The window of a text of any length that is on the screen. A browser can't make an element taller than some 30 million
 * pixels, so past a limit the scroll bar represents the text proportionally, while wheel and keys move by exact lines.
 */
export interface LineWindow {
  readonly totalLines: number;
  readonly rowHeight: number;
  readonly viewHeight: number;
}

const MAX_SCROLL_HEIGHT = 8_000_000;

export const countVisibleRows = ({ rowHeight, viewHeight }: LineWindow): number =>
  Math.max(1, Math.floor(viewHeight / rowHeight));

export const findLastTop = (window: LineWindow): number => Math.max(0, window.totalLines - countVisibleRows(window));

export const computeScrollHeight = ({ totalLines, rowHeight, viewHeight }: LineWindow): number =>
  Math.max(viewHeight, Math.min(totalLines * rowHeight, MAX_SCROLL_HEIGHT));

/** The line at the top for a position of the scroll bar. */
export function findTop(window: LineWindow, scrollTop: number): number {
  const range = computeScrollHeight(window) - window.viewHeight;
  if (range <= 0) return 0;
  return clampTop(window, Math.round((Math.min(Math.max(scrollTop, 0), range) / range) * findLastTop(window)));
}

export function computeScroll(window: LineWindow, top: number): number {
  const last = findLastTop(window);
  return last === 0 ? 0 : (clampTop(window, top) / last) * (computeScrollHeight(window) - window.viewHeight);
}

export const clampTop = (window: LineWindow, top: number): number => Math.min(Math.max(0, top), findLastTop(window));

/** Aligned pieces in which lines are fetched, so that scrolling back finds what is there already. */
export const CHUNK_LINES = 200;

export function listChunks(top: number, rows: number, totalLines: number): readonly number[] {
  const first = Math.floor(Math.max(0, top) / CHUNK_LINES);
  const last = Math.floor(Math.max(0, Math.min(top + rows, totalLines) - 1) / CHUNK_LINES);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
