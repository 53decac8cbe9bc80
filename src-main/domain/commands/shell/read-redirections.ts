import {
  type Cursor,
  explainUnexpected,
  locatePart,
  type NestedReader,
  readDoubleQuoted,
  readWord,
  skipBlanks,
  takeMatch,
} from './read-words.js';
import { STRICT } from './strict-mode.js';
import { type Redirection, UnreadableScript, type ShellWord, type WordPart } from './syntax.js';
import { literalText } from './word-text.js';

interface PendingHereDocument {
  readonly delimiter: string;
  readonly expands: boolean;
  readonly stripsTabs: boolean;
  readonly into: { body: ShellWord | null };
}

/** Reads redirections, and the bodies of here-documents, which follow the line that names them. */
export class RedirectionReader {
  readonly #cursor: Cursor;
  readonly #nested: NestedReader;
  /** What is read in a body is a text of its own. */
  readonly #nestedIn: (body: Cursor) => NestedReader;
  readonly #awaited: PendingHereDocument[] = [];

  constructor(cursor: Cursor, nested: NestedReader, nestedIn: (body: Cursor) => NestedReader) {
    this.#cursor = cursor;
    this.#nested = nested;
    this.#nestedIn = nestedIn;
  }

  get isAwaitingBody(): boolean {
    return this.#awaited.length > 0;
  }

  readAll(): readonly Redirection[] {
    const redirects: Redirection[] = [];
    for (;;) {
      skipBlanks(this.#cursor);
      const redirect = this.read();
      if (redirect === null) return redirects;
      redirects.push(redirect);
    }
  }

  read(): Redirection | null {
    const start = this.#cursor.at;
    if (this.#cursor.isStrict && !this.#isStrictOne()) return null;
    const both = takeMatch(this.#cursor, /&>>?/y);
    const found = both ?? takeMatch(this.#cursor, /\d*(?:<<<|<<-?|<>|<&|>>|>\||>&|<(?!\()|>(?!\())/y);
    if (found === null) return null;
    const [, digits = '', sign = ''] = /^(\d*)(.*)$/u.exec(found) ?? [];
    skipBlanks(this.#cursor);
    const at = this.#cursor.at;
    const target = readWord(this.#cursor, this.#nested);
    if (target === null) throw explainUnexpected(this.#cursor);
    const fd = digits === '' ? null : Number(digits);
    const redirect = (operator: Redirection['operator'], word: ShellWord): Redirection => ({
      operator,
      fd,
      target: word,
      ...locatePart(this.#cursor, start, this.#cursor.at),
    });
    if (both !== null) {
      // Some shells read `&>` as `&` and `>`: only with nothing behind it do both do the same to files.
      skipBlanks(this.#cursor);
      if (!/[\n;|&)]/u.test(this.#cursor.text[this.#cursor.at] ?? '\n'))
        throw new UnreadableScript(start, 'a redirection that only some shells know');
      return redirect(both === '&>>' ? '>>' : '>', target);
    }
    if (sign === '<<' || sign === '<<-') return this.#awaitBody(sign, target, at, redirect);
    if (sign === '>&' && !/^[\d-]$/u.test(literalText(target) ?? ''))
      throw new UnreadableScript(start, 'a redirection that only some shells know');
    return redirect(sign as Redirection['operator'], target);
  }

  #isStrictOne(): boolean {
    STRICT.redirection.lastIndex = this.#cursor.at;
    return STRICT.redirection.test(this.#cursor.text);
  }

  #awaitBody(
    sign: string,
    delimiter: ShellWord,
    at: number,
    redirect: (operator: '<<', word: ShellWord) => Redirection,
  ): Redirection {
    const text = literalText(delimiter);
    if (text === null || text === '' || text.includes('\n')) throw new UnreadableScript(at, 'a here-document');
    const expands = delimiter.parts.every((part) => part.kind === 'text' && !part.quoted);
    const into: { body: ShellWord | null } = { body: null };
    this.#awaited.push({ delimiter: text, expands, stripsTabs: sign === '<<-', into });
    const found = redirect('<<', delimiter);
    return {
      ...found,
      get target() {
        return into.body ?? delimiter;
      },
    };
  }

  /** Reads the bodies that are awaited, at the end of their line. */
  readBodies(): void {
    for (const { delimiter, expands, stripsTabs, into } of this.#awaited.splice(0)) {
      const start = this.#cursor.at;
      let body = '';
      for (;;) {
        const { text, at } = this.#cursor;
        if (at >= text.length) throw new UnreadableScript(start, 'a here-document without an end');
        const end = text.indexOf('\n', at);
        const line = text.slice(at, end === -1 ? text.length : end);
        const stripped = stripsTabs ? line.replace(/^\t+/u, '') : line;
        this.#cursor.at = end === -1 ? text.length : end + 1;
        if (stripped === delimiter) break;
        // A delimiter behind a line that goes on is one to some and none to others.
        if (expands && line.endsWith('\\')) throw new UnreadableScript(at, 'a line that goes on in a here-document');
        body += `${stripped}\n`;
      }
      const place = locatePart(this.#cursor, start, this.#cursor.at);
      const inner: Cursor = { ...this.#cursor, text: body, at: 0, pin: place };
      const parts: readonly WordPart[] = expands
        ? readDoubleQuoted(inner, this.#nestedIn(inner), '')
        : [{ kind: 'text', value: body, quoted: true }];
      into.body = { parts, ...place };
    }
  }
}
