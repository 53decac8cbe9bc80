import type { ParsedArguments, Program, ArgumentRole } from '../../programs/program.js';
import { type KnownOption, programOptions } from '../../programs/program-table.js';
import { type EvaluatedWord, wordText } from '../word-values.js';

export interface ParsedOption {
  readonly name: string;
  readonly value: EvaluatedWord | null;
  /** The meaning of its value; null where it has none. */
  readonly role: ArgumentRole | 'setting' | null;
  readonly edits: boolean;
  readonly known: boolean;
}

export interface ParsedWords {
  readonly options: readonly ParsedOption[];
  readonly operands: readonly EvaluatedWord[];
  /** Whether a word may be an option, and which can’t be told. */
  readonly unsure: boolean;
  readonly given: ParsedArguments;
}

/** How far options go: `operands` up to the first word that is none. */
type OptionScope = 'all' | 'first';

/** Options told from the rest, as getopt does it; where it may be read in two ways, as the worse. */
export function parseArguments(program: Program, args: readonly EvaluatedWord[], upto: OptionScope): ParsedWords {
  const reader = new OptionParser(program, args, upto);
  return reader.read();
}

class OptionParser {
  readonly #program: Program;
  readonly #more: ReadonlyMap<string, KnownOption>;
  readonly #long: ReadonlyMap<string, string>;
  readonly #args: readonly EvaluatedWord[];
  readonly #upto: OptionScope;
  readonly #options: ParsedOption[] = [];
  readonly #operands: EvaluatedWord[] = [];
  #at = 0;
  #unsure = false;

  constructor(program: Program, args: readonly EvaluatedWord[], upto: OptionScope) {
    this.#program = program;
    this.#more = programOptions(program);
    this.#long = new Map(
      (program.options?.long ?? '')
        .split(' ')
        .filter((name) => name !== '')
        .map((name) => [name.replace(/[=?]$/u, ''), name.at(-1) ?? '']),
    );
    this.#args = args;
    this.#upto = upto;
  }

  read(): ParsedWords {
    let rest = false;
    for (; this.#at < this.#args.length; this.#at += 1) {
      const arg = this.#args[this.#at];
      if (arg === undefined) break;
      const text = wordText(arg);
      if (rest) this.#operands.push(arg);
      else if (text === '--') rest = true;
      else if (text === null) {
        if (this.#isUnsure(arg)) this.#operands.push(arg);
        if (this.#upto === 'first') rest = true;
      } else if (text.startsWith('-') && text !== '-') this.#option(arg, text);
      else {
        this.#operands.push(arg);
        if (this.#upto === 'first') rest = true;
      }
    }
    return {
      options: this.#options,
      operands: this.#operands,
      unsure: this.#unsure,
      given: {
        options: new Map(this.#options.map(({ name, value }) => [name, value === null ? '' : wordText(value)])),
        operands: this.#operands.map(wordText),
        all: this.#args.map(wordText),
      },
    };
  }

  /** Whether a word that is known only when it runs may be an option; true where it is an operand. */
  #isUnsure(arg: EvaluatedWord): boolean {
    if (!arg.head.startsWith('-')) {
      const some = arg.oneOf?.some((each) => each.startsWith('-')) ?? (arg.head === '' && !arg.inert);
      if (some) this.#unsure = true;
      return true;
    }
    const [, name = ''] = /^--?([^=]+)=/u.exec(arg.head) ?? [];
    const known = name === '' ? undefined : this.#named(name);
    if (known === undefined) {
      if (!arg.inert) this.#unsure = true;
      return false;
    }
    this.#options.push({ ...known, name, value: { ...arg, head: '' } });
    return false;
  }

  #option(arg: EvaluatedWord, text: string): void {
    const { options } = this.#program;
    if (options?.numbers === true && /^-\d+$/u.test(text)) return;
    const [, dashes = '', name = '', value] = /^(--?)([^=]+)(?:=([\s\S]*))?$/u.exec(text) ?? [];
    if (dashes === '--' || options?.oneDash === true || (name.length > 1 && this.#more.has(name))) {
      this.#longOption(arg, name, value);
      return;
    }
    this.#letters(arg, text.slice(1));
  }

  #longOption(arg: EvaluatedWord, name: string, value: string | undefined): void {
    const known = this.#named(name);
    if (known === undefined) {
      const isHarmless = this.#program.anyOption === true;
      this.#options.push({
        name,
        value: value === undefined ? null : this.#part(arg, value),
        role: 'value',
        edits: false,
        known: isHarmless,
      });
      return;
    }
    const { takes, ...option } = known;
    this.#options.push({
      ...option,
      value: value !== undefined ? this.#part(arg, value) : takes ? this.#next(arg) : null,
    });
  }

  /** The beginning of a name stands for it: first for what makes the program more than it is. */
  #named(name: string): (Omit<ParsedOption, 'value'> & { readonly takes: boolean }) | undefined {
    const exact = this.#more.get(name);
    if (exact !== undefined)
      return { name, role: exact.role, edits: exact.edits, known: true, takes: exact.role !== null };
    const kind = this.#long.get(name);
    if (kind !== undefined)
      return {
        name,
        role: kind === '=' || kind === '?' ? 'value' : null,
        edits: false,
        known: true,
        takes: kind === '=',
      };
    if (name.length < 2) return undefined;
    const begun = [...this.#more].find(([each, { role, edits }]) => each.startsWith(name) && (role !== null || edits));
    return begun === undefined
      ? undefined
      : { name: begun[0], role: begun[1].role, edits: begun[1].edits, known: true, takes: begun[1].role !== null };
  }

  #letters(arg: EvaluatedWord, letters: string): void {
    const { letters: flags = '', valued = '', joined = '' } = this.#program.options ?? {};
    for (let at = 0; at < letters.length; at += 1) {
      const letter = letters[at] ?? '';
      const more = this.#more.get(letter);
      const isValued = more === undefined ? valued.includes(letter) : more.role !== null;
      if (more === undefined && flags.includes(letter)) {
        this.#options.push({ name: letter, value: null, role: null, edits: false, known: true });
        continue;
      }
      if (more !== undefined && more.role === null) {
        this.#options.push({ name: letter, value: null, role: null, edits: more.edits, known: true });
        continue;
      }
      const rest = letters.slice(at + 1).replace(/^=/u, '');
      if (isValued) {
        const value = rest === '' ? this.#next(arg) : this.#part(arg, rest);
        this.#options.push({ name: letter, value, role: more?.role ?? 'value', edits: false, known: true });
        return;
      }
      const isHarmless = joined.includes(letter) ? /^\w*$/u.test(rest) : this.#program.anyOption === true;
      this.#options.push({
        name: letter,
        value: joined.includes(letter) && rest !== '' ? this.#part(arg, rest) : null,
        role: 'value',
        edits: false,
        known: isHarmless,
      });
      if (joined.includes(letter)) return;
    }
  }

  #part = (arg: EvaluatedWord, text: string): EvaluatedWord => ({ ...arg, oneOf: [text], head: text, pattern: null });

  #next(arg: EvaluatedWord): EvaluatedWord {
    this.#at += 1;
    return this.#args[this.#at] ?? this.#part(arg, '');
  }
}

/** Assigns each word that is no option its meaning to the program. */
export function assignRoles(
  program: Program,
  operands: readonly EvaluatedWord[],
): readonly (readonly [EvaluatedWord, ArgumentRole])[] {
  const { operands: roles = ['reads'], last } = program;
  return operands.map((arg, index) => {
    const isLast = last !== undefined && operands.length > 1 && index === operands.length - 1;
    return [arg, isLast ? last : (roles[Math.min(index, roles.length - 1)] ?? 'reads')];
  });
}
