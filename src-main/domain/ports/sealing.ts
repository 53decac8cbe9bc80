/**
 * Seals what must be kept whole though it may hold a secret: encrypted and authenticated, under a key that only the
 * operating system's key store can give. `purpose` says what it is and whose (`undo image <id>`): bytes sealed for one
 * purpose do not open for another, so that nothing sealed can be put in another's place.
 */
export interface Sealer {
  /** False where there is no key store: then nothing is sealed, and content that would have to be is not kept. */
  readonly available: boolean;
  /** Seals the bytes. Null where there is no key. */
  seal(bytes: Uint8Array, purpose: string): Uint8Array | null;
  /**
   * Opens sealed bytes. Null where it can't be done: no key, another key or purpose, changed, cut short, or never
   * sealed.
   */
  open(sealed: Uint8Array, purpose: string): Uint8Array | null;
  /** Seals content that is too large to hold: pieces in, sealed pieces out. Null where there is no key. */
  sealStream(purpose: string): SealingStream | null;
  /**
   * Opens sealed content for reading anywhere in it, by frames. Null where there is no key or this is no head of
   * something sealed.
   */
  openFrames(head: Uint8Array, purpose: string): FrameOpener | null;
}

export interface SealingStream {
  push(bytes: Uint8Array): Uint8Array;
  /** Gives the last frame, which says that it is the last: without it the sealed content reads as cut short. */
  end(): Uint8Array;
}

export interface FrameOpener {
  /**
   * Opens frame `index`; null where it was changed, is not the one of that number, or not the last when it should be.
   */
  frame(index: number, isLast: boolean, sealed: Uint8Array): Uint8Array | null;
}

/** The length of the head, which stands before the first frame. */
export const SEALED_HEAD_BYTES = 20;
/** The plain length of each frame but the last. The last holds 0 to this many bytes. */
export const FRAME_BYTES = 65_536;
/** The sealed length of each frame but the last: 16 bytes more, its authentication tag. */
export const SEALED_FRAME_BYTES = FRAME_BYTES + 16;

/** The plain length of content whose sealed length is given; null where nothing sealed is that long. */
export function computePlainLength(sealedBytes: number): number | null {
  const frames = Math.ceil((sealedBytes - SEALED_HEAD_BYTES) / SEALED_FRAME_BYTES);
  const plain = sealedBytes - SEALED_HEAD_BYTES - 16 * frames;
  return frames >= 1 && plain >= 0 && countFrames(plain) === frames ? plain : null;
}

/** The number of frames for so many bytes. There is always a last frame, and it is full only where all are. */
export function countFrames(plainBytes: number): number {
  return Math.max(1, Math.ceil(plainBytes / FRAME_BYTES));
}
