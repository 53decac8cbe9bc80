import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  FRAME_BYTES,
  computePlainLength,
  SEALED_FRAME_BYTES,
  SEALED_HEAD_BYTES,
  type Sealer,
} from '../domain/ports/sealing.js';
import type { KeyStore } from './key-store.js';
import { createSealer, getSealingKey } from './sealing.js';
import { Secrets } from './secrets.js';

const sealer = createSealer(Buffer.alloc(32, 7));
const SIZES = [0, 1, 1000, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES];

const bytesOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256);
function seal(bytes: Uint8Array, purpose = 'a test'): Uint8Array {
  const sealed = sealer.seal(bytes, purpose);
  if (sealed === null) throw new Error('There is a key.');
  return sealed;
}

test.each(SIZES)('What was sealed opens to what it was: %i bytes', (length) => {
  const bytes = bytesOf(length);
  const sealed = seal(bytes);
  expect(sealed.length).toBe(SEALED_HEAD_BYTES + length + 16 * Math.max(1, Math.ceil(length / 65_536)));
  expect(computePlainLength(sealed.length)).toBe(length);
  expect(Buffer.from(sealer.open(sealed, 'a test') ?? []).equals(bytes)).toBe(true);
});

test('It does not show what it holds, and the same is never sealed the same way twice', () => {
  const text = Buffer.from('correct horse battery staple');
  expect(Buffer.from(seal(text)).includes('battery')).toBe(false);
  expect(Buffer.from(seal(text)).equals(seal(text))).toBe(false);
});

test('It opens for no other purpose, under no other key, and without a key not at all', () => {
  const sealed = seal(bytesOf(10), 'undo image 1');
  expect(sealer.open(sealed, 'undo image 2')).toBeNull();
  expect(createSealer(Buffer.alloc(32, 8)).open(sealed, 'undo image 1')).toBeNull();
  const none = createSealer(null);
  expect([none.available, none.seal(bytesOf(1), 'x'), none.open(sealed, 'undo image 1')]).toEqual([false, null, null]);
  expect([none.sealStream('x'), none.openFrames(sealed, 'undo image 1')]).toEqual([null, null]);
});

test('A changed byte anywhere is found', () => {
  const sealed = seal(bytesOf(40));
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(sealer.open(changed, 'a test'), `byte ${at}`).toBeNull();
  }
});

test('What is cut short is found at every length, between two frames too', () => {
  const sealed = seal(bytesOf(2 * FRAME_BYTES + 5));
  const ends = [0, SEALED_HEAD_BYTES, SEALED_HEAD_BYTES + 16, SEALED_HEAD_BYTES + SEALED_FRAME_BYTES];
  for (const end of [...ends, SEALED_HEAD_BYTES + 2 * SEALED_FRAME_BYTES, sealed.length - 1]) {
    expect(sealer.open(sealed.subarray(0, end), 'a test'), `${end} bytes`).toBeNull();
  }
  expect(sealer.open(Buffer.concat([sealed, Buffer.alloc(16)]), 'a test')).toBeNull();
});

test('Frames can’t be swapped, repeated, or taken from something else that was sealed', () => {
  const [one, other] = [Buffer.from(seal(bytesOf(3 * FRAME_BYTES))), Buffer.from(seal(bytesOf(3 * FRAME_BYTES)))];
  const frame = (from: Buffer, index: number): Buffer =>
    from.subarray(SEALED_HEAD_BYTES + index * SEALED_FRAME_BYTES, SEALED_HEAD_BYTES + (index + 1) * SEALED_FRAME_BYTES);
  const head = one.subarray(0, SEALED_HEAD_BYTES);
  const opened = (...frames: readonly Buffer[]): Uint8Array | null =>
    sealer.open(Buffer.concat([head, ...frames]), 'a test');
  expect(opened(frame(one, 0), frame(one, 1), frame(one, 2))).not.toBeNull();
  expect(opened(frame(one, 1), frame(one, 0), frame(one, 2))).toBeNull();
  expect(opened(frame(one, 0), frame(one, 0), frame(one, 2))).toBeNull();
  expect(opened(frame(one, 0), frame(other, 1), frame(one, 2))).toBeNull();
});

test('In pieces of any size it comes to the same, and never holds more than a frame', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100_000 }), { maxLength: 6 }), (sizes) => {
      const stream = sealer.sealStream('a test');
      if (stream === null) throw new Error('There is a key.');
      const made: Uint8Array[] = [];
      let given = 0;
      let taken = 0;
      for (const size of sizes) {
        made.push(stream.push(bytesOf(given + size).subarray(given)));
        given += size;
        taken += made.at(-1)?.length ?? 0;
        expect(given - taken).toBeLessThanOrEqual(FRAME_BYTES);
      }
      made.push(stream.end());
      const opened = sealer.open(Buffer.concat(made), 'a test');
      expect(Buffer.from(opened ?? []).equals(bytesOf(given))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('A frame in the middle is read by itself, and is not taken for the last', () => {
  const bytes = bytesOf(3 * FRAME_BYTES + 100);
  const sealed = seal(bytes);
  const frames = sealer.openFrames(sealed.subarray(0, SEALED_HEAD_BYTES), 'a test');
  const from = SEALED_HEAD_BYTES + 2 * SEALED_FRAME_BYTES;
  const frame = sealed.subarray(from, from + SEALED_FRAME_BYTES);
  const expected = bytes.subarray(2 * FRAME_BYTES, 3 * FRAME_BYTES);
  expect(Buffer.from(frames?.frame(2, false, frame) ?? []).equals(expected)).toBe(true);
  expect(frames?.frame(2, true, frame)).toBeNull();
  expect(frames?.frame(1, false, frame)).toBeNull();
});

test('The key is the data folder’s own: it outlives the app, and there is none without a key store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sealing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const flip = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
  const store: KeyStore = {
    available: true,
    warning: null,
    encrypt: (text) => flip(Buffer.from(text)),
    decrypt: (bytes) => Buffer.from(flip(bytes)).toString(),
  };
  const atStart = (from: KeyStore): Sealer =>
    createSealer(getSealingKey(new Secrets(join(folder, 'secrets.json'), from)));
  const sealed = atStart(store).seal(bytesOf(10), 'x') ?? new Uint8Array(0);
  expect(Buffer.from(atStart(store).open(sealed, 'x') ?? []).equals(bytesOf(10))).toBe(true);
  expect(atStart({ ...store, available: false }).available).toBe(false);
});
