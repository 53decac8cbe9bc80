import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import { type TextStyle, splitStyle, PLAIN_STYLE } from '#contract/vocabulary/screen/text-style.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { splitRow, joinRowText } from './row-parts.js';

/** A longer line is cut in the live view: what follows is in the stored output. */
export const MAX_LINE_LENGTH = 2000;
const OFF = '\u{1b}[0m';
/** The terminal's palette has the papers behind its sixteen colours. */
export const FIRST_PAPER = 16;

/** Ours are the only sequences that reach the terminal: the text itself is made visible first. */
export function encodeRow(row: OutputRow): string {
  let text = '';
  for (const part of splitRow(row, MAX_LINE_LENGTH)) {
    const shown = toVisibleText(part.text);
    text += part.look === PLAIN_STYLE ? shown : `${encodeStyle(part.look)}${shown}${OFF}`;
  }
  if (joinRowText(row).length > MAX_LINE_LENGTH) text += ' … (long line)';
  return row.text.endsWith('\n') ? `${text}\r\n` : text;
}

/** Text on paper has the text's own colour, so that it can be read. What came on stderr slants. */
function encodeStyle(look: TextStyle): string {
  const { fore, back, bold, italic, underline, strike, stderr } = splitStyle(look);
  const codes: number[] = [];
  if (back !== null) codes.push(48, 5, FIRST_PAPER + (back % 8));
  else if (fore !== null) codes.push(38, 5, fore);
  else if (stderr) codes.push(38, 5, 9);
  if (bold) codes.push(1);
  if (italic || stderr) codes.push(3);
  if (underline) codes.push(4);
  if (strike) codes.push(9);
  return `\u{1b}[0;${codes.join(';')}m`;
}
