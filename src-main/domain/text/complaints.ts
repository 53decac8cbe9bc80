import { createByteSanitizer, sanitize } from './sanitize.js';

const MOST = 16_384;
const MOST_OF_ONE = 2000;

/** The end of what a server said beside its answers, made fit to be read. */
export class Complaints {
  #text = '';
  readonly #sanitizer = createByteSanitizer();

  heard(bytes: Uint8Array): void {
    this.#add(this.#sanitizer.push(bytes));
  }

  /** On a line of its own. */
  note(words: string): void {
    const start = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
    this.#add(`${start}${sanitize(words.slice(0, MOST_OF_ONE)).text}\n`);
  }

  get text(): string {
    return this.#text;
  }

  /** For the words of an error: what was said last. */
  get last(): string {
    return this.#text.trimEnd().split('\n').slice(-3).join('\n').slice(-500);
  }

  #add(text: string): void {
    this.#text = (this.#text + text).slice(-MOST);
  }
}
