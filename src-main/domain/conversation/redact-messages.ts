import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import { findHostileJson } from '../call/hostile-json.js';
import type { Redactor } from '../ports/redactor.js';
import type { Redacted } from '../text/redact.js';
import type { PersonPart, StoredBlock } from './message.js';

/** Redacts the person's message, as it is kept, found and sent. */
export const redactPersonParts = (parts: readonly PersonPart[], redactor: Redactor): Promise<readonly PersonPart[]> =>
  Promise.all(
    parts.map(async (part): Promise<PersonPart> => {
      if (part.kind === 'picture') return part;
      const text = (await redactor.textLater(part.text)).value;
      switch (part.kind) {
        case 'text':
          return { kind: 'text', text };
        case 'file':
          return { kind: 'file', path: redactor.text(part.path).value, text };
        case 'resource':
          return { ...part, uri: redactor.text(part.uri).value, name: redactor.text(part.name).value, text };
      }
    }),
  );

interface RedactedBlock {
  /** The text, or the arguments. */
  readonly said: Redacted<Json>;
  readonly kept: Redacted<JsonObject> | null;
}

/** Redacts a model's answer, as it is kept. */
export class AnswerRedactor {
  readonly #redactor: Redactor;
  readonly #looked = new WeakMap<object, RedactedBlock>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Looks through blocks that may be long, on another thread where they are. */
  async prepare(blocks: readonly StoredBlock[]): Promise<void> {
    await Promise.all(
      blocks.map(async (block) => {
        const said = await this.#redactor.jsonLater(getSaidPart(block));
        const kept = getKeptPart(block);
        const lookedAt = kept === null ? null : await this.#redactor.jsonLater(kept);
        this.#looked.set(getBlockKey(block), { said, kept: lookedAt });
      }),
    );
  }

  /** Gives the blocks without secrets. A block that was not prepared is looked through at once. */
  redact(blocks: readonly StoredBlock[]): readonly StoredBlock[] {
    return blocks.map((block) => this.#without(block, this.#looked.get(getBlockKey(block)) ?? this.#look(block)));
  }

  #look(block: StoredBlock): RedactedBlock {
    const kept = getKeptPart(block);
    return { said: this.#redactor.json(getSaidPart(block)), kept: kept === null ? null : this.#redactor.json(kept) };
  }

  #without(block: StoredBlock, { said, kept }: RedactedBlock): StoredBlock {
    // Opaque to us: where something of it looks like a secret, there is nothing left to give back.
    const clean = kept === null || kept.count === 0 ? (kept?.value ?? null) : null;
    switch (block.kind) {
      case 'text':
        return { ...block, text: said.value as string };
      case 'reasoning':
        // A provider signs its reasoning: where something of it is taken out, what it signed can't be sent back.
        return { ...block, text: said.value as string, kept: said.count === 0 ? clean : null };
      case 'call':
        return {
          ...block,
          id: this.#redactor.text(block.id).value,
          name: this.#redactor.text(block.name).value,
          arguments: said.value as JsonObject,
          kept: clean,
        };
    }
  }
}

/**
 * The object that a block is remembered by. A call gets its id after it was looked through: it is another object then,
 * with the same arguments.
 */
const getBlockKey = (block: StoredBlock): object => (block.kind === 'call' ? block.arguments : block);

function getSaidPart(block: StoredBlock): Json {
  if (block.kind !== 'call') return block.text;
  // Arguments that no tool may see are refused, and kept only as the fact that they came.
  return findHostileJson(block.arguments) === null ? block.arguments : {};
}

const getKeptPart = (block: StoredBlock): JsonObject | null => (block.kind === 'text' ? null : block.kept);
