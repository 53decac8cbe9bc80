/**
 * What must be kept whole though it may hold a secret is kept sealed: encrypted and proved, under a key that only the
 * operating system's key store can give. `purpose` says what it is and whose (`undo image <id>`): what was sealed for
 * one purpose does not open for another, so that nothing sealed can be put in another's place.
 */
export interface Sealer {
  /** False where there is no key store: then nothing is sealed, and what would have to be is not kept. */
  readonly available: boolean;
  /** Null where there is no key. */
  seal(bytes: Uint8Array, purpose: string): Uint8Array | null;
  /** Null where it can't be opened: no key, another key or purpose, changed, cut short, or never sealed. */
  open(sealed: Uint8Array, purpose: string): Uint8Array | null;
  /** For what is too large to hold: pieces in, sealed pieces out. Null where there is no key. */
  sealing(purpose: string): SealingStream | null;
  /** For reading anywhere in it, by frames. Null where there is no key or this is no head of something sealed. */
  opening(head: Uint8Array, purpose: string): FrameOpener | null;
}

export interface SealingStream {
  push(bytes: Uint8Array): Uint8Array;
  /** The last frame, which says that it is the last: without it what was sealed reads as cut short. */
  end(): Uint8Array;
}

export interface FrameOpener {
  /** What frame `index` holds; null where it was changed, is not the one of that number, or not the last when it should be. */
  frame(index: number, isLast: boolean, sealed: Uint8Array): Uint8Array | null;
}

/** Before the first frame. */
export const SEALED_HEAD_BYTES = 20;
/** What each frame but the last holds when opened. The last holds 0 to this many. */
export const FRAME_BYTES = 65_536;
/** What each frame but the last takes: 16 bytes more, its proof. */
export const SEALED_FRAME_BYTES = FRAME_BYTES + 16;

/** How many bytes were sealed into so many; null where nothing sealed is that long. */
export function plainLength(sealedBytes: number): number | null {
  const frames = Math.ceil((sealedBytes - SEALED_HEAD_BYTES) / SEALED_FRAME_BYTES);
  const plain = sealedBytes - SEALED_HEAD_BYTES - 16 * frames;
  return frames >= 1 && plain >= 0 && frameCount(plain) === frames ? plain : null;
}

/** There is always a last frame, and it is full only where all are. */
export function frameCount(plainBytes: number): number {
  return Math.max(1, Math.ceil(plainBytes / FRAME_BYTES));
}
