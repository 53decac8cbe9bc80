import type { StoredOutput } from '../../domain/call/outputs.js';
import { detectMedia } from '../../domain/media/detect-media.js';
import type { OutputStore } from '../../domain/ports/output-store.js';
import type { Sealer } from '../../domain/ports/sealing.js';

/** The largest picture or sound that a source may give. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** Sealed bytes begin so. What is kept in the clear is a picture or sound, and begins otherwise. */
const SEALED_PREFIX = Buffer.from('GHS1');

interface KeptBlobDeps {
  readonly outputs: Pick<OutputStore, 'open'>;
  readonly sealer: Pick<Sealer, 'available' | 'seal' | 'open'>;
  /** Whether anything secret is found in it. */
  readonly finds: (bytes: Uint8Array) => Promise<boolean>;
}

/**
 * Keeps the parts of a source's answer that are no text, beside its call. Nobody redacted them as text is: they are
 * kept sealed. Without a key store only what is a picture or sound by its own bytes is kept, and in which nothing is
 * found.
 */
export class KeptBlobs {
  readonly #parts: KeptBlobDeps;

  constructor(parts: KeptBlobDeps) {
    this.#parts = parts;
  }

  /** Null where it may not be kept. */
  async keep(callId: string, number: number, bytes: Uint8Array): Promise<StoredOutput | null> {
    const { sealer, finds, outputs } = this.#parts;
    if (bytes.byteLength > MAX_KEPT_BYTES) return null;
    const sealed = sealer.available ? sealer.seal(bytes, sealPurpose(callId, number)) : null;
    if (sealed === null && (detectMedia(bytes).kind === 'other' || (await finds(bytes)))) return null;
    const kept = sealed ?? bytes;
    const sink = outputs.open(callId, `kept-${number}`, kept.byteLength);
    await sink.write(kept);
    return sink.finish();
  }

  /** The part as it came, opened from its kept form; null where it can't be opened. */
  opened(callId: string, number: number, kept: Uint8Array): Uint8Array | null {
    if (!SEALED_PREFIX.equals(kept.subarray(0, SEALED_PREFIX.length))) return kept;
    return this.#parts.sealer.open(kept, sealPurpose(callId, number));
  }
}

const sealPurpose = (callId: string, number: number): string => `kept ${number} of call ${callId}`;
