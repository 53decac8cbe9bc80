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

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = keptJson(file, Type.Record(Type.String(), Type.Boolean()), { onProblem });
    this.#here = new Map(Object.entries(this.#file.read() ?? {}));
  }

  /** Null: nobody knows yet. */
  wasLocal(origin: string): boolean | null {
    return this.#here.get(origin) ?? null;
  }

  learn(origin: string, here: boolean): void {
    if (this.#here.has(origin) || this.#here.size < MAX_ADDRESSES) this.#here.set(origin, here);
    this.#file.write(Object.fromEntries(this.#here));
  }
}
