import type { Program } from '../../programs/program.js';
import type { Cwds, TextRange, ReadingRecord } from '../reading-record.js';
import type { EvaluatedWord, ShellValue } from '../word-values.js';

/** The output of a command, as far as it is known to the command that reads it. */
export type CommandOutput =
  | { readonly kind: 'text'; readonly text: string }
  /** Names of files; null where not known which. */
  | { readonly kind: 'files'; readonly files: readonly string[] | null }
  | { readonly kind: 'number' | 'job' | 'unknown' };

export const UNKNOWN_OUTPUT: CommandOutput = { kind: 'unknown' };

/** The input of a command: nothing, what a pipe or a text brings, or a file that it names. */
export type CommandInput =
  | { readonly kind: 'none' | 'file' }
  | { readonly kind: 'pipe'; readonly output: CommandOutput; readonly isDownload: boolean };

/** Where commands stand: what they find set, and what comes in. */
export interface ShellScope {
  variables: Map<string, ShellValue>;
  cwds: Cwds;
  readonly input: CommandInput;
  /** Whether it is uncertain that it runs. */
  readonly maybe: boolean;
  readonly depth: number;
}

/** The walk through the commands. */
export interface CommandWalker {
  readonly record: ReadingRecord;
  /** A text that a shell is given, wherever it stands. */
  text(text: string, at: TextRange, scope: ShellScope): CommandOutput;
  /** A variable that programs are handed. */
  variableFor(name: string, held: ShellValue, scope: ShellScope, at: TextRange): void;
  set(name: string, held: ShellValue, scope: ShellScope): void;
}

export interface CommandContext {
  readonly walk: CommandWalker;
  readonly scope: ShellScope;
  readonly input: CommandInput;
  readonly at: TextRange;
  /** Whether the name is certain enough to be known as a program that only reads. */
  readonly mayRead: boolean;
  /** Whether it is unknown what it does with the files that it is given. */
  readonly mayChange?: boolean;
  /** A command by its name, and by what is known of it. */
  readonly judge: (written: string, args: readonly EvaluatedWord[], judging: CommandContext) => CommandOutcome;
  readonly judgeAs: (
    program: Program,
    name: string,
    args: readonly EvaluatedWord[],
    judging: CommandContext,
  ) => CommandOutcome;
}

export interface CommandOutcome {
  readonly output: CommandOutput;
  /** Where it leads. */
  readonly cwds?: Cwds;
  readonly ends?: boolean;
}
