import { testSealing } from './sealing.test-support.js';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, open, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../platform/digest.js';
import { HEADER_BYTES } from './image-frame.js';
import { type ImageRef, ImageStore } from './image-store.js';

let folder: string;
const disk = { step: () => undefined, durable: true };
const storeWith = (quota = 2 ** 31) => new ImageStore(folder, () => quota, disk, testSealing());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function keep(store: ImageStore, contents: readonly Buffer[]): Promise<readonly ImageRef[]> {
  await store.begin();
  const refs: ImageRef[] = [];
  let near: { hash: string; content: Buffer } | null = null;
  for (const content of contents) {
    const hash = sha256(content);
    refs.push(await store.add(content, hash, near));
    near = { hash, content };
  }
  await store.flush();
  await store.close();
  return refs;
}

const segmentFile = (number: number) => join(folder, String(number).padStart(8, '0'), 'images');

describe('the image store', () => {
  it('gives back what it was given, also after a restart: empty, text, bytes', async () => {
    const contents = [Buffer.alloc(0), Buffer.from('text\n'), randomBytes(300_000), Buffer.alloc(2_000_000, 'ab')];
    const refs = await keep(storeWith(), contents);
    for (const [index, ref] of refs.entries())
      expect((await storeWith().read(ref, '')).equals(contents[index] ?? Buffer.alloc(1))).toBe(true);
  });

  it('keeps the same content once, also across restarts', async () => {
    const content = randomBytes(10_000);
    const first = await keep(storeWith(), [content, content]);
    expect(first[0]).toEqual(first[1]);
    const { size } = await stat(segmentFile(1));
    expect(await keep(storeWith(), [content])).toEqual([first[0]]);
    expect((await stat(segmentFile(1))).size).toBe(size);
  });

  it('keeps a version of a large file as its difference, and needs only one other to read it', async () => {
    const base = randomBytes(1_000_000);
    const versions = Array.from({ length: 50 }, (_, index) => {
      const version = Buffer.from(base);
      version[index * 1000] = (version[index * 1000] ?? 0) ^ 0xff;
      return version;
    });
    const store = storeWith();
    const refs: (ImageRef | undefined)[] = [];
    let before = base;
    for (const version of versions) {
      refs.push((await keep(store, [before, version]))[1]);
      before = version;
    }
    expect((await stat(segmentFile(1))).size).toBeLessThan(1_100_000);
    const last = refs.at(-1);
    expect(last !== undefined && (await storeWith().read(last, '')).equals(versions.at(-1) ?? base)).toBe(true);
  });

  it('cuts a tail that a crash left, and goes on from there', async () => {
    const [first] = await keep(storeWith(), [Buffer.from('first')]);
    const { size } = await stat(segmentFile(1));
    for (const tail of [Buffer.from('x'), randomBytes(HEADER_BYTES + 10)]) {
      await appendFile(segmentFile(1), tail);
      const [again] = await keep(storeWith(), [Buffer.from('first')]);
      expect(again).toEqual(first);
      expect((await stat(segmentFile(1))).size).toBe(size);
    }
    await keep(storeWith(), [Buffer.from('second')]);
    const whole = await readFile(segmentFile(1));
    for (let cut = size; cut < whole.byteLength; cut += 7) {
      await truncate(segmentFile(1), cut);
      const [second] = await keep(storeWith(), [Buffer.from('second')]);
      expect(second && (await storeWith().read(second, '')).toString()).toBe('second');
    }
  });

  it('does not trust content that an earlier run left damaged: it is kept anew, and reading the old one says so', async () => {
    const content = randomBytes(5000);
    const [ref] = await keep(storeWith(), [content]);
    const handle = await open(segmentFile(1), 'r+');
    await handle.write(Buffer.alloc(100), 0, 100, HEADER_BYTES + 200);
    await handle.close();
    if (ref === undefined) throw new Error('nothing was kept');
    await expect(storeWith().read(ref, '')).rejects.toThrow();
    const [again] = await keep(storeWith(), [content]);
    expect(again).not.toEqual(ref);
    expect(again && (await storeWith().read(again, '')).equals(content)).toBe(true);
  });

  it('begins a new segment when one is full, and removes the oldest over the quota, but none in use', async () => {
    const quota = 128 * 1024;
    const store = storeWith(quota);
    for (let index = 0; index < 60; index += 1) await keep(store, [randomBytes(4000)]);
    expect((await store.segments()).length).toBeGreaterThan(10);
    await store.evict(new Set([1]));
    const left = await store.segments();
    expect(left[0]).toBe(1);
    expect(left[1]).toBeGreaterThan(2);
    await storeWith(quota / 8).evict(new Set());
    expect(await store.segments()).not.toContain(1);
  });

  it('starts over when somebody emptied the folder meanwhile', async () => {
    const store = storeWith();
    const content = randomBytes(1000);
    await keep(store, [content]);
    await rm(folder, { recursive: true });
    const [ref] = await keep(store, [content]);
    expect(ref && (await store.read(ref, '')).equals(content)).toBe(true);
  });
});
