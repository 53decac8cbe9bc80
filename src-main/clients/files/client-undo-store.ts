import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import type { ClientPlace } from '#contract/window/clients.js';
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
          /** SHA-256 of what was written last; null where others wrote between two writes of ours. */
          after: Type.Union([Type.String(), Type.Null()]),
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
 * The contents of clients' files before Gatehouse came into them, to the byte. They may hold other servers' tokens:
 * on disk they are sealed, and where nothing can be sealed, they are kept for as long as Gatehouse runs.
 */
export class ClientUndoStore {
  readonly #folder: string;
  readonly #sealer: Sealer;
  readonly #kept = new Map<string, StoredUndo | null>();

  constructor(dataDir: string, sealer: Sealer) {
    this.#folder = join(dataDir, 'clients');
    this.#sealer = sealer;
  }

  get(place: ClientPlace): StoredUndo | null {
    const name = nameFile(place);
    if (!this.#kept.has(name)) this.#kept.set(name, this.#read(name));
    return this.#kept.get(name) ?? null;
  }

  keep(place: ClientPlace, undo: StoredUndo): void {
    const name = nameFile(place);
    this.#kept.set(name, undo);
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(undo)), buildPurpose(name));
    if (sealed === null) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    replaceSmallFile(join(this.#folder, name), Buffer.from(sealed).toString('base64'));
  }

  forget(place: ClientPlace): void {
    const name = nameFile(place);
    this.#kept.set(name, null);
    rmSync(join(this.#folder, name), { force: true });
  }

  #read(name: string): StoredUndo | null {
    try {
      const sealed = Buffer.from(readFileSync(join(this.#folder, name), 'utf8'), 'base64');
      const opened = this.#sealer.open(sealed, buildPurpose(name));
      const checked = opened === null ? null : validateUndo(JSON.parse(Buffer.from(opened).toString('utf8')));
      return checked?.ok === true ? checked.value : null;
    } catch {
      return null;
    }
  }
}

const nameFile = ({ id, only }: ClientPlace): string =>
  only === null ? id : `${id}-${digestBytes(Buffer.from(only))}`;
const buildPurpose = (name: string): string => `settings of ${name}`;
