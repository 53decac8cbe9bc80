import Type from 'typebox';
import { keptJson } from '../../platform/files/kept-json.js';

/** So many at most: names that clients give themselves fill no file. */
const MAX_PAUSED = 500;

/** The agents that the person paused, in a file: a crash resumes nobody. */
export class PausedAgents {
  readonly #file;
  readonly #paused: Set<string>;
  /** The file is there and can't be read: who was paused is not known. */
  readonly damaged: boolean;

  constructor(file: string) {
    this.#file = keptJson(file, Type.Array(Type.String()));
    this.damaged = this.#file.broken;
    this.#paused = new Set(this.#file.read());
  }

  list(): readonly string[] {
    return [...this.#paused];
  }

  has(who: string): boolean {
    return this.#paused.has(who);
  }

  /** Null when it is so, and kept; otherwise why not. */
  set(who: string, paused: boolean): string | null {
    if (paused === this.#paused.has(who)) return null;
    if (paused && this.#paused.size >= MAX_PAUSED) return `${MAX_PAUSED} agents are paused, which is the limit.`;
    const next = new Set(this.#paused);
    if (paused) next.add(who);
    else next.delete(who);
    try {
      this.#file.write([...next]);
    } catch (error) {
      // An agent is paused all the same, for as long as the app runs.
      if (paused) this.#paused.add(who);
      return `This could not be written down: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#paused.clear();
    for (const each of next) this.#paused.add(each);
    return null;
  }
}
