import { createByteSanitizer, sanitize } from './sanitize.js';

const MAX_LENGTH = 16_384;
const MAX_NOTE_LENGTH = 2000;
const MAX_LAST_LENGTH = 500;
const MAX_SEARCHED_LINES = 60;
/** `TypeError: …`, `Error [ERR_X]: …`, `thrown: …`, `fatal: …`, in whatever stands before it. */
const NAMES_ERROR = /(?:\b\w*(?:Error|Exception)\b(?: \[\w+\])?:|^\W*(?:error|fatal|panic)\b)/iu;
/** A frame of a stack, and the line of a program that threw. */
const IS_STACK_FRAME = /^\s*at |\b(?:throw|raise)\s/u;

/** The end of what a server said beside its answers, made fit to be read. */
export class ErrorOutput {
  #text = '';
  readonly #sanitizer = createByteSanitizer();

  heard(bytes: Uint8Array): void {
    this.#add(this.#sanitizer.push(bytes));
  }

  /** Adds a note on a line of its own. */
  note(words: string): void {
    const start = this.#text === '' || this.#text.endsWith('\n') ? '' : '\n';
    this.#add(`${start}${sanitize(words.slice(0, MAX_NOTE_LENGTH)).text}\n`);
  }

  get text(): string {
    return this.#text;
  }

  /** The line to quote in an error: the line that names one, else the last one. */
  get last(): string {
    const lines = this.#text.trimEnd().split('\n');
    // Under it stand where it came from, and in Node a bracket and a version.
    const named = lines
      .slice(-MAX_SEARCHED_LINES)
      .findLast((line) => NAMES_ERROR.test(line) && !IS_STACK_FRAME.test(line));
    return (named?.trim() ?? lines.slice(-3).join('\n')).slice(0, MAX_LAST_LENGTH);
  }

  #add(text: string): void {
    this.#text = (this.#text + text).slice(-MAX_LENGTH);
  }
}
