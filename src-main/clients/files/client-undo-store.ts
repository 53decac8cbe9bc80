import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import type { ClientId } from '#contract/window/clients.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import { compileValidator } from '../../platform/json-schema.js';
import { replaceSmallFile } from '../../platform/files/small-file.js';

const StoredUndoSchema = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          path: Type.String(),
          /** Base64; null where there was no file. */
          before: Type.Union([Type.String(), Type.Null()]),
          /** SHA-256 of what was written. */
          after: Type.String(),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
export type StoredUndo = Static<typeof StoredUndoSchema>;
const validateUndo = compileValidator(StoredUndoSchema);

export const digestBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * The contents of clients' files before Gatehouse changed them last, to the byte. They may hold other servers' tokens:
 * on disk they are sealed, and where nothing can be sealed, they are kept for as long as Gatehouse runs.
 */
export class ClientUndoStore {
  readonly #folder: string;
  readonly #sealer: Sealer;
  readonly #kept = new Map<ClientId, StoredUndo | null>();

  constructor(dataDir: string, sealer: Sealer) {
    this.#folder = join(dataDir, 'clients');
    this.#sealer = sealer;
  }

  get(id: ClientId): StoredUndo | null {
    if (!this.#kept.has(id)) this.#kept.set(id, this.#read(id));
    return this.#kept.get(id) ?? null;
  }

  keep(id: ClientId, undo: StoredUndo): void {
    this.#kept.set(id, undo);
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(undo)), buildPurpose(id));
    if (sealed === null) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    replaceSmallFile(this.#file(id), Buffer.from(sealed).toString('base64'));
  }

  forget(id: ClientId): void {
    this.#kept.set(id, null);
    rmSync(this.#file(id), { force: true });
  }

  #file(id: ClientId): string {
    return join(this.#folder, id);
  }

  #read(id: ClientId): StoredUndo | null {
    try {
      const opened = this.#sealer.open(Buffer.from(readFileSync(this.#file(id), 'utf8'), 'base64'), buildPurpose(id));
      const checked = opened === null ? null : validateUndo(JSON.parse(Buffer.from(opened).toString('utf8')));
      return checked?.ok === true ? checked.value : null;
    } catch {
      return null;
    }
  }
}

const buildPurpose = (id: ClientId): string => `settings of ${id}`;
