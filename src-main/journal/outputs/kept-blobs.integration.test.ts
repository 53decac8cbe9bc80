import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSealer } from '../../keys/sealing.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { testFolder } from '../writing/journal.test-support.js';
import { KeptBlobs } from './kept-blobs.js';
import { storedFile } from './output-places.js';
import { FileOutputStore } from './output-store.js';

const SECRET = 'hunter2-quebec-7';
/** A picture of one dot, with whatever else behind it. */
const picture = (comment = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
    Buffer.from(comment),
  ]);

function opened(key: Uint8Array | null) {
  const folder = testFolder();
  const sealer = createSealer(key);
  const redactor = openTestRedactor();
  const outputs = new FileOutputStore(folder, sealer);
  return { folder, blobs: new KeptBlobs({ outputs, sealer, finds: (bytes) => redactor.finds(bytes) }) };
}

/** The bytes of every file in the folder, as they are. */
const allOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

const KEY = Buffer.alloc(32, 3);

describe('with a key store', () => {
  it.each([
    ['a picture', picture()],
    ['a picture with a secret in it', picture(`password=${SECRET}`)],
    ['a document', Buffer.from(`%PDF-1.7 ${SECRET}`)],
    ['nothing at all', Buffer.alloc(0)],
    ['what looks sealed itself', Buffer.from(`GHS1 ${SECRET}`)],
  ])('%s is kept sealed, and opens for its own place alone', async (_, bytes) => {
    const { folder, blobs } = opened(KEY);
    const stored = await blobs.keep('c', 2, bytes);
    expect(stored).toMatchObject({ stream: 'kept-2' });
    expect(allOf(folder)).not.toContain(SECRET);
    if (bytes.length > 0) expect(allOf(folder)).not.toContain(bytes.toString('latin1'));
    const kept = readFileSync(storedFile(folder, stored?.sha256 ?? ''));
    expect(kept.length).toBe(stored?.bytes);
    expect(Buffer.from(blobs.opened('c', 2, kept) ?? [9])).toEqual(bytes);
    expect(blobs.opened('c', 1, kept)).toBeNull();
    expect(blobs.opened('other', 2, kept)).toBeNull();
    expect(opened(Buffer.alloc(32, 4)).blobs.opened('c', 2, kept)).toBeNull();
  });
});

describe('without a key store', () => {
  it('a picture in which nothing is found is kept as it is', async () => {
    const { folder, blobs } = opened(null);
    const stored = await blobs.keep('c', 1, picture());
    const kept = readFileSync(storedFile(folder, stored?.sha256 ?? ''));
    expect(kept).toEqual(picture());
    expect(blobs.opened('c', 1, kept)).toEqual(picture());
  });

  it.each([
    ['a picture with a secret in it', picture(`password=${SECRET}`)],
    ['a document', Buffer.from('%PDF-1.7 of no secret')],
    ['what a model said to a server', Buffer.from('[user]\nSay “ready”.\n\n[model]\nready')],
    ['what only says that it is a picture', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['what is too large', Buffer.concat([picture(), Buffer.alloc(64 * 2 ** 20)])],
  ])('%s is not', async (_, bytes) => {
    const { folder, blobs } = opened(null);
    expect(await blobs.keep('c', 1, bytes)).toBeNull();
    expect(allOf(folder)).toBe('');
  });
});
