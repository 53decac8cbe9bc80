import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import {
  FRAME_BYTES,
  countFrames,
  type FrameOpener,
  computePlainLength,
  SEALED_FRAME_BYTES,
  SEALED_HEAD_BYTES,
  type Sealer,
  type SealingStream,
} from '../domain/ports/sealing.js';
import type { Secrets } from './secrets.js';

const MAGIC = Buffer.from('GHS1');
const PROOF_BYTES = 16;
const NOTHING = new Uint8Array(0);

/** The data folder's own key, made the first time; null where the system has no key store, or it will not open. */
export function getSealingKey(secrets: Secrets): Uint8Array | null {
  return secrets.ownKey('sealing');
}

/**
 * AES-256-GCM in frames of 64 KiB. Each sealed thing has a key of its own, made from the folder's key, a random salt
 * and its purpose, so a frame's number can be its nonce. The last frame says so in its nonce: what is cut short, even
 * between two frames, does not open; frames can't be swapped, repeated or taken from elsewhere.
 */
export function createSealer(key: Uint8Array | null): Sealer {
  if (key === null) return NO_SEALER;
  return {
    available: true,
    seal: (bytes, purpose) => {
      const stream = new Frames(key, purpose);
      return Buffer.concat([stream.push(bytes), stream.end()]);
    },
    open: (sealed, purpose) => openWhole(key, sealed, purpose),
    sealStream: (purpose) => new Frames(key, purpose),
    openFrames: (head, purpose) => opener(key, head, purpose),
  };
}

const NO_SEALER: Sealer = {
  available: false,
  seal: () => null,
  open: () => null,
  sealStream: () => null,
  openFrames: () => null,
};

class Frames implements SealingStream {
  readonly #key: Uint8Array;
  /** Less than a frame, or one: only what comes after tells whether it is the last. */
  readonly #held = Buffer.alloc(FRAME_BYTES);
  #heldBytes = 0;
  #index = 0;
  #head: Uint8Array;

  constructor(key: Uint8Array, purpose: string) {
    const salt = randomBytes(SEALED_HEAD_BYTES - MAGIC.length);
    this.#key = keyFor(key, salt, purpose);
    this.#head = Buffer.concat([MAGIC, salt]);
  }

  push(bytes: Uint8Array): Uint8Array {
    const made: Uint8Array[] = [this.#takeHead()];
    for (let at = 0; at < bytes.length;) {
      if (this.#heldBytes === FRAME_BYTES) made.push(this.#seal(false));
      const part = bytes.subarray(at, at + FRAME_BYTES - this.#heldBytes);
      this.#held.set(part, this.#heldBytes);
      this.#heldBytes += part.length;
      at += part.length;
    }
    return Buffer.concat(made);
  }

  end(): Uint8Array {
    return Buffer.concat([this.#takeHead(), this.#seal(true)]);
  }

  #takeHead(): Uint8Array {
    const head = this.#head;
    this.#head = NOTHING;
    return head;
  }

  #seal(isLast: boolean): Uint8Array {
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce(this.#index, isLast));
    const sealed = cipher.update(this.#held.subarray(0, this.#heldBytes));
    cipher.final();
    this.#index += 1;
    this.#heldBytes = 0;
    return Buffer.concat([sealed, cipher.getAuthTag()]);
  }
}

function opener(key: Uint8Array, head: Uint8Array, purpose: string): FrameOpener | null {
  if (head.length < SEALED_HEAD_BYTES || !MAGIC.equals(head.subarray(0, MAGIC.length))) return null;
  const own = keyFor(key, head.subarray(MAGIC.length, SEALED_HEAD_BYTES), purpose);
  return {
    frame: (index, isLast, sealed) => {
      const end = sealed.length - PROOF_BYTES;
      if (end < 0) return null;
      try {
        const decipher = createDecipheriv('aes-256-gcm', own, nonce(index, isLast), { authTagLength: PROOF_BYTES });
        decipher.setAuthTag(sealed.subarray(end));
        const opened = decipher.update(sealed.subarray(0, end));
        decipher.final();
        return opened;
      } catch {
        return null;
      }
    },
  };
}

function openWhole(key: Uint8Array, sealed: Uint8Array, purpose: string): Uint8Array | null {
  const length = computePlainLength(sealed.length);
  const frames = length === null ? null : opener(key, sealed, purpose);
  if (length === null || frames === null) return null;
  const last = countFrames(length) - 1;
  const opened: Uint8Array[] = [];
  for (let index = 0; index <= last; index += 1) {
    const from = SEALED_HEAD_BYTES + index * SEALED_FRAME_BYTES;
    const frame = frames.frame(index, index === last, sealed.subarray(from, from + SEALED_FRAME_BYTES));
    if (frame === null) return null;
    opened.push(frame);
  }
  return Buffer.concat(opened);
}

function keyFor(key: Uint8Array, salt: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, salt, `gatehouse sealed\n${purpose}`, 32));
}

function nonce(index: number, isLast: boolean): Uint8Array {
  const bytes = Buffer.alloc(12);
  bytes.writeUIntBE(index, 0, 6);
  bytes.writeUInt8(isLast ? 1 : 0, 11);
  return bytes;
}
