import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import { joinRowText } from '../row-parts.js';

const MAX = 300;

/** The last line that is not blank, as it is now. Empty where there is none. */
export function findLastLine(rows: readonly OutputRow[]): string {
  const line = rows.findLast((row) => row.text.trim() !== '');
  return line === undefined ? '' : joinRowText(line).trim().slice(0, MAX);
}
