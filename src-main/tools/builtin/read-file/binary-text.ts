const HEADER = '[binary:base64]';
const CUT_MARK = '[truncated]';

const room = (characters: number): number => Math.max(0, Math.floor(characters / 4) * 3);

/** The most bytes that can be shown as base64 within `limit`. */
export const binaryRoom = (limit: number): number => room(limit - HEADER.length - 1);

const encodedLength = (bytes: number): number => Math.ceil(bytes / 3) * 4;

export interface BinaryText {
  readonly content: string;
  readonly truncated: boolean;
  readonly outputBytes: number;
  readonly leftOut: number;
}

/**
 * Bytes as text that never passes `limit`, however small (FR-TOOL-READ-01b). `head` holds what was read of a file of
 * `size` bytes: all of it, or at least as much as there is room for.
 */
export function binaryText(head: Uint8Array, size: number, limit: number): BinaryText {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const whole = `${HEADER}\n`.length + encodedLength(size);
  if (head.byteLength >= size && whole <= limit) {
    const content = `${HEADER}\n${bytes.toString('base64')}`;
    return { content, truncated: false, outputBytes: content.length, leftOut: 0 };
  }
  const shown = bytes.subarray(0, room(limit - HEADER.length - CUT_MARK.length - 1));
  const content = `${HEADER}${CUT_MARK}\n${shown.toString('base64')}`.slice(0, limit);
  const outputBytes = Math.max(whole, content.length);
  return { content, truncated: true, outputBytes, leftOut: outputBytes - content.length };
}
