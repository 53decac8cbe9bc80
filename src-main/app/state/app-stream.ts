import type { AppEvent, AppEventBody, AppSnapshot, OutputPiece } from '#contract/window/app-events.js';
import { applyEvent } from '#contract/window/app-state.js';
import { Listeners } from '../../platform/listeners.js';

/** Sixty times a second is as often as anybody can see. */
const OUTPUT_INTERVAL_MS = 16;
/**
 * The output of one call that is kept between two sendings; earlier output has scrolled past. The whole is in the
 * output store.
 */
const OUTPUT_KEPT = 64 * 1024;

export interface StreamTimer {
  readonly after: (ms: number, run: () => void) => void;
}

const realTimer: StreamTimer = { after: (ms, run) => void setTimeout(run, ms) };

interface PendingOutput {
  pieces: OutputPiece[];
  length: number;
}

/** Main's one truth for the window: a snapshot, and the numbered events that carry it on. */
export class AppStream {
  #state: AppSnapshot;
  readonly #timer: StreamTimer;
  readonly #listeners = new Listeners<[event: AppEvent]>();
  readonly #outputs = new Map<string, PendingOutput>();
  #flushIsDue = false;

  constructor(initial: Omit<AppSnapshot, 'seq'>, timer: StreamTimer = realTimer) {
    this.#state = { ...initial, seq: 0 };
    this.#timer = timer;
  }

  snapshot(): AppSnapshot {
    return this.#state;
  }

  /** Every event from now on. The window's sender is one listener; others may watch. */
  onEvent(listener: (event: AppEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  publish(body: AppEventBody): void {
    if (body.type === 'output') {
      this.#hold(body);
      return;
    }
    // What a call said comes before what became of it.
    if (body.type === 'call') this.#release(body.call.callId);
    this.#send(body);
  }

  #hold({ callId, pieces }: { readonly callId: string; readonly pieces: readonly OutputPiece[] }): void {
    const pending = this.#outputs.get(callId) ?? { pieces: [], length: 0 };
    this.#outputs.set(callId, pending);
    for (const piece of pieces) add(pending, piece);
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    this.#timer.after(OUTPUT_INTERVAL_MS, () => {
      this.#flushIsDue = false;
      for (const waiting of this.#outputs.keys()) this.#release(waiting);
    });
  }

  #release(callId: string): void {
    const pending = this.#outputs.get(callId);
    if (pending === undefined) return;
    this.#outputs.delete(callId);
    this.#send({ type: 'output', callId, pieces: pending.pieces });
  }

  #send(body: AppEventBody): void {
    const seq = this.#state.seq + 1;
    this.#state = { ...applyEvent(this.#state, body), seq };
    this.#listeners.tell({ ...body, seq });
  }
}

/** Adds a piece in the order of arrival; the oldest make room. */
function add(pending: PendingOutput, { stream, text }: OutputPiece): void {
  const last = pending.pieces.at(-1);
  const joined = last?.stream === stream ? pending.pieces.pop() : undefined;
  const piece = { stream, text: tail((joined?.text ?? '') + text) };
  pending.pieces.push(piece);
  pending.length += piece.text.length - (joined?.text.length ?? 0);
  let first = 0;
  for (; first < pending.pieces.length - 1 && pending.length > OUTPUT_KEPT; first += 1)
    pending.length -= pending.pieces[first]?.text.length ?? 0;
  if (first > 0) pending.pieces = pending.pieces.slice(first);
}

/** The last part, from the beginning of a line where there is one. */
function tail(text: string): string {
  if (text.length <= OUTPUT_KEPT) return text;
  const kept = text.slice(-OUTPUT_KEPT);
  const line = kept.indexOf('\n');
  return line === -1 ? kept : kept.slice(line + 1);
}
