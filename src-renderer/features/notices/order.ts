import type { Notice } from '#contract/window/notices.js';

const GRAVITY = { error: 0, warning: 1, info: 2 } as const;

/** The gravest first; among equals the newest. */
export const compareSeverity = (notices: readonly Notice[]): readonly Notice[] =>
  notices.toReversed().toSorted((a, b) => GRAVITY[a.severity] - GRAVITY[b.severity]);
