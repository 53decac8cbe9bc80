import type { Sealer } from '../../domain/ports/sealing.js';

/** How contents of files are kept: nothing that looks like a secret is on the disk in the clear. */
export interface ImageSealing {
  /** The data folder's own; where there is no key store, none. */
  readonly sealer: Sealer;
  /** A sealer whose key only this run of the app has: for what must be put back if a change fails, and no longer. */
  readonly forThisRun: Sealer;
  /** Whether a content holds what looks like a secret. */
  readonly finds: (content: Uint8Array) => Promise<boolean>;
}

/** The image was sealed by an earlier run of the app, with a key that was in its memory alone. */
export class ImageLockedError extends Error {
  constructor() {
    super('what it was before was kept for that run of Gatehouse only, since this system has no key store');
    this.name = 'ImageLockedError';
  }
}

const MAGIC = Buffer.from('GHS1');

/** Whether stored bytes are sealed, by their first bytes. */
export const isSealed = (stored: Buffer): boolean => stored.subarray(0, MAGIC.length).equals(MAGIC);

export function openSealed(stored: Buffer, purpose: string, { sealer, forThisRun }: ImageSealing): Buffer {
  if (!isSealed(stored)) return stored;
  const bytes = sealer.open(stored, purpose) ?? forThisRun.open(stored, purpose);
  if (bytes === null) throw new ImageLockedError();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Seals with the data folder's key where there is one. */
export function sealForUndo(bytes: Buffer, purpose: string, { sealer }: ImageSealing): Buffer {
  const sealed = sealer.seal(bytes, purpose);
  return sealed === null ? bytes : Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
}

/**
 * Seals for as long as a change is under way. Content that is only too large, and holds no secret, outlives a crash as
 * it is.
 */
export async function sealForChange(
  content: Uint8Array,
  purpose: string,
  { sealer, forThisRun, finds }: ImageSealing,
): Promise<Uint8Array> {
  if (sealer.available) return sealer.seal(content, purpose) ?? content;
  return (await finds(content)) ? (forThisRun.seal(content, purpose) ?? content) : content;
}
