import { MAX_SHEET_CHARACTERS, MAX_SHEET_FILES, fitsSheet } from '#contract/vocabulary/sheet-folding.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import { getDiff, isOpaque } from './diff-store.js';
import { cutAtCharacter } from './far-blanks.js';
import type { DiffLine } from './line-diff.js';

/** The opened parts of files on an approval sheet. */
export interface OpenedInDiff {
  readonly opened: ReadonlySet<string>;
  readonly onOpen: (...keys: readonly string[]) => void;
}

export const buildFileKey = (index: number): string => `file ${index}`;
export const buildLineKey = (index: number, { oldNumber, newNumber }: DiffLine): string =>
  `line ${index} ${oldNumber ?? ''} ${newNumber ?? ''}`;

/** Comparing takes its time: of more files than this, those that are closed count with all of their text. */
const COMPARED = 200;

const countChanged = (file: FileEffect): readonly DiffLine[] =>
  isOpaque(file) ? [] : getDiff(file).lines.filter(({ kind }) => kind !== 'same');

const measureFile = (lines: readonly DiffLine[]): number => lines.reduce((sum, { text }) => sum + text.length, 0);

/** How many characters of what changes are folded. Lines that stay as they are, are none of it. */
export function countFoldedInFiles(files: readonly FileEffect[], opened: ReadonlySet<string>): number {
  if (fitsSheet(files)) return 0;
  return files.reduce((sum, file, index) => {
    if (index >= MAX_SHEET_FILES && !opened.has(buildFileKey(index)))
      return (
        sum + (files.length > COMPARED ? (file.after ?? file.before ?? '').length : measureFile(countChanged(file)))
      );
    return (
      sum +
      countChanged(file)
        .filter((line) => !opened.has(buildLineKey(index, line)))
        .reduce((more, { text }) => more + text.length - cutAtCharacter(text, MAX_SHEET_CHARACTERS), 0)
    );
  }, 0);
}
