import type { AppEvent, AppEventBody, AppSnapshot } from '#contract/window/app-events.js';
import { applyEvent } from '#contract/window/app-state.js';

/** Sixty times a second is as often as anybody can see. */
const OUTPUT_INTERVAL_MS = 16;
/** Of one call's output between two sendings; what came before it has scrolled past. The whole is in the output store. */
const OUTPUT_KEPT = 64 * 1024;

export interface StreamTimer {
  readonly after: (ms: number, run: () => void) => void;
}

const realTimer: StreamTimer = { after: (ms, run) => void setTimeout(run, ms) };

interface PendingOutput {
  readonly callId: string;
  readonly stream: 'stdout' | 'stderr';
  text: string;
}

/** Main's one truth for the window: a snapshot, and the numbered events that carry it on. */
export class AppStream {
  #state: AppSnapshot;
  readonly #timer: StreamTimer;
  readonly #listeners = new Set<(event: AppEvent) => void>();
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
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  publish(body: AppEventBody): void {
    if (body.type === 'output') {
      this.#hold(body);
      return;
    }
    // What a call said comes before what became of it.
    if (body.type === 'call') this.#release((output) => output.callId === body.call.callId);
    this.#send(body);
  }

  #hold({ callId, stream, text }: PendingOutput): void {
    const key = `${callId} ${stream}`;
    const pending = this.#outputs.get(key);
    if (pending === undefined) this.#outputs.set(key, { callId, stream, text: tail(text) });
    else pending.text = tail(pending.text + text);
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    this.#timer.after(OUTPUT_INTERVAL_MS, () => {
      this.#flushIsDue = false;
      this.#release(() => true);
    });
  }

  #release(which: (output: PendingOutput) => boolean): void {
    for (const [key, output] of this.#outputs) {
      if (!which(output)) continue;
      this.#outputs.delete(key);
      this.#send({ type: 'output', ...output });
    }
  }

  #send(body: AppEventBody): void {
    const seq = this.#state.seq + 1;
    this.#state = { ...applyEvent(this.#state, body), seq };
    const event: AppEvent = { ...body, seq };
    for (const listener of this.#listeners) listener(event);
  }
}

/** The last part, from the beginning of a line where there is one. */
function tail(text: string): string {
  if (text.length <= OUTPUT_KEPT) return text;
  const kept = text.slice(-OUTPUT_KEPT);
  const line = kept.indexOf('\n');
  return line === -1 ? kept : kept.slice(line + 1);
}
