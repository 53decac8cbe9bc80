import { createByteSanitizer, sanitize } from './sanitize.js';

const MOST = 16_384;
const MOST_OF_ONE = 2000;
const MOST_LAST = 500;
const MOST_LINES = 60;
/** `TypeError: …`, `Error [ERR_X]: …`, `thrown: …`, `fatal: …`, in whatever stands before it. */
const NAMES_ERROR = /(?:\b\w*(?:Error|Exception)\b(?: \[\w+\])?:|^\W*(?:error|fatal|panic)\b)/iu;
/** A frame of a stack, and the line of a program that threw. */
const IS_PLACE = /^\s*at |\b(?:throw|raise)\s/u;

/** The end of what a server said beside its answers, made fit to be read. */
export class Complaints {
  #text = '';
  readonly #sanitizer = createByteSanitizer();

  heard(bytes: Uint8Array): void {
    this.#add(this.#sanitizer.push(bytes));
  }

  /** Adds a note on a line of its own. */
  note(words: string): void {
    const start = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
    this.#add(`${start}${sanitize(words.slice(0, MOST_OF_ONE)).text}\n`);
  }

  get text(): string {
    return this.#text;
  }

  /** The line to quote in an error: the line that names one, else the last one. */
  get last(): string {
    const lines = this.#text.trimEnd().split('\n');
    // Under it stand where it came from, and in Node a bracket and a version.
    const named = lines.slice(-MOST_LINES).findLast((line) => NAMES_ERROR.test(line) && !IS_PLACE.test(line));
    return (named?.trim() ?? lines.slice(-3).join('\n')).slice(0, MOST_LAST);
  }

  #add(text: string): void {
    this.#text = (this.#text + text).slice(-MOST);
  }
}
