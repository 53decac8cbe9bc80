import type { StoredOutput, StoredStream } from '../call/outputs.js';

/** Stores raw output while a command runs; finished, it is kept under its hash. */
export interface OutputStore {
  open(callId: string, stream: StoredStream, maxBytes: number): OutputSink;
  /**
   * Keeps the unredacted bytes, sealed, from the first redacted place on, which is `from` bytes into what is stored.
   * Null where nothing can be sealed; then they are not kept.
   */
  seal(callId: string, stream: 'stdout' | 'stderr', from: number, maxBytes: number): SealedSink | null;
}

export interface OutputSink {
  /** Resolves when the bytes are with the system; false once the quota is reached (those bytes are counted, not kept). */
  write(bytes: Uint8Array): Promise<boolean>;
  finish(): Promise<StoredOutput>;
  /** Drops the output instead of `finish`: nothing of it is kept. */
  abandon(): Promise<void>;
}

export interface SealedSink {
  write(bytes: Uint8Array): Promise<void>;
  finish(): Promise<void>;
}
