import { RedirectionReader } from './read-redirections.js';
import {
  type Cursor,
  explainUnexpected,
  MAX_NESTING,
  type NestedReader,
  locatePart,
  readWord,
  skipBlanks,
  takeMatch,
} from './read-words.js';
import { explainRefusal, refuse, STRICT } from './strict-mode.js';
import { splitAssignment } from './word-text.js';
import {
  type Assignment,
  type ShellCommand,
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

interface ScriptPlace extends Partial<Pick<Cursor, 'isStrict' | 'depth'>> {
  /** Where it stands in the text that a person sees, if not by itself. */
  readonly pin?: Cursor['pin'];
}

/** Reads a whole text, or throws `UnreadableScript`: the one reader of the shell’s language. */
export function readScript(text: string, { pin = null, depth = 0, isStrict = false }: ScriptPlace = {}): ShellScript {
  const trouble = TROUBLE.exec(text);
  if (trouble !== null) throw new UnreadableScript(trouble.index, 'a control character');
  return new ScriptReader({ text, at: 0, pin, depth, isStrict }).whole();
}

const ENDS_LIST: ReadonlySet<string> = new Set('then else elif fi do done esac } in'.split(' '));
/** Keywords of some shells only, or names for what follows them. */
const SHELL_SPECIFIC_KEYWORDS: ReadonlySet<string> = new Set('function select coproc'.split(' '));

class ScriptReader {
  readonly #cursor: Cursor;
  readonly #nested: NestedReader;
  readonly #redirections: RedirectionReader;
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
      whole: (text, from, start, end) => readScript(text, { pin: locatePart(from, start, end), depth: from.depth + 1 }),
    };
    this.#redirections = new RedirectionReader(cursor, this.#nested, () => ({
      ...this.#nested,
      upToParenthesis: (body) => new ScriptReader(body).#nested.upToParenthesis(body),
    }));
  }

  whole(): ShellScript {
    if (this.#cursor.depth > MAX_NESTING) throw new UnreadableScript(0, 'commands within commands, too deep to follow');
    const script = this.#list();
    if (this.#cursor.at < this.#cursor.text.length) throw explainUnexpected(this.#cursor);
    if (this.#redirections.isAwaitingBody)
      throw new UnreadableScript(this.#cursor.at, 'a here-document without an end');
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
    const { text, at, isStrict } = this.#cursor;
    const next = text[at];
    if (isStrict) return next === undefined;
    if (next === undefined || next === ')' || text.startsWith(';;', at)) return true;
    const word = /[a-z}]+(?=[ \t\n;|&()]|$)/y;
    word.lastIndex = at;
    return ENDS_LIST.has(word.exec(text)?.[0] ?? '');
  }

  #joint(): PipelineStep['joint'] {
    skipBlanks(this.#cursor);
    const { text, at } = this.#cursor;
    if (text.startsWith(';;', at)) return null;
    const found = takeMatch(this.#cursor, /&&|\|\||;|&(?![>&])|\n/y);
    if (found === null) return null;
    if (found === '&' && this.#cursor.isStrict) {
      this.#cursor.at = at;
      throw refuse(this.#cursor);
    }
    if (found === '\n') this.#redirections.readBodies();
    return found === '\n' ? ';' : (found as PipelineStep['joint']);
  }

  #pipeline(): readonly ShellCommand[] {
    if (!this.#cursor.isStrict) takeMatch(this.#cursor, /![ \t]+/y);
    const commands: ShellCommand[] = [];
    for (;;) {
      this.#commands += 1;
      if (this.#commands > (this.#cursor.isStrict ? STRICT.maxCommands : MAX_COMMANDS))
        throw new UnreadableScript(this.#cursor.at, 'more commands than are looked at');
      commands.push(this.#deeper(() => this.#command()));
      skipBlanks(this.#cursor);
      if (takeMatch(this.#cursor, /\|(?![|&])/y) === null) break;
      this.#skipLines();
      if (this.#cursor.at === this.#cursor.text.length) throw new UnreadableScript(this.#cursor.at, 'nothing after |');
    }
    return commands;
  }

  #command(): ShellCommand {
    skipBlanks(this.#cursor);
    const { text, at, isStrict } = this.#cursor;
    if (isStrict) return this.#simple();
    if (text[at] === '(') {
      if (text[at + 1] === '(') throw new UnreadableScript(at, 'arithmetic');
      this.#cursor.at += 1;
      const body = this.#nested.upToParenthesis(this.#cursor);
      return { kind: 'subshell', body, redirects: this.#redirections.readAll() };
    }
    const keyword = /[a-z{}!]+(?=[ \t\n;|&()]|$)/y;
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
        return { kind: 'group', body, redirects: this.#redirections.readAll() };
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
    return { kind: 'choice', parts, redirects: this.#redirections.readAll() };
  }

  #while(word: string): ShellCommand {
    this.#expect(word);
    const condition = this.#list();
    this.#expect('do');
    const body = this.#list();
    this.#expect('done');
    return { kind: 'loop', over: null, parts: [condition, body], redirects: this.#redirections.readAll() };
  }

  #for(): ShellCommand {
    this.#expect('for');
    skipBlanks(this.#cursor);
    const name = takeMatch(this.#cursor, /[A-Za-z_]\w*(?=[ \t\n;])/y);
    if (name === null) throw explainUnexpected(this.#cursor);
    this.#skipLines();
    const words: ShellWord[] = [];
    if (this.#take('in')) {
      for (;;) {
        skipBlanks(this.#cursor);
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
    return { kind: 'loop', over: { name, words }, parts: [body], redirects: this.#redirections.readAll() };
  }

  #case(): ShellCommand {
    this.#expect('case');
    skipBlanks(this.#cursor);
    const word = readWord(this.#cursor, this.#nested);
    if (word === null) throw explainUnexpected(this.#cursor);
    this.#skipLines();
    this.#expect('in');
    const patterns: ShellWord[] = [];
    const parts: ShellScript[] = [];
    for (;;) {
      this.#skipLines();
      if (this.#take('esac')) break;
      takeMatch(this.#cursor, /\([ \t]*/y);
      for (;;) {
        skipBlanks(this.#cursor);
        const pattern = readWord(this.#cursor, this.#nested);
        if (pattern === null) throw explainUnexpected(this.#cursor);
        patterns.push(pattern);
        skipBlanks(this.#cursor);
        if (takeMatch(this.#cursor, /\|(?![|&])/y) === null) break;
      }
      if (takeMatch(this.#cursor, /\)/y) === null) throw explainUnexpected(this.#cursor);
      parts.push(this.#list());
      this.#skipLines();
      if (takeMatch(this.#cursor, /;;(?!&)/y) !== null) continue;
      this.#expect('esac');
      break;
    }
    return { kind: 'case', word, patterns, parts, redirects: this.#redirections.readAll() };
  }

  #simple(): SimpleCommand {
    const start = this.#cursor.at;
    const assignments: Assignment[] = [];
    const words: ShellWord[] = [];
    const redirects: Redirection[] = [];
    for (;;) {
      skipBlanks(this.#cursor);
      const redirect = this.#redirections.read();
      if (redirect !== null) {
        if (this.#cursor.isStrict && words.length === 0)
          throw new UnreadableScript(redirect.start, 'a redirection with no command before it');
        redirects.push(redirect);
        continue;
      }
      const { text, at, isStrict } = this.#cursor;
      if (text[at] === '(' && !isStrict)
        throw new UnreadableScript(at, words.length === 1 ? 'a function of its own' : 'a parenthesis');
      const word = readWord(this.#cursor, this.#nested);
      if (word === null) break;
      const written = text.slice(at, this.#cursor.at);
      const assigned = words.length === 0 ? splitAssignment(word, written) : null;
      const begun = { isFirst: this.#commands === 1, words, redirects };
      const refused = isStrict ? explainRefusal(word, written, assigned?.name ?? null, begun) : null;
      if (refused !== null) throw new UnreadableScript(at, refused);
      if (assigned === null) words.push(word);
      else assignments.push(assigned);
    }
    if (words.length === 0 && assignments.length === 0 && redirects.length === 0) throw explainUnexpected(this.#cursor);
    return { kind: 'simple', assignments, words, redirects, ...locatePart(this.#cursor, start, this.#cursor.at) };
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
    if (!this.#take(word)) throw explainUnexpected(this.#cursor);
  }

  #skipLines(): void {
    for (;;) {
      skipBlanks(this.#cursor);
      if (this.#cursor.text[this.#cursor.at] !== '\n') return;
      this.#cursor.at += 1;
      this.#redirections.readBodies();
    }
  }
}
