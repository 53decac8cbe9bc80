import type { OutputRow } from '#contract/vocabulary/screen/terminal-rows.js';
import type { OutputWindow } from '#contract/window/channels.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';
import { CHUNK_LINES } from './line-window.js';

/** So many pieces stay in memory; older ones are fetched again. */
const CHUNKS_KEPT = 60;

export interface OutputState {
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Main has not counted all lines yet. */
  readonly counting: boolean;
  readonly error: BridgeError | null;
}

/**
 * The lines of one stored output that are near the screen. Pieces are asked for once, in the order in which they were
 * last needed, and forgotten when they are far away: reading through a gigabyte holds a few thousand lines.
 */
export class OutputChunks {
  readonly #fetch: (fromLine: number, lines: number) => Promise<BridgeResult<OutputWindow>>;
  readonly #onChange: () => void;
  readonly #chunks = new Map<number, readonly OutputRow[]>();
  readonly #asked = new Set<number>();
  #state: OutputState = { totalLines: 0, totalBytes: 0, counting: true, error: null };

  constructor(fetch: (fromLine: number, lines: number) => Promise<BridgeResult<OutputWindow>>, onChange: () => void) {
    this.#fetch = fetch;
    this.#onChange = onChange;
  }

  get state(): OutputState {
    return this.#state;
  }

  /** Undefined while it is on its way. */
  line(index: number): OutputRow | undefined {
    return this.#chunks.get(Math.floor(index / CHUNK_LINES))?.[index % CHUNK_LINES];
  }

  need(chunks: readonly number[], again = false): void {
    for (const chunk of chunks) {
      const lines = this.#chunks.get(chunk);
      if (lines !== undefined && !again) {
        // Most recently needed last.
        this.#chunks.delete(chunk);
        this.#chunks.set(chunk, lines);
        continue;
      }
      if (this.#asked.has(chunk)) continue;
      this.#asked.add(chunk);
      void this.#load(chunk);
    }
  }

  async #load(chunk: number): Promise<void> {
    const answer = await this.#fetch(chunk * CHUNK_LINES, CHUNK_LINES);
    this.#asked.delete(chunk);
    if (!answer.ok) {
      this.#state = { ...this.#state, error: answer.error };
      this.#onChange();
      return;
    }
    const { rows: lines, fromLine, totalLines, totalBytes } = answer.value;
    this.#chunks.delete(chunk);
    this.#chunks.set(chunk, lines);
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= CHUNKS_KEPT) break;
      this.#chunks.delete(oldest);
    }
    this.#state = {
      // There are at least the lines that were seen until main has counted, and one more piece where this one was full.
      totalLines:
        totalLines ??
        Math.max(this.#state.totalLines, fromLine + lines.length + (lines.length === CHUNK_LINES ? CHUNK_LINES : 0)),
      totalBytes,
      counting: totalLines === null,
      error: null,
    };
    this.#onChange();
  }
}
