import Type from 'typebox';
import { keptJson } from '../files/kept-json.js';

const MAX_ADDRESSES = 5000;

/**
 * Records for each address reached for something that the person accepted whether its name resolved to this computer
 * then.
 */
export class AddressResolutions {
  readonly #file;
  readonly #here: Map<string, boolean>;
  /** Those that led here since this start, and were refused for it. */
  readonly #moved = new Set<string>();

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = keptJson(file, Type.Record(Type.String(), Type.Boolean()), { onProblem });
    this.#here = new Map(Object.entries(this.#file.read() ?? {}));
  }

  /** Null: nobody knows yet. */
  wasLocal(origin: string): boolean | null {
    return this.#here.get(origin) ?? null;
  }

  noteMoved(origin: string): void {
    this.#moved.add(origin);
  }

  hasMoved(origin: string): boolean {
    return this.#moved.has(origin);
  }

  learn(origin: string, here: boolean): void {
    this.#moved.delete(origin);
    if (this.#here.has(origin) || this.#here.size < MAX_ADDRESSES) this.#here.set(origin, here);
    this.#file.write(Object.fromEntries(this.#here));
  }
}
