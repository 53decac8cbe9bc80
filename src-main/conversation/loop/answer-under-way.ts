import type { MessageFoot } from '#contract/vocabulary/conversation/conversation.js';
import type { ConversationEvent } from '../../domain/conversation/conversation-events.js';
import type { AnswerInProgress } from '../../domain/ports/conversation/conversation-record.js';
import type { ModelEvent, ModelFailure } from '../../domain/ports/conversation/model.js';
import { AnswerParts, type EndedAnswer, type PieceOfAnswer, storedBlocks, withinBounds } from './answer-parts.js';
import { LivePieces } from './live-pieces.js';

interface AnswerListener {
  readonly onWaiting: (event: Extract<ModelEvent, { readonly type: 'waiting' }>) => void;
  readonly onFirst: () => void;
  readonly show: ConstructorParameters<typeof LivePieces>[0];
}

/** An answer, from the moment it is requested until everything that came of it is on record. */
export class AnswerUnderWay {
  readonly #abort = new AbortController();
  readonly #parts = new AnswerParts();
  readonly #began: number;
  #live: LivePieces | null = null;
  #record: AnswerInProgress | null = null;
  #model = '';
  /** Set where it was ended from outside: what still comes of it is ignored. */
  isOver = false;

  constructor(now: number) {
    this.#began = now;
  }

  get messageId(): string | null {
    return this.#record?.messageId ?? null;
  }

  get hasCalls(): boolean {
    return this.#parts.hasCalls;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** `model`: as its foot names it. */
  begins(record: AnswerInProgress, model: string): void {
    this.#record = record;
    this.#model = model;
  }

  /** Reads the whole answer, recording and showing it as it comes. */
  async read(events: AsyncIterable<ModelEvent>, { onWaiting, onFirst, show }: AnswerListener): Promise<EndedAnswer> {
    const live = new LivePieces(show);
    this.#live = live;
    let isFirst = true;
    for await (const event of events) {
      if (this.isOver) break;
      if (event.type === 'ended' || event.type === 'failed') return this.#parts.ended(event);
      if (event.type === 'waiting') {
        onWaiting(event);
        isFirst = true;
        continue;
      }
      const tooMuch = this.#take(withinBounds(event), live);
      if (isFirst && event.type !== 'used') onFirst();
      isFirst &&= event.type === 'used';
      if (tooMuch === null) continue;
      this.#abort.abort();
      return this.#parts.ended({ type: 'failed', failure: tooMuch });
    }
    return this.#parts.ended({ type: 'failed', failure: ENDED_UNSAID });
  }

  #take(event: PieceOfAnswer, live: LivePieces): ModelFailure | null {
    const tooMuch = this.#parts.take(event);
    if (tooMuch !== null) return tooMuch;
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#record?.text(event.block, event.type, event.text);
        live.text(event.block, event.type, event.text);
        break;
      case 'call-began':
        this.#record?.callBegan(event.block, event.id, event.name);
        live.callBegan(event.block, event.name);
        break;
      case 'call-arguments':
        this.#record?.callArguments(event.block, event.text);
        break;
      case 'block-ended':
      case 'used':
        break;
    }
    return null;
  }

  /** The stream ends here, with what came. */
  stop(): EndedAnswer {
    this.over();
    this.#abort.abort();
    return this.#parts.ended({ type: 'stopped' });
  }

  over(): void {
    this.isOver = true;
    this.#live?.end();
  }

  /** Prepares the record before the answer ends: it may be long. */
  async prepare({ blocks }: EndedAnswer): Promise<void> {
    await this.#record?.prepare(storedBlocks(blocks, []));
  }

  /** Builds the events of its end, for the append of its calls. */
  endedAs({ end, blocks }: EndedAnswer, callIds: readonly string[], now: number): readonly ConversationEvent[] {
    return this.#record?.ended(storedBlocks(blocks, callIds), end, this.#foot(now)) ?? [];
  }

  /** Records the end of an answer without calls. */
  endAs({ end, blocks }: EndedAnswer, now: number): void {
    this.#record?.end(storedBlocks(blocks, []), end, this.#foot(now));
  }

  #foot(now: number): MessageFoot {
    const { inputTokens = null, outputTokens = null, cost = null } = this.#parts.usage ?? {};
    return { model: this.#model, inputTokens, outputTokens, cost, durationMs: Math.round(now - this.#began) };
  }
}

const ENDED_UNSAID = {
  fault: 'broke-off',
  message: 'The answer ended without its end. Nothing of it was run. Ask again.',
} as const;
