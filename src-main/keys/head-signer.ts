import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secrets } from './secrets.js';

/** Signs the journal's head with a key that only the operating system's key store can open. */
export interface KeyedSigner {
  readonly available: boolean;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  readonly verify: (bytes: Uint8Array, signature: Uint8Array) => boolean;
}

export function createHeadSigner(secrets: Secrets): KeyedSigner {
  const key = secrets.ownKey('journal-head');
  if (key === null) {
    return {
      available: false,
      sign: () => {
        throw new Error('There is no key store to sign the journal’s head with.');
      },
      verify: () => false,
    };
  }
  const sign = (bytes: Uint8Array): Uint8Array => createHmac('sha256', key).update(bytes).digest();
  return {
    available: true,
    sign,
    verify: (bytes, signature) => {
      const expected = sign(bytes);
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    },
  };
}
