import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

const MAX_ADDRESSES = 5000;

/**
 * Records for each address reached for something that the person accepted whether its name resolved to this computer
 * then.
 */
export class AddressResolutions {
  readonly #file: string;
  readonly #onProblem: (error: unknown) => void;
  readonly #here: Map<string, boolean>;

  constructor(file: string, onProblem: (error: unknown) => void) {
    this.#file = file;
    this.#onProblem = onProblem;
    this.#here = new Map(parse(readSmallFile(file)));
  }

  /** Null: nobody knows yet. */
  wasLocal(origin: string): boolean | null {
    return this.#here.get(origin) ?? null;
  }

  learn(origin: string, here: boolean): void {
    if (this.#here.has(origin) || this.#here.size < MAX_ADDRESSES) this.#here.set(origin, here);
    this.#keep();
  }

  #keep(): void {
    try {
      replaceSmallFile(this.#file, `${JSON.stringify(Object.fromEntries(this.#here))}\n`);
    } catch (error) {
      this.#onProblem(error);
    }
  }
}

function parse(text: string | null): readonly (readonly [string, boolean])[] {
  try {
    const kept: unknown = JSON.parse(text ?? '{}');
    const entries = Object.entries((kept ?? {}) as Record<string, unknown>);
    return entries.flatMap(([origin, here]) => (typeof here === 'boolean' ? [[origin, here] as const] : []));
  } catch {
    return [];
  }
}
