import type { FindingKind } from './finding-kinds.js';
import type { KnownOptions } from './options.js';

/** The meaning that a word has to the program it is given to. */
export type ArgumentRole =
  /** A file, or a folder and what is in it. */
  | 'reads'
  | 'writes'
  | 'changes'
  | 'deletes'
  /** Shown or looked for: neither a place nor a program. */
  | 'text'
  /** A number or a name. Where it looks like a place it is taken for one. */
  | 'value'
  /** A pattern of files, below the places that the program is given besides. */
  | 'pattern'
  /** Text that a shell is given to run. */
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
  /** Another folder that the program works in. */
  | 'folder'
  /** A file that is run. */
  | 'script'
  /** A module of the language, by its name. */
  | 'module';

/** Something that deserves to be pointed at: a danger, or a notice. `…` stands for what it is done to. */
export interface Effect {
  readonly kind: FindingKind;
  readonly words: string;
}

/** The arguments of a program, its options told from the rest. */
export interface ParsedArguments {
  /** Values by letter or name, as given, without dashes. Null for a value that only running it would tell. */
  readonly options: ReadonlyMap<string, string | null>;
  /** Words that are no option; null where only running it would tell. */
  readonly operands: readonly (string | null)[];
  /** Every argument, in order. */
  readonly all: readonly (string | null)[];
}

/** How the rest of the words are what it starts. */
export interface StartedProgram {
  /** So many words stand before the program: `timeout 5 x`. */
  readonly words?: number;
  /** `NAME=value` may stand before it. */
  readonly variables?: true;
  /** The started program gets words besides, from its input: file names. */
  readonly fromInput?: true;
  /** The starter may do without a program: then it only shows something. */
  readonly optional?: true;
  /** What it starts runs in the shell itself: where that leads, the shell is. */
  readonly inShell?: true;
  /** Without a program, its redirections hold for all that follows. */
  readonly redirectsShell?: true;
  /** Without a program, it shows what comes in. */
  readonly echoes?: true;
  /** Letters of options with which it only says where a program is. */
  readonly locates?: string;
  /** What it starts may be fetched: the name is a package’s, and may have a version. */
  readonly fetches?: true;
  /** The starter changes nothing of what it starts: a rule and a verdict look through it. */
  readonly transparent?: true;
  /** The program follows these words: `npm exec`, `uv run`. Where it is absent, at once. */
  readonly shell?: true;
}

/** What a program prints, where its reader has to know. */
export interface KnownOutput {
  /**
   * Of `files`, those `in-sight` have no dot before their names, and those `matched` are what its words match. `input` is what comes in,
   * and `listed-input` the same where it is names of files.
   */
  readonly kind:
    'number' | 'job' | 'folder' | 'temporary' | 'files' | 'files-in-sight' | 'files-matched' | 'input' | 'listed-input';
  readonly when?: (given: ParsedArguments) => boolean;
  /** The look of each of its words; a number that is known only when it runs has it. */
  readonly operands?: RegExp;
}

/** The entry of a program in the table: by itself, and what its options and words make of it. */
export interface Program {
  /**
   * The program's nature with options that are known, and with what `more` says of the others. `runs`: other programs,
   * whatever they do.
   */
  readonly nature: 'reads' | 'edits' | 'runs';
  /** Options that leave its nature as it is. */
  readonly options?: KnownOptions;
  /** The meaning of options' values: `o:writes output:writes`. Those with `!` have no value and make it edit: `i!`. */
  readonly more?: string;
  /** The meaning of its words; the last goes on for all that follow. Left out: files that it reads. */
  readonly operands?: readonly ArgumentRole[];
  /** The meaning of the last of several words. */
  readonly last?: ArgumentRole;
  /** Effects that the program has whatever it is given. */
  readonly effects?: readonly Effect[];
  /** Effects of the program with these options and words. */
  readonly findEffects?: EffectFinder;
  /** Notices for a person, where that is no danger by itself; `…` as in an effect. */
  readonly tells?: (given: ParsedArguments) => readonly string[];
  /** The same, of what no rule covers. */
  readonly warns?: (given: ParsedArguments) => readonly string[];
  /** Whether its words make it do more than read. */
  readonly editsWith?: (given: ParsedArguments) => boolean;
  /** Hosts that it needs with these words: `npm`, `pip`, or a name in full. Null: none. */
  readonly needs?: (given: ParsedArguments) => readonly string[];
  readonly starts?: StartedProgram;
  /** Subcommands: the first word says what the program does. */
  readonly verbs?: Readonly<Record<string, Program>>;
  /** Where a verb is not known: nothing that can be told. */
  readonly strict?: true;
  /** The program finds what it runs when it is started: by settings of a folder, in a registry, in an image. A name may be all it needs for that. */
  readonly finds?: boolean | ((name: string) => boolean);
  /** An address among its words is that of a script, which it fetches. */
  readonly fetchesScripts?: true;
  /** A shell, which takes a text to run behind `-c`. */
  readonly isShell?: true;
  /** Takes a program from what comes in, where it is given none. */
  readonly fromInput?: 'shell' | 'code';
  /** Filters, at the end of a pipe, read what comes in and show some of it; so many of their words are no files. */
  readonly filter?: { readonly words: number; readonly options?: KnownOptions };
  /** No option makes it more than it is. */
  readonly anyOption?: true;
  /** Whether it reads the contents of all files below the folders that it is given. */
  readonly readsBelow?: (given: ParsedArguments) => boolean;
  /**
   * Git shows what is in files that it knows: of its words, those that may say of which; null where it shows none. Words that are null can't
   * be told.
   */
  readonly showsTracked?: (given: ParsedArguments) => readonly (string | null)[] | null;
  /** Its first word may be letters of options, without their dash: `tar xzf`. */
  readonly bareLetters?: true;
  /** With `-v` or `-V` alone it says its version. */
  readonly tellsVersion?: true;
  /** Its verbs work on a repository, of which a reading says how far they go. */
  readonly isGit?: true;
  /** Files of settings that it may change with these words, which don’t name them. */
  readonly settings?: (words: readonly string[]) => readonly string[];
  /** Whether what it is given are patches, which say what is changed. */
  readonly takesPatches?: (given: ParsedArguments) => boolean;
  /** What it prints; the first that holds. */
  readonly prints?: readonly KnownOutput[];
  /** What it prints comes from another machine. */
  readonly downloads?: true;
  /** Never a server, wherever it runs. */
  readonly servesNobody?: true;
  /** The grammar of its own that its words are read by. */
  readonly grammar?: Grammar;
}

export type Grammar =
  'find' | 'sed' | 'awk' | 'dd' | 'test' | 'echo' | 'printf' | 'cd' | 'kill' | 'set' | 'export' | 'read' | 'shell';

export type ProgramTable = Readonly<Record<string, Program>>;

/** The same for several names. */
export const sameForNames = <T>(names: string, known: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, known]));

/** How a program is given options and words, told apart by the first of them. */
export type EffectFinder = (given: ParsedArguments) => readonly Effect[];

export const effect = (kind: FindingKind, words: string): Effect => ({ kind, words });

export const hasOption = ({ options }: ParsedArguments, ...names: readonly string[]): boolean =>
  names.some((name) => options.has(name));

export const verbOf = ({ operands }: ParsedArguments): string => operands[0] ?? '';

/** Whether no other options are given than these. */
export const onlyOptions = (options: ParsedArguments['options'], ...names: readonly string[]): boolean =>
  [...options.keys()].every((name) => names.includes(name));

/** A number, or a name that is no place, where its words are neither. */
export const PRINTS_NUMBER: KnownOutput = { kind: 'number', operands: /^[\w.:-]*$/u };

const asksForFiles = (given: ParsedArguments): boolean =>
  hasOption(given, 'l', 'L', 'files-with-matches', 'files-without-match', 'files', 'name-only');
/** Names of files, where these are asked for. */
export const LISTS_FILES: KnownOutput = { kind: 'files', when: asksForFiles };
