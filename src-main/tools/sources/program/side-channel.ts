import { randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { SourceInvocation } from '../../../domain/ports/sources/source.js';

const MAX_LINE_BYTES = 64 * 1024;
const MAX_PHASE_LENGTH = 200;
/** Progress that comes oftener is nobody's to see. */
const PROGRESS_INTERVAL_MS = 50;

/** Reads what a program writes to descriptor 3: progress and checkpoints are passed on; all else is counted. */
export class SideChannel {
  ignored = 0;
  readonly #to: Pick<SourceInvocation, 'onProgress' | 'onCheckpoint'>;
  #line: Uint8Array[] = [];
  #length = 0;
  #lastProgressAt = Number.NEGATIVE_INFINITY;

  constructor(to: Pick<SourceInvocation, 'onProgress' | 'onCheckpoint'>) {
    this.#to = to;
  }

  async readAll(side: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of side) this.#takeBytes(bytes);
    if (this.#length > 0) this.#finishLine();
  }

  #takeBytes(bytes: Uint8Array): void {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      this.#add(bytes.subarray(from, end));
      this.#finishLine();
      from = end + 1;
    }
    this.#add(bytes.subarray(from));
  }

  /** Adds a part of a line. Of a line that is too long only its length is kept. */
  #add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length <= MAX_LINE_BYTES) this.#line.push(part);
    else this.#line = [];
  }

  #finishLine(): void {
    const text = this.#length <= MAX_LINE_BYTES ? Buffer.concat(this.#line).toString() : '';
    this.#line = [];
    const wasLong = this.#length > MAX_LINE_BYTES;
    this.#length = 0;
    if (text.trim() === '' && !wasLong) return;
    const said = parseJson(text);
    if (isJsonObject(said) && said['type'] === 'progress') this.#progress(said['percent'], said['phase']);
    else if (!isJsonObject(said) || !this.#checkpoint(said)) this.ignored += 1;
  }

  /** False where it is none: a milestone, or one with a name. */
  #checkpoint({ type, kind, label, state }: JsonObject): boolean {
    const named = typeof label === 'string' && label.trim() !== '' ? label.slice(0, MAX_PHASE_LENGTH) : null;
    if (type !== 'checkpoint' || (kind !== 'macro' && kind !== 'named') || (kind === 'named' && named === null))
      return false;
    const stateBytes = state === undefined ? 0 : Buffer.byteLength(JSON.stringify(state));
    this.#to.onCheckpoint?.({ id: randomUUID(), kind, label: named, at: Date.now(), stateBytes });
    return true;
  }

  #progress(percent: Json | undefined, phase: Json | undefined): void {
    const now = performance.now();
    if (now - this.#lastProgressAt < PROGRESS_INTERVAL_MS) return;
    this.#lastProgressAt = now;
    this.#to.onProgress({
      percent: typeof percent === 'number' ? Math.min(100, Math.max(0, percent)) : null,
      phase: typeof phase === 'string' ? phase.slice(0, MAX_PHASE_LENGTH) : null,
    });
  }
}

const NEWLINE = 0x0a;

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
