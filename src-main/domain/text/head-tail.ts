import { headBytes, joinEnds, lastUnits, tailBytes, type Truncated, utf8Length } from './truncate.js';

/** Keeps the beginning and the end of a text that streams past, in memory bounded by the limit. */
export interface HeadTail {
  push(text: string): void;
  readonly totalBytes: number;
  /** Renders at most `maxBytes`, which may not be more than the limit it was made with. */
  render(maxBytes: number): Truncated;
  /** Copies what it holds; the copy goes on by itself. */
  copy(): HeadTail;
}

export const createHeadTail = (limit: number): HeadTail => headTailFrom(limit, EMPTY);

interface HeadTailState {
  readonly head: readonly string[];
  readonly headLength: number;
  readonly tail: readonly string[];
  readonly tailLength: number;
  readonly totalBytes: number;
}

const EMPTY: HeadTailState = { head: [], headLength: 0, tail: [], tailLength: 0, totalBytes: 0 };

function headTailFrom(limit: number, held: HeadTailState): HeadTail {
  const head = [...held.head];
  let { headLength, tailLength, totalBytes } = held;
  let tail = [...held.tail];

  return {
    push(text) {
      const bytes = utf8Length(text);
      totalBytes += bytes;
      let rest = text;
      if (headLength < limit) {
        const fitting = bytes <= limit - headLength ? text : headBytes(text, limit - headLength);
        head.push(fitting);
        // What does not fit whole ends the head for good, or later text would go before it.
        headLength = fitting.length === text.length ? headLength + bytes : limit;
        rest = text.slice(fitting.length);
      }
      // The tail is kept of everything, so that it is whole even where it overlaps the head.
      const kept = bytes > limit ? lastUnits(text, limit) : text;
      // No character takes less than one byte for each of its units: what came before is out of reach.
      if (bytes > limit) [tail, tailLength] = [[], 0];
      tail.push(kept);
      tailLength += bytes > limit ? utf8Length(kept) : bytes;
      if (tailLength > 2 * limit + 1024 && rest.length > 0) {
        tail = [tailBytes(tail.join(''), limit)];
        tailLength = utf8Length(tail[0] ?? '');
      }
    },
    get totalBytes() {
      return totalBytes;
    },
    render(maxBytes) {
      if (totalBytes <= maxBytes) return { text: head.join(''), bytes: totalBytes, leftOut: 0 };
      return joinEnds(head.join(''), tail.join(''), totalBytes, maxBytes);
    },
    copy() {
      return headTailFrom(limit, { head, headLength, tail, tailLength, totalBytes });
    },
  };
}
