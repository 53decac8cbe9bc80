import Type, { type Static } from 'typebox';
import { digestJson } from '../../platform/digest.js';
import { type Frozen, keptJson, keyedEntries } from '../../platform/files/kept-json.js';

/**
 * A text that the person accepted: the digest of its content, and the text without secrets, for showing what changed.
 */
const AcceptedTextSchema = Type.Object({ digest: Type.String(), text: Type.String() });
export type AcceptedText = Frozen<Static<typeof AcceptedTextSchema>>;

const MAX_ACCEPTED = 40;

/** The texts that the person accepted, by folder, in one small file of theirs, the latest last. */
export class AcceptedTexts {
  readonly #file;
  #kept: Map<string, AcceptedText> | null = null;

  constructor(file: string) {
    this.#file = keptJson(file, keyedEntries(AcceptedTextSchema));
  }

  find(workspace: string, path: string): AcceptedText | null {
    return this.#all().get(digestJson({ workspace, path })) ?? null;
  }

  /** Null when it is written; otherwise why not, and nothing is accepted. */
  keep(workspace: string, path: string, text: AcceptedText): string | null {
    const next = new Map(this.#all());
    const key = digestJson({ workspace, path });
    next.delete(key);
    next.set(key, text);
    for (const oldest of [...next.keys()].slice(0, Math.max(0, next.size - MAX_ACCEPTED))) next.delete(oldest);
    try {
      this.#file.write([...next]);
    } catch (error) {
      return `This could not be written down: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#kept = next;
    return null;
  }

  #all(): ReadonlyMap<string, AcceptedText> {
    this.#kept ??= new Map(this.#file.read());
    return this.#kept;
  }
}
