import {
  type Cursor,
  MAX_NESTING,
  readDoubleQuoted,
  type NestedReader,
  locatePart,
  readWord,
  takeMatch,
} from './read-words.js';
import { splitAssignment, literalText } from './word-text.js';
import {
  type Assignment,
  type ShellCommand,
  type WordPart,
  type Redirection,
  type ShellScript,
  type SimpleCommand,
  type PipelineStep,
  UnreadableScript,
  type ShellWord,
} from './syntax.js';

/** Limit of commands in a script: whoever sends it may make it of sixty thousand. */
const MAX_COMMANDS = 1000;

/** Tab and line end are the only ones with a place here; CR and its like end nothing and hide much. */
// oxlint-disable-next-line no-control-regex
const TROUBLE = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/u;

/** Reads a whole text, or throws `Unread`. `pin`: where it stands in the text that a person sees, if not by itself. */
export function readScript(text: string, pin: Cursor['pin'] = null, depth = 0): ShellScript {
  const trouble = TROUBLE.exec(text);
  if (trouble !== null) throw new UnreadableScript(trouble.index, 'a control character');
  return new ScriptReader({ text, at: 0, pin, depth }).whole();
}

interface PendingHereDocument {
  readonly delimiter: string;
  readonly expands: boolean;
  readonly stripsTabs: boolean;
  readonly into: { body: ShellWord | null };
}

const ENDS_LIST: ReadonlySet<string> = new Set('then else elif fi do done esac } in'.split(' '));
/** Keywords of some shells only, or names for what follows them. */
const SHELL_SPECIFIC_KEYWORDS: ReadonlySet<string> = new Set('function select coproc'.split(' '));

class ScriptReader {
  readonly #cursor: Cursor;
  readonly #awaited: PendingHereDocument[] = [];
  readonly #nested: NestedReader;
  #commands = 0;

  constructor(cursor: Cursor) {
    this.#cursor = cursor;
    this.#nested = {
      upToParenthesis: () => {
        const opened = this.#cursor.at;
        const body = this.#deeper(() => this.#list());
        if (this.#cursor.text[this.#cursor.at] !== ')')
          throw new UnreadableScript(opened, 'a parenthesis without an end');
        this.#cursor.at += 1;
        return body;
      },
      whole: (text, from, start, end) => readScript(text, locatePart(from, start, end), from.depth + 1),
    };
  }

  whole(): ShellScript {
    if (this.#cursor.depth > MAX_NESTING) throw new UnreadableScript(0, 'commands within commands, too deep to follow');
    const script = this.#list();
    if (this.#cursor.at < this.#cursor.text.length) throw this.#unexpected();
    if (this.#awaited.length > 0) throw new UnreadableScript(this.#cursor.at, 'a here-document without an end');
    return script;
  }

  #deeper<T>(read: () => T): T {
    this.#cursor.depth += 1;
    if (this.#cursor.depth > MAX_NESTING)
      throw new UnreadableScript(this.#cursor.at, 'commands within commands, too deep to follow');
    const done = read();
    this.#cursor.depth -= 1;
    return done;
  }

  /** Up to a word or a sign that ends it, which is left where it is. */
  #list(): ShellScript {
    const steps: PipelineStep[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#isAtEnd()) {
        const last = steps.at(-1);
        if (last?.joint === '&&' || last?.joint === '||')
          throw new UnreadableScript(this.#cursor.at, `nothing after ${last.joint}`);
        return steps;
      }
      const pipeline = this.#pipeline();
      const joint = this.#joint();
      steps.push({ pipeline, joint });
      if (joint === null) return steps;
    }
  }

  #isAtEnd(): boolean {
    const { text, at } = this.#cursor;
    const next = text[at];
    if (next === undefined || next === ')' || text.startsWith(';;', at)) return true;
    const word = /[a-z}]+(?=[ \t\n;|&()]|$)/y;
    word.lastIndex = at;
    return ENDS_LIST.has(word.exec(text)?.[0] ?? '');
  }

  #joint(): PipelineStep['joint'] {
    this.#blanks();
    const { text, at } = this.#cursor;
    if (text.startsWith(';;', at)) return null;
    const found = takeMatch(this.#cursor, /&&|\|\||;|&(?![>&])|\n/y);
    if (found === null) return null;
    if (found === '\n') this.#bodies();
    return found === '\n' ? ';' : (found as PipelineStep['joint']);
  }

  #pipeline(): readonly ShellCommand[] {
    takeMatch(this.#cursor, /![ \t]+/y);
    const commands: ShellCommand[] = [];
    for (;;) {
      this.#commands += 1;
      if (this.#commands > MAX_COMMANDS)
        throw new UnreadableScript(this.#cursor.at, 'more commands than are looked at');
      commands.push(this.#deeper(() => this.#command()));
      this.#blanks();
      if (takeMatch(this.#cursor, /\|(?![|&])/y) === null) break;
      this.#skipLines();
    }
    return commands;
  }

  #command(): ShellCommand {
    this.#blanks();
    const { text, at } = this.#cursor;
    if (text[at] === '(') {
      if (text[at + 1] === '(') throw new UnreadableScript(at, 'arithmetic');
      this.#cursor.at += 1;
      const body = this.#nested.upToParenthesis(this.#cursor);
      return { kind: 'subshell', body, redirects: this.#redirects() };
    }
    const keyword = /[a-z{!]+(?=[ \t\n;|&()]|$)/y;
    keyword.lastIndex = at;
    const word = keyword.exec(text)?.[0] ?? '';
    if (SHELL_SPECIFIC_KEYWORDS.has(word) || ENDS_LIST.has(word))
      throw new UnreadableScript(at, `the shell’s own word “${word}”`);
    switch (word) {
      case 'if':
        return this.#choice();
      case 'while':
      case 'until':
        return this.#while(word);
      case 'for':
        return this.#for();
      case 'case':
        return this.#case();
      case '{': {
        this.#cursor.at += 1;
        const body = this.#list();
        this.#expect('}');
        return { kind: 'group', body, redirects: this.#redirects() };
      }
      case '!':
        throw new UnreadableScript(at, 'an exclamation mark');
      default:
        return this.#simple();
    }
  }

  #choice(): ShellCommand {
    const parts: ShellScript[] = [];
    this.#expect('if');
    parts.push(this.#list());
    this.#expect('then');
    parts.push(this.#list());
    for (;;) {
      if (this.#take('elif')) {
        parts.push(this.#list());
        this.#expect('then');
        parts.push(this.#list());
      } else if (this.#take('else')) {
        parts.push(this.#list());
        this.#expect('fi');
        break;
      } else {
        this.#expect('fi');
        break;
      }
    }
    return { kind: 'choice', parts, redirects: this.#redirects() };
  }

  #while(word: string): ShellCommand {
    this.#expect(word);
    const condition = this.#list();
    this.#expect('do');
    const body = this.#list();
    this.#expect('done');
    return { kind: 'loop', over: null, parts: [condition, body], redirects: this.#redirects() };
  }

  #for(): ShellCommand {
    this.#expect('for');
    this.#blanks();
    const name = takeMatch(this.#cursor, /[A-Za-z_]\w*(?=[ \t\n;])/y);
    if (name === null) throw this.#unexpected();
    this.#skipLines();
    const words: ShellWord[] = [];
    if (this.#take('in')) {
      for (;;) {
        this.#blanks();
        const word = readWord(this.#cursor, this.#nested);
        if (word === null) break;
        words.push(word);
      }
    } else throw new UnreadableScript(this.#cursor.at, 'a loop over what the script is given');
    takeMatch(this.#cursor, /[ \t]*;/y);
    this.#skipLines();
    this.#expect('do');
    const body = this.#list();
    this.#expect('done');
    return { kind: 'loop', over: { name, words }, parts: [body], redirects: this.#redirects() };
  }

  #case(): ShellCommand {
    this.#expect('case');
    this.#blanks();
    const word = readWord(this.#cursor, this.#nested);
    if (word === null) throw this.#unexpected();
    this.#skipLines();
    this.#expect('in');
    const patterns: ShellWord[] = [];
    const parts: ShellScript[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#take('esac')) break;
      takeMatch(this.#cursor, /\([ \t]*/y);
      for (;;) {
        this.#blanks();
        const pattern = readWord(this.#cursor, this.#nested);
        if (pattern === null) throw this.#unexpected();
        patterns.push(pattern);
        this.#blanks();
        if (takeMatch(this.#cursor, /\|(?![|&])/y) === null) break;
      }
      if (takeMatch(this.#cursor, /\)/y) === null) throw this.#unexpected();
      parts.push(this.#list());
      this.#skipLines();
      if (takeMatch(this.#cursor, /;;(?!&)/y) !== null) continue;
      this.#expect('esac');
      break;
    }
    return { kind: 'case', word, patterns, parts, redirects: this.#redirects() };
  }

  #simple(): SimpleCommand {
    const start = this.#cursor.at;
    const assignments: Assignment[] = [];
    const words: ShellWord[] = [];
    const redirects: Redirection[] = [];
    for (;;) {
      this.#blanks();
      const redirect = this.#redirect();
      if (redirect !== null) {
        redirects.push(redirect);
        continue;
      }
      const { text, at } = this.#cursor;
      if (text[at] === '(')
        throw new UnreadableScript(at, words.length === 1 ? 'a function of its own' : 'a parenthesis');
      const word = readWord(this.#cursor, this.#nested);
      if (word === null) break;
      const assigned = words.length === 0 ? splitAssignment(word, text.slice(at, this.#cursor.at)) : null;
      if (assigned === null) words.push(word);
      else assignments.push(assigned);
    }
    if (words.length === 0 && assignments.length === 0 && redirects.length === 0) throw this.#unexpected();
    return { kind: 'simple', assignments, words, redirects, ...locatePart(this.#cursor, start, this.#cursor.at) };
  }

  #redirects(): readonly Redirection[] {
    const redirects: Redirection[] = [];
    for (;;) {
      this.#blanks();
      const redirect = this.#redirect();
      if (redirect === null) return redirects;
      redirects.push(redirect);
    }
  }

  #redirect(): Redirection | null {
    const start = this.#cursor.at;
    const both = takeMatch(this.#cursor, /&>>?/y);
    const found = both ?? takeMatch(this.#cursor, /\d*(?:<<<|<<-?|<>|<&|>>|>\||>&|<(?!\()|>(?!\())/y);
    if (found === null) return null;
    const [, digits = '', sign = ''] = /^(\d*)(.*)$/u.exec(found) ?? [];
    this.#blanks();
    const at = this.#cursor.at;
    const target = readWord(this.#cursor, this.#nested);
    if (target === null) throw this.#unexpected();
    const fd = digits === '' ? null : Number(digits);
    const redirect = (operator: Redirection['operator'], word: ShellWord): Redirection => ({
      operator,
      fd,
      target: word,
      ...locatePart(this.#cursor, start, this.#cursor.at),
    });
    if (both !== null) {
      // To some it is this and `&` before it: only with nothing behind it do both do the same to files.
      this.#blanks();
      if (!this.#endsCommand()) throw new UnreadableScript(start, 'a redirection that only some shells know');
      return redirect(both === '&>>' ? '>>' : '>', target);
    }
    if (sign === '<<' || sign === '<<-') return this.#awaitBody(sign, target, at, redirect);
    if (sign === '>&' && !/^[\d-]$/u.test(literalText(target) ?? ''))
      throw new UnreadableScript(start, 'a redirection that only some shells know');
    return redirect(sign as Redirection['operator'], target);
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

  /** Reads the bodies of here-documents, which follow the line that names them. */
  #bodies(): void {
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
      const inner: Cursor = { text: body, at: 0, pin: place, depth: this.#cursor.depth };
      const parts: readonly WordPart[] = expands
        ? readDoubleQuoted(inner, { ...this.#nested, upToParenthesis: (cursor) => this.#inBody(cursor) }, '')
        : [{ kind: 'text', value: body, quoted: true }];
      into.body = { parts, ...place };
    }
  }

  /** `$(…)` in a here-document: a text of its own up to its parenthesis. */
  #inBody(cursor: Cursor): ShellScript {
    const inner = new ScriptReader(cursor);
    return inner.#nested.upToParenthesis(cursor);
  }

  #endsCommand(): boolean {
    const next = this.#cursor.text[this.#cursor.at];
    return next === undefined || /[\n;|&)]/u.test(next);
  }

  #take(word: string): boolean {
    this.#skipLines();
    const { text, at } = this.#cursor;
    const after = text[at + word.length];
    if (!text.startsWith(word, at) || (after !== undefined && !/[ \t\n;|&()<>]/u.test(after))) return false;
    this.#cursor.at += word.length;
    return true;
  }

  #expect(word: string): void {
    if (!this.#take(word)) throw this.#unexpected();
  }

  #blanks(): void {
    takeMatch(this.#cursor, /(?:[ \t]|\\\n)*/y);
    const { text, at } = this.#cursor;
    if (text[at] === '#' && (at === 0 || /[ \t\n;|&()]/u.test(text[at - 1] ?? ''))) takeMatch(this.#cursor, /[^\n]*/y);
  }

  #skipLines(): void {
    for (;;) {
      this.#blanks();
      if (this.#cursor.text[this.#cursor.at] !== '\n') return;
      this.#cursor.at += 1;
      this.#bodies();
    }
  }

  #unexpected(): UnreadableScript {
    const { text, at } = this.#cursor;
    const next = text[at];
    return new UnreadableScript(
      at,
      next === undefined ? 'a command without an end' : `“${next}” where a command should be`,
    );
  }
}
