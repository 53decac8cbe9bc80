import { estimateTokens } from './token-estimate.js';
import { joinEnds, leftOutMarker, truncateEnd, type Truncated, utf8Length } from './truncate.js';

/** FR-REG-04b counts what a model has room for in bytes, four of them to a token. */
export const BYTES_PER_TOKEN = 4;

/**
 * How many of these a text takes: by the estimate that a history is counted with, so that what was given by it can be sent.
 * Never fewer than the text itself has.
 */
export const contextRoom = (text: string): number => Math.max(utf8Length(text), estimateTokens(text) * BYTES_PER_TOKEN);

/** How a text is made as short as it is told, in bytes. */
type Shorten = (text: string, maxBytes: number) => Truncated;

/** FR-OUT-04. */
export const cutEnd = (text: string, room: number): Truncated => cutToRoom(text, room, truncateEnd);

/** Cuts a command's output so that both ends stay; `leftOut`: what had been left out between them already. */
export const cutMiddle = (text: string, room: number, leftOut: number): Truncated =>
  cutToRoom(text, room, (whole, maxBytes) => {
    const marker = leftOut === 0 ? 0 : utf8Length(leftOutMarker(leftOut));
    const shorter = joinEnds(whole, whole, utf8Length(whole) - marker + leftOut, maxBytes);
    return { ...shorter, leftOut: shorter.leftOut - leftOut };
  });

function cutToRoom(text: string, room: number, shorten: Shorten): Truncated {
  if (contextRoom(text) <= room) return { text, bytes: utf8Length(text), leftOut: 0 };
  let limit = Math.min(utf8Length(text), Math.max(0, room));
  for (;;) {
    const shorter = shorten(text, limit);
    const takes = contextRoom(shorter.text);
    if (takes <= room || limit <= 0) return shorter;
    // What is left may be denser than the whole was.
    limit = Math.min(limit - 1, Math.floor((limit * room) / takes));
  }
}
