import { digestJson } from '../../platform/digest.js';
import { readSmallFile, replaceSmallFile } from '../../platform/files/small-file.js';

/**
 * A text that the person accepted: the digest of its content, and the text without secrets, for showing what changed.
 */
export interface AcceptedText {
  readonly digest: string;
  readonly text: string;
}

const MAX_ACCEPTED = 40;

/** The texts that the person accepted, by folder, in one small file of theirs, the latest last. */
export class AcceptedTexts {
  readonly #file: string;
  #kept: Map<string, AcceptedText> | null = null;

  constructor(file: string) {
    this.#file = file;
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
      replaceSmallFile(this.#file, `${JSON.stringify([...next])}\n`);
    } catch (error) {
      return `This could not be written down: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#kept = next;
    return null;
  }

  #all(): ReadonlyMap<string, AcceptedText> {
    this.#kept ??= parse(readSmallFile(this.#file));
    return this.#kept;
  }
}

/** Parses the file; entries that can't be read count as not accepted. */
function parse(text: string | null): Map<string, AcceptedText> {
  try {
    const entries: unknown = text === null ? [] : JSON.parse(text);
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is [string, AcceptedText] {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string') return false;
  const { digest, text } = (entry[1] ?? {}) as Partial<Record<keyof AcceptedText, unknown>>;
  return typeof digest === 'string' && typeof text === 'string';
}
