import type { Program, StartedProgram } from '../../programs/program.js';
import type { ParsedWords } from './option-parser.js';
import { type CommandOutcome, type CommandContext, UNKNOWN_OUTPUT } from './command-context.js';
import { type EvaluatedWord, literalWord, wordText, unknownWord } from '../word-values.js';
import { recordWord } from './word-effects.js';

/** `timeout 5 x`, `env A=1 x`, `find … | xargs x`: what is started does what it does. */
export function judgeStarted(
  program: Program,
  starts: StartedProgram,
  name: string,
  words: ParsedWords,
  judging: CommandContext,
): CommandOutcome {
  const { walk, scope, at } = judging;
  const { record } = walk;
  const unknown = words.options.find(({ known }) => !known);
  if (unknown !== undefined) record.unread(at, `an option of ${name} is not known (${unknown.name})`);
  for (const { role, value, edits } of words.options) {
    if (value !== null && role !== null && role !== 'value' && role !== 'setting')
      recordWord(name, value, role, words, judging);
    if (edits) record.onlyReads = false;
  }
  const [first, ...rest] = dropStarterWords(words.operands, starts, judging);
  if (starts.shell === true && starts.fromInput === true && judging.input.kind !== 'none') {
    record.note('unseen-program', at, `runs whatever commands ${name} is given`);
    return { output: UNKNOWN_OUTPUT };
  }
  if (starts.shell === true)
    return joined(first === undefined ? [] : [first, ...rest], name, starts.inShell === true, judging);
  if (first === undefined) {
    if (starts.optional !== true && !words.options.some(({ role }) => role === 'shell')) record.onlyReads = false;
    return { output: starts.echoes === true ? inputOf(judging) : UNKNOWN_OUTPUT };
  }
  if (words.options.some((option) => starts.locates?.includes(option.name) === true)) return { output: UNKNOWN_OUTPUT };
  const written = wordText(first);
  if (written === null || written === '') {
    record.unread(at, 'runs a program whose name is known only when it runs');
    return { output: UNKNOWN_OUTPUT };
  }
  const isFetched = starts.fetches === true;
  if (starts.fromInput === true) record.warn(at, 'runs a command made of its input');
  const args = starts.fromInput === true ? addInputWords(rest, words, judging) : rest;
  const startedName = isFetched
    ? (written
        .replace(/(?<=.)@[\w.^~-]+$/u, '')
        .split('/')
        .at(-1) ?? written)
    : written;
  const mayRead = judging.mayRead && program.nature === 'reads' && !isFetched;
  const isApart = starts.fromInput === true;
  const done = judging.judge(startedName, args, {
    ...judging,
    scope,
    mayRead,
    input: isApart ? { kind: 'none' } : judging.input,
  });
  return starts.inShell === true ? done : { output: done.output };
}

/** Drops the words and variables that stand before the program. */
function dropStarterWords(
  operands: readonly EvaluatedWord[],
  starts: StartedProgram,
  { walk, scope }: CommandContext,
): readonly EvaluatedWord[] {
  let at = starts.words ?? 0;
  for (; starts.variables === true; at += 1) {
    const arg = operands[at];
    const [, name = '', value = ''] =
      /^([A-Za-z_]\w*)=([\s\S]*)$/u.exec(arg === undefined ? '' : (wordText(arg) ?? arg.head)) ?? [];
    if (arg === undefined || name === '') break;
    walk.variableFor(name, wordText(arg) === null ? 'unknown' : { oneOf: [value] }, scope, arg);
  }
  return operands.slice(at);
}

/** Several words that a shell reads as one text. What runs in the shell itself has its variables. */
function joined(
  words: readonly EvaluatedWord[],
  name: string,
  inShell: boolean,
  { walk, scope, at }: CommandContext,
): CommandOutcome {
  const texts = words.map(wordText);
  if (texts.includes(null)) {
    walk.record.note('unseen-program', at, `gives ${name} a command that is known only when it runs`);
    return { output: UNKNOWN_OUTPUT };
  }
  walk.record.warn(at, `runs a command of its own, by ${name}`);
  if (!inShell) walk.record.onlyReads = false;
  const inner = inShell ? scope : { ...scope, variables: new Map(scope.variables) };
  const output = walk.text(texts.join(' '), at, inner);
  return inShell ? { output, cwds: inner.cwds } : { output };
}

const inputOf = ({ input }: CommandContext): CommandOutcome['output'] =>
  input.kind === 'pipe' ? input.output : UNKNOWN_OUTPUT;

/** Adds what `xargs` puts behind the words, or in the place of a mark. */
function addInputWords(
  rest: readonly EvaluatedWord[],
  words: ParsedWords,
  judging: CommandContext,
): readonly EvaluatedWord[] {
  const { at, walk } = judging;
  const output = inputOf(judging);
  const files =
    output.kind === 'files'
      ? output.files
      : output.kind === 'text'
        ? output.text.split(/\s+/u).filter((text) => text !== '')
        : null;
  const fromFile = words.given.options.has('a') || words.given.options.has('arg-file');
  const given: EvaluatedWord =
    files === null || fromFile ? unknownWord(at) : { ...literalWord('', at), oneOf: files, loose: true };
  if (given.oneOf?.some((text) => /["'\\]/u.test(text)) === true)
    walk.record.unread(at, 'xargs is given names with quotes in them');
  const mark = words.given.options.get('I') ?? (words.given.options.has('i') ? '{}' : null);
  if (mark === null) return [...rest, given];
  return rest.map((arg) => {
    const text = wordText(arg);
    if (text === null || !text.includes(mark)) return arg;
    return given.oneOf === null
      ? { ...unknownWord(arg), head: text.slice(0, text.indexOf(mark)) }
      : { ...arg, oneOf: given.oneOf.map((each) => text.replaceAll(mark, each)), head: '', loose: true };
  });
}
