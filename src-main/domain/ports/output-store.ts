import type { StoredOutput } from '../call/outputs.js';

/** Where raw output goes while a command runs; finished, it is kept under its hash. */
export interface OutputStore {
  open(callId: string, stream: 'stdout' | 'stderr', maxBytes: number): OutputSink;
}

export interface OutputSink {
  /** Resolves when the bytes are with the system; false once the quota is reached (those bytes are counted, not kept). */
  write(bytes: Uint8Array): Promise<boolean>;
  finish(): Promise<StoredOutput>;
  /** Instead of `finish`: nothing of it is kept. */
  abandon(): Promise<void>;
}
