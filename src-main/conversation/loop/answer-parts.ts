import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { AnswerEnd, StoredBlock } from '../../domain/conversation/message.js';
import type { ModelEvent, ModelFailure, ModelUsage } from '../../domain/ports/conversation/model.js';

/** More than any model writes in one answer: a server that goes on for ever is not listened to for ever. */
const MAX_CHARACTERS = 8 * 2 ** 20;
/** More than a batch may have by any setting. */
const MAX_BLOCKS = 1_100;
/** Longer than what any protocol takes, or any tool is called. */
const MAX_CALL_NAME = 256;

/** A block as it came. `kept` and `ended` only once its end came. */
type AnswerPart = { ended: boolean; kept: JsonObject | null; text: string } & (
  { readonly kind: 'text' | 'reasoning' } | { readonly kind: 'call'; readonly id: string; readonly name: string }
);

export type EndedBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string; readonly kept: JsonObject | null }
  | CalledBlock;

/** A call under its model's own id and name, which may be anything. */
export interface CalledBlock {
  readonly kind: 'call';
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** The arguments as they came, where they are no whole object. */
  readonly soFar: string | null;
  readonly kept: JsonObject | null;
}

export interface EndedAnswer {
  readonly end: AnswerEnd;
  /** The blocks in the order of their numbers. */
  readonly blocks: readonly EndedBlock[];
}

/** An answer as it comes. What is made of it is decided when it ended: nothing of one that did not end as it should is run. */
export class AnswerParts {
  readonly #parts = new Map<number, AnswerPart>();
  #characters = 0;
  usage: ModelUsage | null = null;

  /** Why no more is taken; null as long as it is. */
  take(event: PieceOfAnswer): ModelFailure | null {
    switch (event.type) {
      case 'used':
        this.usage = event.usage;
        return null;
      case 'text':
      case 'reasoning':
        return (
          this.#began(event.block, { kind: event.type, ended: false, kept: null, text: '' }) ??
          this.#more(event.block, event.text)
        );
      case 'call-began': {
        const { id, name } = event;
        return this.#began(event.block, { kind: 'call', id, name, ended: false, kept: null, text: '' });
      }
      case 'call-arguments':
        return this.#more(event.block, event.text);
      case 'block-ended': {
        const part = this.#parts.get(event.block);
        if (part !== undefined) Object.assign(part, { ended: true, kept: event.kept });
        return null;
      }
    }
  }

  get hasCalls(): boolean {
    return [...this.#parts.values()].some(({ kind }) => kind === 'call');
  }

  /** How it ended, by its protocol's own closing word or without one. */
  ended(by: Extract<ModelEvent, { readonly type: 'ended' | 'failed' }> | { readonly type: 'stopped' }): EndedAnswer {
    const parts = [...this.#parts.entries()].sort(([one], [other]) => one - other).map(([, part]) => part);
    const blocks = parts.map(endedBlock);
    return { end: this.#end(by, parts, blocks), blocks };
  }

  #end(
    by: Extract<ModelEvent, { readonly type: 'ended' | 'failed' }> | { readonly type: 'stopped' },
    parts: readonly AnswerPart[],
    blocks: readonly EndedBlock[],
  ): AnswerEnd {
    if (by.type === 'stopped') return { state: 'stopped', failure: null };
    if (by.type === 'failed') return { state: parts.length === 0 ? 'failed' : 'broke-off', failure: by.failure };
    if (by.why === 'length') return { state: 'length', failure: CUT };
    if (by.why !== 'done') return { state: 'refused', failure: by.why === 'refused' ? REFUSED : FILTERED };
    const broken = parts.some(({ kind, ended }) => kind === 'call' && !ended);
    if (broken || blocks.some((block) => block.kind === 'call' && block.soFar !== null))
      return { state: 'broke-off', failure: broken ? CALL_NOT_ENDED : NO_ARGUMENTS };
    const isEmpty = blocks.every((block) => block.kind === 'reasoning' || (block.kind === 'text' && isBlank(block)));
    return isEmpty ? { state: 'empty', failure: null } : { state: 'whole', failure: null };
  }

  #began(block: number, part: AnswerPart): ModelFailure | null {
    if (this.#parts.has(block)) return null;
    if (this.#parts.size === MAX_BLOCKS) return TOO_MANY;
    this.#parts.set(block, part);
    return null;
  }

  #more(block: number, text: string): ModelFailure | null {
    const part = this.#parts.get(block);
    if (part !== undefined) part.text += text;
    this.#characters += text.length;
    return this.#characters > MAX_CHARACTERS ? TOO_MUCH : null;
  }
}

export type PieceOfAnswer = Exclude<ModelEvent, { readonly type: 'waiting' | 'ended' | 'failed' }>;

/**
 * Bounds the id and name of a call: no more of a name than counts, and an id that no protocol takes back becomes none.
 */
export const withinBounds = (event: PieceOfAnswer): PieceOfAnswer =>
  event.type === 'call-began'
    ? {
        ...event,
        id: event.id.length > MAX_CALL_NAME ? '' : event.id,
        name: event.name.slice(0, MAX_CALL_NAME),
      }
    : event;

/**
 * Converts blocks to the form in which they are recorded, each call with the gate's id of it: `callIds` in the order of
 * the calls.
 */
export function storedBlocks(blocks: readonly EndedBlock[], callIds: readonly string[]): readonly StoredBlock[] {
  const ids = callIds.values();
  return blocks.map((block) => {
    if (block.kind !== 'call') return block;
    const { soFar: _soFar, ...call } = block;
    const { value: callId } = ids.next();
    return callId === undefined ? call : { ...call, callId };
  });
}

const isBlank = ({ text }: { readonly text: string }): boolean => text.trim() === '';

function endedBlock(part: AnswerPart): EndedBlock {
  if (part.kind !== 'call') {
    const { kind, text, kept } = part;
    return kind === 'text' ? { kind, text } : { kind, text, kept };
  }
  const args = part.ended ? argumentsOf(part.text) : null;
  const { id, name, kept, text } = part;
  return { kind: 'call', id, name, arguments: args ?? {}, soFar: args === null ? text : null, kept };
}

/** Null where it is no JSON object; nothing at all is an empty one. */
function argumentsOf(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

type CallText = NonNullable<AnswerEnd['failure']>;
const CUT: CallText = {
  fault: 'length',
  message: 'The answer was cut at its output limit. Raise max_output_tokens in Settings, or ask for less at a time.',
};
const REFUSED: CallText = { fault: 'refused', message: 'The model declined to answer this. Say it in other words.' };
const FILTERED: CallText = {
  fault: 'refused',
  message: 'The model’s server filtered this answer. Say it in other words.',
};
const CALL_NOT_ENDED: CallText = {
  fault: 'broke-off',
  message: 'The answer ended in the middle of a call, so nothing of it was run. Ask again.',
};
const NO_ARGUMENTS: CallText = {
  fault: 'broke-off',
  message: 'The model asked for a call whose arguments can’t be read, so nothing of it was run. Ask again.',
};
const TOO_MUCH: ModelFailure = {
  fault: 'broke-off',
  message: 'The answer never ended and was cut off. Nothing of it was run.',
};
const TOO_MANY: ModelFailure = {
  fault: 'broke-off',
  message: `The answer had more than ${MAX_BLOCKS} parts and was cut off. Nothing of it was run. Ask for less at a time.`,
};
