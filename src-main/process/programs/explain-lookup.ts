import type { Program } from '../../domain/commands/programs/program.js';
import { findProgram } from '../../domain/commands/programs/program-table.js';
import { parseArguments } from '../../domain/commands/reading/option-parser.js';
import { programName, findStartedWords } from './started-words.js';
import { literalWord } from '../../domain/commands/reading/word-values.js';

/** Fetched once, with the person’s yes, and started from there; behind another program nobody sees to that. */
const FETCHED = /^(?:npx|uvx)$/u;
/** Shells that are known to take a text; no row says that they are of a shell’s kind. */
const OTHER_SHELL = /^(?:fish|t?csh|nu|elvish|xonsh)$/u;

/** Why what a command runs is known only when it runs; null where its words name it. `isOwnPython`: its modules are the program’s own. */
export function explainLookup(command: string, args: readonly string[], isOwnPython: boolean): string | null {
  const { words, untold } = findStartedWords([command, ...args]);
  if (untold !== null) return `What “${untold}” starts is not told by its words.`;
  const isFirst = words.length === args.length + 1;
  const [called = '', ...given] = words;
  const name = programName(called);
  const { program } = findProgram(name) ?? {};
  if (program === undefined || (isFirst && FETCHED.test(name))) return null;
  const first = given.find((arg) => !arg.startsWith('-'));
  if (isFoundAtStart(program, name, given))
    return `“${[name, first].join(' ').trim()}” finds what it runs when it starts.`;
  const { options } = parseArguments(
    program,
    given.map((word) => literalWord(word, { start: 0, end: 0 })),
    'first',
  );
  if (options.some(({ role }) => role === 'module') && !(isOwnPython && isFirst))
    return `“${name} -m” finds what it runs when it starts.`;
  const isShell = program.grammar === 'shell' || OTHER_SHELL.test(name);
  if (isShell && options.some((option) => option.name === 'c'))
    return `What the text of “${name} -c” runs is not looked at.`;
  const address = given.find((arg) => /^(?:https?|npm|jsr|git\+\w+):/iu.test(arg));
  return /^(?:deno|bun)$/u.test(name) && address !== undefined
    ? `“${name} ${address}” fetches what it runs when it starts.`
    : null;
}

/** Deno and Bun run a file that is named, or a script of the folder by its name. */
function isFoundAtStart(program: Program, name: string, given: readonly string[]): boolean {
  if (program.finds === true) return true;
  const [verb, what = ''] = given.filter((arg) => !arg.startsWith('-'));
  if (name === 'deno') return verb === 'task';
  return name === 'bun' && (verb === 'x' || (verb === 'run' && !/[./]/u.test(what)));
}
