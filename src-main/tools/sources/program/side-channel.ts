import { randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { LineCutter } from '../../../platform/reading/line-cutter.js';
import type { SourceInvocation } from '../../../domain/ports/sources/source.js';

const MAX_LINE_BYTES = 64 * 1024;
const MAX_PHASE_LENGTH = 200;
/** Progress that comes oftener is nobody's to see. */
const PROGRESS_INTERVAL_MS = 50;

/** Reads what a program writes to descriptor 3: progress and checkpoints are passed on; all else is counted. */
export class SideChannel {
  ignored = 0;
  readonly #to: Pick<SourceInvocation, 'onProgress' | 'onCheckpoint'>;
  #lastProgressAt = Number.NEGATIVE_INFINITY;

  constructor(to: Pick<SourceInvocation, 'onProgress' | 'onCheckpoint'>) {
    this.#to = to;
  }

  async readAll(side: AsyncIterable<Uint8Array>): Promise<void> {
    const lines = new LineCutter(MAX_LINE_BYTES);
    for await (const bytes of side) for (const line of lines.push(bytes)) this.#takeLine(line);
    for (const line of lines.end()) this.#takeLine(line);
  }

  #takeLine(line: Buffer | null): void {
    const text = line?.toString() ?? '';
    if (line !== null && text.trim() === '') return;
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

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
