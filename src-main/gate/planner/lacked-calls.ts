import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Asker } from '../../domain/call/asker.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Tool } from '../../domain/tool/tool.js';
import { digestOf } from '../../platform/digest.js';

const FOR_MS = 10 * 60_000;
const MOST = 1000;

/**
 * Calls that ran without a person and failed for what one could have given. The same, asked for again in its session within
 * ten minutes, is asked about.
 */
export class LackedCalls {
  readonly #clock: Clock;
  readonly #why = new Map<string, { readonly why: string; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(asker: Asker, tool: Tool<unknown>, args: JsonObject, why: string): void {
    if (this.#why.size >= MOST) this.#why.clear();
    this.#why.set(keyOf(asker, tool, args), { why, at: this.#clock.monotonic() });
  }

  /** Null where nothing is known of it. */
  why(asker: Asker, tool: Tool<unknown>, args: JsonObject): string | null {
    const noted = this.#why.get(keyOf(asker, tool, args));
    return noted !== undefined && this.#clock.monotonic() - noted.at < FOR_MS ? noted.why : null;
  }
}

const keyOf = ({ door, session }: Asker, { declaration: { id, version } }: Tool<unknown>, args: JsonObject): string =>
  digestOf({ door, session, id, version, args });
