import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import { type TextStyle, PLAIN_STYLE } from '#contract/vocabulary/screen/text-style.js';

/** A part of a row that looks the same all through. */
export interface RowPart {
  readonly text: string;
  readonly look: TextStyle;
}

export const joinRowText = ({ text }: OutputRow): string => text.replace(/\r?\n$/u, '');

/** A row without its line break, in parts; what comes after the first `longest` characters is left away. */
export function splitRow(row: OutputRow, longest = Infinity): readonly RowPart[] {
  const text = joinRowText(row).slice(0, longest);
  const parts: RowPart[] = [];
  let at = 0;
  for (let run = 0; run < row.looks.length && at < text.length; run += 2) {
    const end = Math.min(row.looks[run] ?? 0, text.length);
    if (end > at) parts.push({ text: text.slice(at, end), look: row.looks[run + 1] ?? PLAIN_STYLE });
    at = Math.max(at, end);
  }
  if (at < text.length) parts.push({ text: text.slice(at), look: PLAIN_STYLE });
  return parts;
}
