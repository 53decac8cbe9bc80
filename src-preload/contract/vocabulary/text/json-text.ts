import type { Json } from '../json.js';

export type ParsedJson<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** The only reader of JSON that a person wrote: it says where a text is wrong, in lines and columns. */
export function parseJson(text: string): ParsedJson<Json> {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch {
    const { at, message } = findJsonError(text) ?? { at: 0, message: 'This can’t be read' };
    const { line, column } = findPosition(text, at);
    return { ok: false, message: `Line ${line}, column ${column}: ${message}.` };
  }
}

/** Where a text stops being JSON, and why, in words. The engine's own message often leaves the place out. */
export interface JsonError {
  readonly at: number;
  readonly message: string;
}

const SPACE = /[ \t\n\r]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING_PART = /[^"\\\u0000-\u001f]+/y; // oxlint-disable-line no-control-regex -- JSON forbids exactly these
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const MAX_DEPTH = 500;

class Scanner {
  at = 0;
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }

  whole(): JsonError | null {
    const wrong = this.#value(0);
    if (wrong !== null) return wrong;
    this.#space();
    return this.at < this.#text.length ? this.#error('There is something after the end of the value') : null;
  }

  #error(message: string): JsonError {
    return { at: this.at, message: this.at >= this.#text.length ? 'The text ends too early' : message };
  }

  #space(): void {
    while (SPACE.test(this.#text[this.at] ?? '')) this.at += 1;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.#text);
    if (match === null) return false;
    this.at += match[0].length;
    return true;
  }

  #value(depth: number): JsonError | null {
    this.#space();
    if (depth > MAX_DEPTH) return this.#error('It is nested too deeply');
    const next = this.#text[this.at];
    if (next === '{') return this.#list('}', depth, true);
    if (next === '[') return this.#list(']', depth, false);
    if (next === '"') return this.#string();
    for (const word of ['true', 'false', 'null']) {
      if (this.#text.startsWith(word, this.at)) {
        this.at += word.length;
        return null;
      }
    }
    if (this.#take(NUMBER)) return null;
    return this.#error(next === "'" ? 'Text stands in double quotes' : 'A value is expected here');
  }

  #string(): JsonError | null {
    this.at += 1;
    for (;;) {
      if (this.#text[this.at] === '"') {
        this.at += 1;
        return null;
      }
      if (this.#take(STRING_PART) || this.#take(ESCAPE)) continue;
      return this.#error(
        this.#text[this.at] === '\\' ? 'This escape is not one of JSON’s' : 'A line break in text is written \\n',
      );
    }
  }

  #list(close: '}' | ']', depth: number, named: boolean): JsonError | null {
    this.at += 1;
    this.#space();
    if (this.#text[this.at] === close) {
      this.at += 1;
      return null;
    }
    for (;;) {
      this.#space();
      if (named) {
        if (this.#text[this.at] !== '"') return this.#error('A name in double quotes is expected here');
        const wrong = this.#string();
        if (wrong !== null) return wrong;
        this.#space();
        if (this.#text[this.at] !== ':') return this.#error('A colon is expected after a name');
        this.at += 1;
      }
      const wrong = this.#value(depth + 1);
      if (wrong !== null) return wrong;
      this.#space();
      const next = this.#text[this.at];
      if (next === close) {
        this.at += 1;
        return null;
      }
      if (next !== ',') return this.#error(`A comma or ${close} is expected here`);
      this.at += 1;
    }
  }
}

export const findJsonError = (text: string): JsonError | null => new Scanner(text).whole();

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export function findPosition(text: string, at: number): TextPosition {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return { line, column: at - (before.lastIndexOf('\n') + 1) + 1 };
}
