import { canonicalJson, hex } from './chain.js';

/** Signs with a key that is not in the data folder (the operating system's key store). */
export interface HeadSigner {
  /** False where the system has no key store: then nothing is signed, and verify says so. */
  readonly available: boolean;
  sign(bytes: Uint8Array): Uint8Array;
  verify(bytes: Uint8Array, signature: Uint8Array): boolean;
}

export interface SignedHead {
  readonly seq: number;
  readonly hash: string;
  /** The event from which on every commit carries a signature; an erasure without one was not written by the app. */
  readonly signedFrom: number;
}

/** The bytes of the head that a key signs. */
export function buildHeadPayload({ seq, hash, signedFrom }: SignedHead): Uint8Array {
  return Buffer.from(`gatehouse audit head\n${canonicalJson({ seq, hash, signedFrom })}`);
}

/** The bytes of a commit's last event that a key signs. Its hash covers it and all before it. */
export function buildEventPayload({ seq, hash }: { readonly seq: number; readonly hash: Uint8Array }): Uint8Array {
  return Buffer.from(`gatehouse audit event\n${seq}\n${hex(hash)}`);
}
