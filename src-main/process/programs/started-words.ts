import { findProgram } from '../../domain/commands/programs/program-table.js';
import { parseArguments } from '../../domain/commands/reading/judging/option-parser.js';
import { literalWord, wordText } from '../../domain/commands/reading/word-values.js';

/**
 * The words that are started in the end, found through programs that only start another: `timeout 60 nice npm run x`.
 */
export interface StartedWords {
  /** The program’s own, its name first; at least one. */
  readonly words: readonly string[];
  /** The name of what starts something that its words don’t tell: a text, or by an option that isn’t known. Null: all of it is told. */
  readonly untold: string | null;
}

const NOWHERE = { start: 0, end: 0 };

export function findStartedWords(words: readonly string[]): StartedWords {
  let now = words;
  // Each turn drops a word.
  for (;;) {
    const [command = '', ...args] = now;
    const name = programName(command);
    const { program } = findProgram(name) ?? {};
    const { starts } = program ?? {};
    if (program === undefined || starts === undefined || program.finds === true) return { words: now, untold: null };
    const given = parseArguments(
      program,
      args.map((word) => literalWord(word, NOWHERE)),
      'first',
    );
    const isText = starts.shell === true || given.options.some(({ role }) => role === 'shell' || role === 'program');
    if (isText || starts.fromInput === true || given.options.some(({ known }) => !known))
      return { words: now, untold: name };
    const rest = given.operands.map((arg) => wordText(arg) ?? '').slice(starts.words ?? 0);
    const first = starts.variables === true ? rest.findIndex((word) => !/^[A-Za-z_]\w*=/u.test(word)) : 0;
    if (first < 0 || rest.length <= first) return { words: now, untold: null };
    now = rest.slice(first);
  }
}

export const programName = (command: string): string => command.split('/').at(-1) ?? command;
