import type { Program } from '../programs/program.js';
import type { Cwds, Range, Record } from './record.js';
import type { Arg, Value } from './values.js';

/** The output of a command, as far as it is known to the command that reads it. */
export type Output =
  | { readonly kind: 'text'; readonly text: string }
  /** Names of files; null where not known which. */
  | { readonly kind: 'files'; readonly files: readonly string[] | null }
  | { readonly kind: 'number' | 'job' | 'unknown' };

export const UNKNOWN_OUTPUT: Output = { kind: 'unknown' };

/** The input of a command: nothing, what a pipe or a text brings, or a file that it names. */
export type Input =
  { readonly kind: 'none' | 'file' } | { readonly kind: 'pipe'; readonly output: Output; readonly isDownload: boolean };

/** Where commands stand: what they find set, and what comes in. */
export interface Scope {
  variables: Map<string, Value>;
  cwds: Cwds;
  readonly input: Input;
  /** Whether it is uncertain that it runs. */
  readonly maybe: boolean;
  readonly depth: number;
}

/** The walk through the commands. */
export interface Walker {
  readonly record: Record;
  /** A text that a shell is given, wherever it stands. */
  text(text: string, at: Range, scope: Scope): Output;
  /** A variable that programs are handed. */
  variableFor(name: string, held: Value, scope: Scope, at: Range): void;
  set(name: string, held: Value, scope: Scope): void;
}

export interface Judging {
  readonly walk: Walker;
  readonly scope: Scope;
  readonly input: Input;
  readonly at: Range;
  /** Whether the name is certain enough to be known as a program that only reads. */
  readonly mayRead: boolean;
  /** Whether it is unknown what it does with the files that it is given. */
  readonly mayChange?: boolean;
  /** A command by its name, and by what is known of it. */
  readonly judge: (written: string, args: readonly Arg[], judging: Judging) => Judged;
  readonly judgeAs: (program: Program, name: string, args: readonly Arg[], judging: Judging) => Judged;
}

export interface Judged {
  readonly output: Output;
  /** Where it leads. */
  readonly cwds?: Cwds;
  readonly ends?: boolean;
}
