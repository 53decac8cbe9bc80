import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Asker } from '../../../domain/call/asker.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { Tool } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';

const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 1000;

/**
 * The access that a failed call was missing: the reason for asking next time, and the hidden paths that a person could
 * let it read.
 */
export interface MissingAccess {
  readonly why: string;
  readonly reads: readonly string[];
}

/**
 * Remembers calls that ran without a person and failed for lack of something a person could have granted. The same
 * call, requested again in its session within ten minutes, is asked about.
 */
export class CallsMissingAccess {
  readonly #clock: Clock;
  readonly #why = new Map<string, MissingAccess & { readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(asker: Asker, tool: Tool<unknown>, args: JsonObject, lacked: MissingAccess): void {
    if (this.#why.size >= MAX_REMEMBERED) this.#why.clear();
    this.#why.set(missingAccessKey(asker, tool, args), { ...lacked, at: this.#clock.monotonic() });
  }

  /** Drops the note: a person let the call run, and it lacks nothing any more. */
  forget(asker: Asker, tool: Tool<unknown>, args: JsonObject): void {
    this.#why.delete(missingAccessKey(asker, tool, args));
  }

  /** Null where nothing was noted about the call, or the note is too old. */
  find(asker: Asker, tool: Tool<unknown>, args: JsonObject): MissingAccess | null {
    const noted = this.#why.get(missingAccessKey(asker, tool, args));
    return noted !== undefined && this.#clock.monotonic() - noted.at < REMEMBERED_MS ? noted : null;
  }
}

const missingAccessKey = (
  { door, session }: Asker,
  { declaration: { id, version } }: Tool<unknown>,
  args: JsonObject,
): string => digestJson({ door, session, id, version, args });
