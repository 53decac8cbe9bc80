import { randomBytes } from 'node:crypto';

/** So long a pipe may take to come in with its word. */
const GOOD_FOR_MS = 120_000;

/**
 * The words by which the window's own “Test call” starts a pipe: each is good for one pipe, which can make that call
 * and no other.
 */
export class TestCalls {
  readonly #words = new Set<string>();

  issue(): string {
    const word = randomBytes(32).toString('base64url');
    this.#words.add(word);
    setTimeout(() => this.#words.delete(word), GOOD_FOR_MS).unref();
    return word;
  }

  take(word: string): boolean {
    return this.#words.delete(word);
  }
}
