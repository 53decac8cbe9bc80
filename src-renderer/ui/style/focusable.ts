/**
 * Properties of an element that does nothing itself but must be reached by keyboard: a region that scrolls, a splitter.
 */
export const FOCUSABLE = { tabIndex: 0 } as const;
