import { randomBytes } from 'node:crypto';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { createSealer } from '../../keys/sealing.js';
import type { ImageSealing } from './image-sealing.js';

/** Sealing as on a system with a key store, or, without a key, with none. */
export function testSealing(key: Uint8Array | null = null): ImageSealing {
  const redactor = openTestRedactor();
  return {
    sealer: createSealer(key),
    forThisRun: createSealer(randomBytes(32)),
    finds: (content) => redactor.finds(content),
  };
}
