/** Limits are in bytes of UTF-8; cuts are between characters. */
export interface Truncated {
  readonly text: string;
  readonly bytes: number;
  readonly leftOut: number;
}

export const TRUNCATION_MARKER = '\n\n... [output truncated]';
export const leftOutMarker = (bytes: number): string => `\n\n... [${bytes} bytes left out]\n\n`;

export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8');

/** FR-OUT-04: the marker stands at the end, within the limit. */
export function truncateEnd(text: string, maxBytes: number): Truncated {
  const bytes = utf8Length(text);
  if (bytes <= maxBytes) return { text, bytes, leftOut: 0 };
  if (maxBytes <= TRUNCATION_MARKER.length) {
    const marker = TRUNCATION_MARKER.slice(0, Math.max(0, maxBytes));
    return { text: marker, bytes: marker.length, leftOut: bytes };
  }
  const head = headBytes(text, maxBytes - TRUNCATION_MARKER.length);
  const kept = utf8Length(head);
  return { text: head + TRUNCATION_MARKER, bytes: kept + TRUNCATION_MARKER.length, leftOut: bytes - kept };
}

/**
 * Head and tail stay; between them the number of bytes that were left out; all within the limit. From the first and the
 * last part of a text that was too long to keep: each must hold at least `maxBytes` of it.
 */
export function joinEnds(first: string, last: string, totalBytes: number, maxBytes: number): Truncated {
  // The number is at most as long as that of all bytes; a shorter one leaves a few bytes unused.
  const room = maxBytes - utf8Length(leftOutMarker(totalBytes));
  if (room < 0) {
    const marker = leftOutMarker(totalBytes).slice(0, Math.max(0, maxBytes));
    return { text: marker, bytes: marker.length, leftOut: totalBytes };
  }
  const head = headBytes(first, Math.ceil(room / 2));
  const headLength = utf8Length(head);
  const tail = tailBytes(last, room - headLength);
  const leftOut = totalBytes - headLength - utf8Length(tail);
  const text = head + leftOutMarker(leftOut) + tail;
  return { text, bytes: utf8Length(text), leftOut };
}

/** The longest beginning that fits. */
export function headBytes(text: string, maxBytes: number): string {
  // No character takes less than one byte for each of its UTF-16 units.
  const end = Math.min(text.length, Math.max(0, maxBytes));
  const bytes = Buffer.from(text.slice(0, end), 'utf8');
  if (bytes.length <= maxBytes && !splitsPair(text, end)) return text.slice(0, end);
  let cut = Math.min(maxBytes, bytes.length);
  while (cut > 0 && isContinuation(bytes[cut])) cut -= 1;
  return dropReplacedHalf(text, bytes.toString('utf8', 0, cut));
}

/** The last so many UTF-16 units, without half a character. */
export function lastUnits(text: string, most: number): string {
  const start = Math.max(0, text.length - Math.max(0, most));
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/** The longest end that fits. */
export function tailBytes(text: string, maxBytes: number): string {
  const last = lastUnits(text, maxBytes);
  const bytes = Buffer.from(last, 'utf8');
  if (bytes.length <= maxBytes) return last;
  let cut = bytes.length - maxBytes;
  while (cut < bytes.length && isContinuation(bytes[cut])) cut += 1;
  return bytes.toString('utf8', cut);
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Whether a cut before `at` would part the two halves of one character. */
function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

const isHigh = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** A slice that ended in half a character encodes that half as U+FFFD: not part of the text. */
function dropReplacedHalf(text: string, head: string): string {
  if (!head.endsWith('\ufffd')) return head;
  const last = head.length - 1;
  return text.charCodeAt(last) === 0xfffd || !splitsPair(text, last + 1) ? head : head.slice(0, last);
}
