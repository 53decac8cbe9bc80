import { visibleText } from '#contract/vocabulary/visible-text.js';
import type { TailPiece } from './tail-buffer.js';

/** Our own look for stderr, slanted and in another colour. It is the only escape that reaches the terminal: the text itself is made visible first. */
const STDERR_ON = '\u001b[3;38;5;9m';
const OFF = '\u001b[23;39m';

export function terminalText(pieces: readonly TailPiece[]): string {
  let text = '';
  for (const piece of pieces) {
    if (piece.text === '\n') text += '\r\n';
    else if (piece.stream === 'stderr') text += `${STDERR_ON}${visibleText(piece.text)}${OFF}`;
    else text += visibleText(piece.text);
  }
  return text;
}
