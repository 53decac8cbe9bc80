import type { FileEffect } from '#contract/vocabulary/effects.js';
import { diffTexts, type LineDiff } from './line-diff.js';

const known = new WeakMap<FileEffect, LineDiff>();

/** Compared once per file, when it is first looked at: a patch of 10,000 files costs only what is on the screen. */
export function getDiff(file: FileEffect): LineDiff {
  let diff = known.get(file);
  if (diff === undefined) {
    diff = diffTexts(file.before ?? '', file.after ?? '');
    known.set(file, diff);
  }
  return diff;
}

/** Neither side is there to be shown: binary, or too large. */
export const isOpaque = (file: FileEffect): boolean =>
  (file.change !== 'created' && file.before === null) || (file.change !== 'deleted' && file.after === null);
