import { splitIntoBlocks } from './lexer.js';

/** A text as blocks that can be drawn each for itself. What was settled stays as it was, whatever comes after it. */
export interface MarkdownBlocks {
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
}

export interface MarkdownBlock {
  /** Where it begins in the text: its name as long as it is there. */
  readonly at: number;
  readonly raw: string;
}

const NONE: MarkdownBlocks = { text: '', blocks: [] };

/**
 * Splits a text into blocks. An addition can change the last line, and with it where the block before it ends: two
 * blocks are read again.
 */
export function splitBlocks(written: string, before: MarkdownBlocks = NONE): MarkdownBlocks {
  const text = written.replace(/\r\n?/gu, '\n');
  if (text === before.text) return before;
  const settled = text.startsWith(before.text) ? before.blocks.slice(0, -2) : [];
  const from = settled.length === 0 ? 0 : (before.blocks.at(-2)?.at ?? 0);
  const blocks = [...settled];
  let at = from;
  for (const { length } of splitIntoBlocks(text.slice(from))) {
    // The text as it is written: the lexer’s own copy may differ in blanks.
    const raw = text.slice(at, at + length);
    if (raw.trim() !== '') blocks.push({ at, raw });
    at += length;
  }
  return { text, blocks };
}
