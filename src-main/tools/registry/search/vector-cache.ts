import type { Embedder } from '../../../domain/ports/embedder.js';
import type { SearchEntry } from './search-entry.js';

/** Where vectors stay between two starts. */
export interface VectorStore {
  readonly read: () => Promise<Uint8Array | null>;
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

/** No model has longer ones; a server might say so. */
const MAX_DIMENSIONS = 8192;
const MAX_HEADER_BYTES = 1024;
const DIGEST_BYTES = 32;
/** So many are made at once. */
const BATCH_SIZE = 64;

/**
 * The vectors of the tools that there are, by the digest of the text that each was made of: a text that changed has none until it is made,
 * one that is gone leaves none. Of one model; another one's begin anew.
 */
export class VectorCache {
  readonly #kept: VectorStore;
  #model: string | null = null;
  #vectors = new Map<string, Float32Array>();
  #isRead = false;

  constructor(kept: VectorStore) {
    this.#kept = kept;
  }

  of({ digest }: SearchEntry): Float32Array | null {
    return this.#vectors.get(digest) ?? null;
  }

  /** Drops the vectors of another model than the one that is asked now, so that they are made anew. */
  forget(): void {
    this.#vectors.clear();
  }

  /**
   * Makes the vectors that these tools lack, and drops all others. Not to be called twice at once. Rejects as the
   * embedder does.
   */
  async makeFor(tools: readonly SearchEntry[], embedder: Embedder): Promise<void> {
    await this.#readFor(embedder.model);
    const wanted = new Map(tools.map(({ digest, text }) => [digest, text]));
    const missing = [...wanted].filter(([digest]) => !this.#vectors.has(digest));
    const gone = [...this.#vectors.keys()].filter((digest) => !wanted.has(digest));
    for (const digest of gone) this.#vectors.delete(digest);
    let changed = gone.length > 0;
    try {
      // What is made stays made, should the rest fail: a slow server gets there in the end.
      for (let at = 0; at < missing.length; at += BATCH_SIZE) {
        await this.#make(missing.slice(at, at + BATCH_SIZE), embedder);
        changed = true;
      }
    } finally {
      if (changed) await this.#kept.write(writeVectors(embedder.model, this.#vectors)).catch(() => undefined);
    }
  }

  async #make(missing: readonly (readonly [digest: string, text: string])[], embedder: Embedder): Promise<void> {
    const made = await embedder.embed(missing.map(([, text]) => text));
    const lengths = new Set([...this.#vectors.values(), ...made].map(({ length }) => length));
    // A server whose model became another one under the same name: what is known is of the old one.
    if (lengths.size > 1) {
      this.forget();
      throw new Error('The model gave vectors of another length than before. They are made anew.');
    }
    for (const [at, [digest]] of missing.entries()) {
      const vector = made[at];
      if (vector !== undefined) this.#vectors.set(digest, vector);
    }
  }

  async #readFor(model: string): Promise<void> {
    if (this.#model === model) return;
    this.#model = model;
    this.#vectors = new Map();
    if (this.#isRead) return;
    this.#isRead = true;
    const bytes = await this.#kept.read();
    if (bytes !== null) this.#vectors = readVectors(bytes, model);
  }
}

/** Serializes the vectors: one line that says what follows, then digest and vector of each. */
function writeVectors(model: string, vectors: ReadonlyMap<string, Float32Array>): Uint8Array {
  const dimensions = vectors.values().next().value?.length ?? 0;
  const header = `${JSON.stringify({ version: 1, model, dimensions, count: vectors.size })}\n`;
  const parts: Uint8Array[] = [Buffer.from(header)];
  for (const [digest, vector] of vectors)
    parts.push(Buffer.from(digest, 'hex'), Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
  return Buffer.concat(parts);
}

/** Empty where it is of another model, or not what was written: then they are made anew. */
export function readVectors(bytes: Uint8Array, model: string): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(10);
  const header = readHeader(Buffer.from(bytes.subarray(0, Math.max(0, end))).toString());
  if (header === null || header.model !== model) return vectors;
  const { dimensions, count } = header;
  const each = DIGEST_BYTES + dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length !== end + 1 + count * each) return vectors;
  for (let at = end + 1; at < bytes.length; at += each) {
    const digest = Buffer.from(bytes.subarray(at, at + DIGEST_BYTES)).toString('hex');
    // A copy: numbers begin where they like in the file.
    const vector = new Float32Array(Uint8Array.from(bytes.subarray(at + DIGEST_BYTES, at + each)).buffer);
    if (!isUnit(vector)) return new Map();
    vectors.set(digest, vector);
  }
  return vectors;
}

function readHeader(
  line: string,
): { readonly model: string; readonly dimensions: number; readonly count: number } | null {
  try {
    const { version, model, dimensions, count } = JSON.parse(line) as Record<string, unknown>;
    if (version !== 1 || typeof model !== 'string') return null;
    if (typeof dimensions !== 'number' || !Number.isInteger(dimensions) || dimensions < 1) return null;
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) return null;
    return dimensions > MAX_DIMENSIONS ? null : { model, dimensions, count };
  } catch {
    return null;
  }
}

/** Whether a vector has length 1, as all of ours have: one that is not finite never has. */
function isUnit(vector: Float32Array): boolean {
  return Math.abs(vectorLength(vector) - 1) < 0.01;
}

export function vectorLength(vector: Float32Array): number {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.sqrt(sum);
}

/** The cosine of two vectors of length 1; 0 where they can't be compared. */
export function cosine(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  // A plain loop, as the quickest: a question is compared with every tool.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
