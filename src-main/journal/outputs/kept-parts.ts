import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Database } from 'better-sqlite3';
import type { NonTextPart } from '#contract/vocabulary/calls.js';
import type { StoredOutput } from '../../domain/call/outputs.js';
import { detectMedia } from '../../domain/media/detect-media.js';
import { storedFile } from './output-places.js';

/** The limit for a part that is read into memory: of a larger one only the size is told. */
const MAX_READ_BYTES = 65 * 1024 * 1024;
const MAX_PARTS = 50;

/** Reads the parts of sources' answers that are no text: pictures, sound and whatever else. */
export class KeptParts {
  readonly #stored;
  readonly #dataDir: string;

  constructor(db: Database, dataDir: string) {
    this.#dataDir = dataDir;
    this.#stored = db.prepare<[string], { storedOutputs: string }>(
      'SELECT b.storedOutputs FROM calls c JOIN bodies b ON b.call = c.id WHERE c.callId = ?',
    );
  }

  async list(callId: string): Promise<readonly NonTextPart[]> {
    const parts: NonTextPart[] = [];
    for (const { number, bytes } of this.#partsOf(callId).slice(0, MAX_PARTS)) {
      const content = await this.read(callId, number);
      parts.push({ number, bytes, there: content !== null, ...detectMedia(content ?? new Uint8Array()) });
    }
    return parts;
  }

  /** Null where it is not kept any more, or is not what was recorded. */
  async read(callId: string, number: number): Promise<Uint8Array | null> {
    const known = this.#partsOf(callId).find((part) => part.number === number);
    if (known === undefined) return null;
    const file = storedFile(this.#dataDir, known.sha256);
    try {
      const { size } = await stat(file);
      if (size !== known.bytes || size > MAX_READ_BYTES) return null;
      const bytes = await readFile(file);
      return createHash('sha256').update(bytes).digest('hex') === known.sha256 ? bytes : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  #partsOf(callId: string): readonly (StoredOutput & { readonly number: number })[] {
    const stored = JSON.parse(this.#stored.get(callId)?.storedOutputs ?? '[]') as readonly StoredOutput[];
    return stored.flatMap((output) => {
      const number = /^kept-(\d+)$/u.exec(output.stream)?.[1];
      return number === undefined ? [] : [{ ...output, number: Number(number) }];
    });
  }
}
