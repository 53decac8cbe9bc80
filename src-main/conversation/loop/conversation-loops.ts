import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import { type CallsUnderWay, ConversationLoop, type LoopParts } from './conversation-loop.js';
import { canContinue, roundsIn } from './can-continue.js';

export interface LoopsParts extends LoopParts {
  readonly record: LoopParts['record'] & Pick<ConversationRecord, 'newestFirst' | 'results'>;
}

/** The loops of all conversations that were looked at or worked since the start, each at its own pace. */
export class ConversationLoops {
  readonly #parts: LoopsParts;
  readonly #loops = new Map<string, ConversationLoop>();

  constructor(parts: LoopsParts) {
    this.#parts = parts;
  }

  of(id: string): ConversationLoop {
    const known = this.#loops.get(id);
    if (known !== undefined) return known;
    const loop = new ConversationLoop(id, this.#parts);
    this.#loops.set(id, loop);
    this.refresh(id);
    return loop;
  }

  /** Re-reads a conversation: another branch is shown, or it was changed elsewhere. */
  refresh(id: string): void {
    const { record } = this.#parts;
    this.#loops.get(id)?.standsAt(canContinue(record.newestFirst(id), (callIds) => record.results(callIds)));
  }

  /** Calls of before this start are waited for. */
  takeUp(id: string, calls: CallsUnderWay): void {
    this.of(id).takeUp(calls, roundsIn(this.#parts.record.newestFirst(id)));
  }

  /** Stops the conversations of a folder that is closed. */
  stopIn(workspace: string): void {
    for (const loop of this.#loops.values()) if (this.#parts.record.get(loop.id)?.workspace === workspace) loop.stop();
  }

  /** The app ends. */
  async close(): Promise<void> {
    await Promise.all([...this.#loops.values()].map((loop) => loop.close()));
  }
}
