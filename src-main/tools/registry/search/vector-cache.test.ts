import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../../domain/ports/embedder.js';
import { VectorCache, readVectors } from './vector-cache.js';
import { sourceTool } from './samples/sample-catalogue.test-support.js';
import { ToolRegistry } from '../registry.js';
import { type SearchEntry, toSearchEntry } from './search-entry.js';

const vectorOf = (text: string): Float32Array => {
  const angle = Buffer.from(text).reduce((sum, byte) => sum + byte, 0);
  return Float32Array.of(Math.cos(angle), Math.sin(angle), 0);
};

class Counting implements Embedder {
  readonly threshold = 0;
  readonly asked: string[] = [];
  readonly model: string;
  constructor(model = 'one') {
    this.model = model;
  }
  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    this.asked.push(...texts);
    return texts.map(vectorOf);
  }
}

class Disk {
  bytes: Uint8Array | null = null;
  writes = 0;
  readonly read = async () => this.bytes;
  readonly write = async (bytes: Uint8Array) => {
    this.bytes = bytes;
    this.writes += 1;
  };
}

function searched(...descriptions: readonly string[]): readonly SearchEntry[] {
  const registry = new ToolRegistry();
  for (const [at, description] of descriptions.entries())
    registry.register(sourceTool('far', [`tool_${at}`, description, ['x']]));
  return registry.listDefinitions().map(toSearchEntry);
}

describe('vectors of tools', () => {
  it('are made once: another start computes nothing', async () => {
    const [disk, first] = [new Disk(), new Counting()];
    const tools = searched('Sends mail.', 'Reads mail.');
    await new VectorCache(disk).makeFor(tools, first);
    expect(first.asked).toHaveLength(2);
    const [again, second] = [new VectorCache(disk), new Counting()];
    await again.makeFor(tools, second);
    expect(second.asked).toEqual([]);
    expect(disk.writes).toBe(1);
    expect(tools.map((tool) => again.of(tool))).toEqual(tools.map(({ text }) => vectorOf(text)));
  });

  it('are made anew for what changed, and of what is gone none stays', async () => {
    const [disk, embedder] = [new Disk(), new Counting()];
    const vectors = new VectorCache(disk);
    const before = searched('Sends mail.', 'Reads mail.');
    await vectors.makeFor(before, embedder);
    const after = searched('Sends mail.', 'Deletes everything.');
    expect(after.map((tool) => vectors.of(tool) === null)).toEqual([false, true]);
    await vectors.makeFor(after, embedder);
    expect(embedder.asked).toHaveLength(3);
    expect(before.map((tool) => vectors.of(tool) === null)).toEqual([false, true]);
    expect(readVectors(disk.bytes ?? new Uint8Array(), 'one').size).toBe(2);
    await vectors.makeFor(after.slice(0, 1), embedder);
    expect(readVectors(disk.bytes ?? new Uint8Array(), 'one').size).toBe(1);
    await vectors.makeFor([], embedder);
    expect(readVectors(disk.bytes ?? new Uint8Array(), 'one').size).toBe(0);
  });

  it('of one model are none of another', async () => {
    const [disk, one, other] = [new Disk(), new Counting('one'), new Counting('other')];
    const tools = searched('Sends mail.');
    const vectors = new VectorCache(disk);
    await vectors.makeFor(tools, one);
    await vectors.makeFor(tools, other);
    expect(other.asked).toHaveLength(1);
    expect(readVectors(disk.bytes ?? new Uint8Array(), 'one').size).toBe(0);
  });

  it('that can’t be had, or are of another length than those before, leave nothing wrong behind', async () => {
    const [disk, embedder] = [new Disk(), new Counting()];
    const vectors = new VectorCache(disk);
    const [one, two] = searched('Sends mail.', 'Reads mail.');
    if (one === undefined || two === undefined) throw new Error('There are two.');
    await vectors.makeFor([one], embedder);
    const written = disk.bytes;
    const failing: Embedder = { model: 'one', threshold: 0, embed: () => Promise.reject(new Error('no')) };
    await expect(vectors.makeFor([one, two], failing)).rejects.toThrow('no');
    expect([vectors.of(two), disk.bytes]).toEqual([null, written]);
    const longer: Embedder = { model: 'one', threshold: 0, embed: async () => [Float32Array.of(1, 0, 0, 0)] };
    await expect(vectors.makeFor([one, two], longer)).rejects.toThrow('another length');
    expect([vectors.of(two), disk.bytes]).toEqual([null, written]);
    await vectors.makeFor([one, two], embedder);
    expect(vectors.of(two)).toEqual(vectorOf(two.text));
  });

  it('that were made stay where the rest can’t be had, so that a slow server gets there in the end', async () => {
    const disk = new Disk();
    const vectors = new VectorCache(disk);
    const tools = searched(...Array.from({ length: 150 }, (_, at) => `Does thing ${at}.`));
    let left = 1;
    const asked: number[] = [];
    const tiring: Embedder = {
      model: 'one',
      threshold: 0,
      embed: async (texts) => {
        if (left === 0) throw new Error('tired');
        left -= 1;
        asked.push(texts.length);
        return texts.map(vectorOf);
      },
    };
    for (const reached of [64, 128]) {
      await expect(vectors.makeFor(tools, tiring)).rejects.toThrow('tired');
      expect(readVectors(disk.bytes ?? new Uint8Array(), 'one').size).toBe(reached);
      left = 1;
    }
    await vectors.makeFor(tools, tiring);
    expect(asked).toEqual([64, 64, 22]);
    expect(tools.every((tool) => vectors.of(tool) !== null)).toBe(true);
  });

  it('that can’t be kept serve all the same', async () => {
    const vectors = new VectorCache({ read: async () => null, write: () => Promise.reject(new Error('full')) });
    const tools = searched('Sends mail.');
    await vectors.makeFor(tools, new Counting());
    expect(tools.map((tool) => vectors.of(tool) === null)).toEqual([false]);
  });
});

describe('the file of vectors', () => {
  it('is taken as it was written or not at all', async () => {
    const disk = new Disk();
    await new VectorCache(disk).makeFor(searched('a', 'b', 'c'), new Counting());
    const { bytes } = disk;
    if (bytes === null) throw new Error('It was not written.');
    expect(readVectors(bytes, 'one').size).toBe(3);
    for (let end = 0; end < bytes.length; end += 1) expect(readVectors(bytes.subarray(0, end), 'one').size).toBe(0);
    expect(readVectors(Buffer.concat([bytes, Buffer.of(0)]), 'one').size).toBe(0);
    expect(readVectors(bytes, 'two').size).toBe(0);
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, 1e38, 0]) {
      const other = Buffer.from(bytes);
      other.writeFloatLE(number, bytes.length - 8);
      other.writeFloatLE(number, bytes.length - 12);
      expect(readVectors(other, 'one').size).toBe(0);
    }
  });

  it.each([
    '',
    '\n',
    '{}\n',
    'null\n',
    '[1]\n',
    '{"version":1,"model":"one","dimensions":0,"count":0}\n',
    '{"version":1,"model":"one","dimensions":1e9,"count":1}\n',
    '{"version":1,"model":"one","dimensions":3,"count":-1}\n',
    '{"version":1,"model":"one","dimensions":3.5,"count":1}\n',
    '{"version":2,"model":"one","dimensions":3,"count":0}\n',
    `${'x'.repeat(5000)}\n`,
  ])('with %j in it holds nothing', (text) => {
    expect(readVectors(Buffer.from(text), 'one').size).toBe(0);
  });

  it('of any bytes never throws, and never gives what is not of length 1', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: -1, max: 9 }), (rest, dimensions) => {
        const count = Math.floor(rest.length / (32 + 4 * Math.max(1, dimensions)));
        const header = `${JSON.stringify({ version: 1, model: 'one', dimensions, count })}\n`;
        const vectors = readVectors(Buffer.concat([Buffer.from(header), rest]), 'one');
        for (const vector of vectors.values()) expect(Math.hypot(...vector)).toBeCloseTo(1, 1);
      }),
    );
  });
});
