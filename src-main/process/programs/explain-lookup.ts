import type { Program } from '../../domain/commands/programs/program.js';
import { findProgram } from '../../domain/commands/programs/program-table.js';
import { parseArguments } from '../../domain/commands/reading/judging/option-parser.js';
import { programName, findStartedWords } from './started-words.js';
import { literalWord } from '../../domain/commands/reading/word-values.js';

/** Fetched once, with the person’s yes, and started from there; behind another program nobody sees to that. */
const FETCHED = /^(?:npx|uvx)$/u;

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
  if (isFoundAtStart(program, given)) return `“${[name, first].join(' ').trim()}” finds what it runs when it starts.`;
  const { options } = parseArguments(
    program,
    given.map((word) => literalWord(word, { start: 0, end: 0 })),
    'first',
  );
  if (options.some(({ role }) => role === 'module') && !(isOwnPython && isFirst))
    return `“${name} -m” finds what it runs when it starts.`;
  if (program.isShell === true && options.some((option) => option.name === 'c'))
    return `What the text of “${name} -c” runs is not looked at.`;
  const address = given.find((arg) => /^(?:https?|npm|jsr|git\+\w+):/iu.test(arg));
  return program.fetchesScripts === true && address !== undefined
    ? `“${name} ${address}” fetches what it runs when it starts.`
    : null;
}

/** A verb may find it, or do so by the name that it is given: a script of the folder. */
function isFoundAtStart({ finds, verbs = {} }: Program, given: readonly string[]): boolean {
  const [verb = '', what = ''] = given.filter((arg) => !arg.startsWith('-'));
  const byVerb = finds === false && Object.hasOwn(verbs, verb) ? verbs[verb]?.finds : finds;
  return typeof byVerb === 'function' ? byVerb(what) : byVerb === true;
}
