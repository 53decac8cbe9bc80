import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Asker } from '../../domain/call/asker.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Tool } from '../../domain/tool/tool.js';
import { digestJson } from '../../platform/digest.js';

const FOR_MS = 10 * 60_000;
const MOST = 1000;

/**
 * The access that a failed call was missing: the reason for asking next time, and the hidden paths that a person could
 * let it read.
 */
export interface Lacked {
  readonly why: string;
  readonly reads: readonly string[];
}

/**
 * Remembers calls that ran without a person and failed for lack of something a person could have granted. The same
 * call, requested again in its session within ten minutes, is asked about.
 */
export class LackedCalls {
  readonly #clock: Clock;
  readonly #why = new Map<string, Lacked & { readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(asker: Asker, tool: Tool<unknown>, args: JsonObject, lacked: Lacked): void {
    if (this.#why.size >= MOST) this.#why.clear();
    this.#why.set(keyOf(asker, tool, args), { ...lacked, at: this.#clock.monotonic() });
  }

  /** Drops the note: a person let the call run, and it lacks nothing any more. */
  forget(asker: Asker, tool: Tool<unknown>, args: JsonObject): void {
    this.#why.delete(keyOf(asker, tool, args));
  }

  /** Null where nothing was noted about the call, or the note is too old. */
  of(asker: Asker, tool: Tool<unknown>, args: JsonObject): Lacked | null {
    const noted = this.#why.get(keyOf(asker, tool, args));
    return noted !== undefined && this.#clock.monotonic() - noted.at < FOR_MS ? noted : null;
  }
}

const keyOf = ({ door, session }: Asker, { declaration: { id, version } }: Tool<unknown>, args: JsonObject): string =>
  digestJson({ door, session, id, version, args });
