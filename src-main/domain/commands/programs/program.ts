import type { FoundKind } from './deeds.js';
import type { KnownOptions } from './options.js';

/** What a word that a program is given is to it. */
export type Role =
  /** A file, or a folder and what is in it. */
  | 'reads'
  | 'writes'
  | 'changes'
  | 'deletes'
  /** Shown or looked for: neither a place nor a program. */
  | 'text'
  /** A number or a name. Where it looks like a place it is taken for one. */
  | 'value'
  /** Of files, below the places that it is given besides. */
  | 'pattern'
  /** What a shell is given to run. */
  | 'shell'
  /** A program in a language of its own. */
  | 'code'
  /** Says what is run, out of sight: a program, a file, a setting. */
  | 'program'
  | 'host'
  /** Where Git takes an address: a host, or a path of this machine. */
  | 'address'
  /** Sent: `@file` is a file, anything else is not. */
  | 'data'
  /** Read or written, by what else it is told. */
  | 'archive'
  /** Variables in front of what is started. */
  | 'variable'
  /** Another folder that it works in. */
  | 'folder'
  /** A file that is run. */
  | 'script'
  /** By its name, of the language. */
  | 'module';

/** Something that deserves to be pointed at: a danger, or a notice. `…` stands for what it is done to. */
export interface Deed {
  readonly kind: FoundKind;
  readonly words: string;
}

/** What a program was given, after its options were told from the rest. */
export interface Given {
  /** By letter or name, as given, without dashes. Of what only running it would tell, null. */
  readonly options: ReadonlyMap<string, string | null>;
  /** What is no option; null where only running it would tell. */
  readonly operands: readonly (string | null)[];
  /** All of it, in order. */
  readonly all: readonly (string | null)[];
}

/** How the rest of the words are what it starts. */
export interface Starts {
  /** So many words stand before the program: `timeout 5 x`. */
  readonly words?: number;
  /** `NAME=value` may stand before it. */
  readonly variables?: true;
  /** What it starts gets words besides, from its input: file names. */
  readonly fromInput?: true;
  /** Without a program it only shows something. */
  readonly optional?: true;
  /** It changes nothing of what it starts: a rule and a verdict look through it. */
  readonly transparent?: true;
  /** After these words: `npm exec`, `uv run`. Where it is absent, at once. */
  readonly shell?: true;
}

/** What is known of a program: by itself, and what its options and words make of it. */
export interface Program {
  /** With options that are known, and with what `more` says of the others. `runs`: other programs, whatever they do. */
  readonly nature: 'reads' | 'edits' | 'runs';
  /** Options that leave its nature as it is. */
  readonly options?: KnownOptions;
  /** Of options, what their value is: `o:writes output:writes`. Those with `!` have no value and make it edit: `i!`. */
  readonly more?: string;
  /** What its words are; the last goes on for all that follow. Left out: files that it reads. */
  readonly operands?: readonly Role[];
  /** Of the last of several words. */
  readonly last?: Role;
  /** What it does whatever it is given. */
  readonly deeds?: readonly Deed[];
  /** What it does with these options and words. */
  readonly look?: Look;
  /** What a person is told of it, where that is no danger by itself; `…` as in a deed. */
  readonly tells?: (given: Given) => readonly string[];
  /** By its words it does more than read. */
  readonly editsWith?: (given: Given) => boolean;
  /** Hosts that it needs with these words: `npm`, `pip`, or a name in full. Null: none. */
  readonly needs?: (given: Given) => readonly string[];
  readonly starts?: Starts;
  /** Its first word says what it does. */
  readonly verbs?: Readonly<Record<string, Program>>;
  /** Where a verb is not known: nothing that can be told. */
  readonly strict?: true;
  /** What it runs it finds when it is started: by settings of a folder, in a registry, in an image. */
  readonly finds?: true;
  /** Takes a program from what comes in, where it is given none. */
  readonly fromInput?: 'shell' | 'code';
  /** At the end of a pipe it reads what comes in and shows some of it; so many of its words are no files. */
  readonly filter?: { readonly words: number; readonly options?: KnownOptions };
  /** No option makes it more than it is. */
  readonly anyOption?: true;
  /** It reads the contents of all files below the folders that it is given. */
  readonly readsBelow?: (given: Given) => boolean;
  /**
   * Git shows what is in files that it knows: of its words, those that may say of which; null where it shows none. Words that are null can't
   * be told.
   */
  readonly showsTracked?: (given: Given) => readonly (string | null)[] | null;
  /** Its words are read by a grammar of its own. */
  readonly grammar?: Grammar;
}

export type Grammar =
  'find' | 'sed' | 'awk' | 'dd' | 'test' | 'echo' | 'cd' | 'kill' | 'set' | 'export' | 'read' | 'shell';

export type Programs = Readonly<Record<string, Program>>;

/** The same for several names. */
export const each = <T>(names: string, known: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, known]));

/** How a program is given options and words, told apart by the first of them. */
export type Look = (given: Given) => readonly Deed[];

export const deed = (kind: FoundKind, words: string): Deed => ({ kind, words });

export const has = ({ options }: Given, ...names: readonly string[]): boolean =>
  names.some((name) => options.has(name));

export const verbOf = ({ operands }: Given): string => operands[0] ?? '';
