export const DEFAULT_WIDTH = 420;
export const MINIMUM_WIDTH = 320;
export const MAXIMUM_WIDTH = 1600;
/** The least width for the page beside it. */
const PAGE_KEEPS = 480;
const KEY = 'gatehouse.detail-width';

export const clampWidth = (width: number, windowWidth: number): number =>
  Math.round(Math.max(MINIMUM_WIDTH, Math.min(width, MAXIMUM_WIDTH, windowWidth - PAGE_KEEPS)));

/** A convenience only: where nothing can be kept, the default is as good. */
export function readWidth(): number {
  try {
    const width = Number(localStorage.getItem(KEY));
    return Number.isFinite(width) && width >= MINIMUM_WIDTH ? width : DEFAULT_WIDTH;
  } catch {
    return DEFAULT_WIDTH;
  }
}

export function rememberWidth(width: number): void {
  try {
    localStorage.setItem(KEY, String(width));
  } catch {
    // The width is a convenience: nothing depends on it.
  }
}
