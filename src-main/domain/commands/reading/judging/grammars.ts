import type { Grammar, Program } from '../../programs/program.js';
import { readAwkScript, type ScriptEffects, readSedScript } from '../../programs/sed-and-awk.js';
import { judgeFind } from './find-command.js';
import type { ParsedWords } from './option-parser.js';
import { type CommandOutcome, type CommandContext, UNKNOWN_OUTPUT } from './command-context.js';
import { type EvaluatedWord, wordText } from '../word-values.js';
import { recordFolder, recordWord } from './word-effects.js';

export interface GrammarInput {
  readonly program: Program;
  readonly name: string;
  readonly args: readonly EvaluatedWord[];
  readonly words: ParsedWords;
  readonly judging: CommandContext;
}

/** Null where the rest is as with any program. */
export function judgeByGrammar(grammar: Grammar, given: GrammarInput): CommandOutcome | null {
  const { judging, words, args } = given;
  switch (grammar) {
    case 'find':
      return judgeFind(args, judging);
    case 'sed':
      return sed(given);
    case 'awk':
      return awk(given);
    case 'dd':
      return dd(given);
    case 'test':
      return test(args, judging);
    case 'echo':
      return says(given, echoedText);
    case 'printf':
      return printf(given);
    case 'cd':
      return cd(words, judging);
    case 'kill':
      return kill(given);
    case 'set':
      return set(args, judging);
    case 'export':
      return exported(words, judging);
    case 'read':
      return read(words, judging);
    case 'shell':
      return shell(given);
  }
}

function judgePlainly(program: Program): Program {
  const { grammar, ...rest } = program;
  return grammar === undefined ? program : rest;
}

/** A script, or several, and what they do besides showing. */
function recordScript(
  does: ScriptEffects | null,
  name: string,
  isFirst: boolean,
  { judging, words, program, args }: GrammarInput,
): CommandOutcome {
  const { walk, at, scope } = judging;
  const { record } = walk;
  if (does === null) {
    record.onlyReads = false;
    record.warn(at, `runs inline code with ${name}`);
    for (const arg of words.operands.slice(0, isFirst ? 1 : 0))
      for (const text of arg.oneOf ?? []) record.text(text, scope.cwds, arg);
  } else {
    if (does.runs) record.note('unseen-program', at, `runs programs that its ${name} script starts`);
    for (const path of does.reads) record.path(path, 'reads', scope.cwds, at);
    for (const path of does.writes) {
      record.onlyReads = false;
      record.warn(at, `writes to ${path}`);
      record.path(path, 'writes', scope.cwds, at);
    }
  }
  const others: Program = {
    ...judgePlainly(program),
    operands: isFirst ? ['text', roleOfFiles(words)] : [roleOfFiles(words)],
  };
  return judging.judgeAs(others, name, args, judging);
}

const roleOfFiles = ({ options }: ParsedWords): 'reads' | 'changes' =>
  options.some(({ name }) => name === 'i' || name === 'in-place') ? 'changes' : 'reads';

function sed(given: GrammarInput): CommandOutcome | null {
  const { words, judging } = given;
  const texts = words.options
    .filter(({ name }) => name === 'e' || name === 'expression')
    .map(({ value }) => (value === null ? null : wordText(value)));
  const isFile = words.options.some(({ name }) => name === 'f' || name === 'file');
  const [first] = words.operands;
  const isFirst = texts.length === 0 && !isFile;
  const scripts = isFirst ? [first === undefined ? '' : wordText(first)] : texts;
  if (scripts.includes(null)) {
    judging.walk.record.unread(judging.at, 'gives sed a script that is known only when it runs');
    return { output: UNKNOWN_OUTPUT };
  }
  return recordScript(isFile ? null : readSedScript(scripts.join('\n')), 'sed', isFirst, given);
}

function awk(given: GrammarInput): CommandOutcome | null {
  const { words, judging } = given;
  const isFile = words.options.some(({ role }) => role === 'script');
  const [first] = words.operands;
  if (isFile || first === undefined) return recordScript(null, 'awk', false, given);
  const text = wordText(first);
  if (text === null) {
    judging.walk.record.note('unseen-program', judging.at, 'gives awk a program that is known only when it runs');
    return { output: UNKNOWN_OUTPUT };
  }
  judging.walk.record.text(text, judging.scope.cwds, first);
  return recordScript(readAwkScript(text), 'awk', true, given);
}

function dd({ args, judging }: GrammarInput): CommandOutcome {
  const { walk, at } = judging;
  walk.record.onlyReads = false;
  for (const arg of args) {
    const text = wordText(arg);
    const [, what = '', path = ''] = /^(if|of)=([\s\S]*)$/u.exec(text ?? arg.head) ?? [];
    if (text === null) walk.record.unread(at, 'copies from or to what is known only when it runs');
    else if (what !== '')
      recordWord('dd', { ...arg, oneOf: [path], head: path }, what === 'if' ? 'reads' : 'writes', EMPTY, judging);
  }
  return { output: UNKNOWN_OUTPUT };
}

const EMPTY: ParsedWords = {
  options: [],
  operands: [],
  unsure: false,
  given: { options: new Map(), operands: [], all: [] },
};

/** Judges `test` and brackets: some shells evaluate what stands in the brackets of an array, even in quotes. */
function test(args: readonly EvaluatedWord[], judging: CommandContext): CommandOutcome {
  const { walk, at } = judging;
  if (args.some(({ oneOf }) => oneOf?.some((text) => /\[[^\]]*(?:\$\(|`)/u.test(text)) === true))
    walk.record.unread(at, 'means different things to different shells');
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1];
    if (
      before !== undefined &&
      /^-[a-zA-Z]$/u.test(wordText(before) ?? '') &&
      !/^-[znvot]$/u.test(wordText(before) ?? '')
    )
      recordWord('test', arg, arg.oneOf === null ? 'text' : 'reads', EMPTY, judging);
  }
  return { output: UNKNOWN_OUTPUT };
}

/** Judges `printf -v`, which sets a variable; what may be it is taken for it. */
function printf(given: GrammarInput): CommandOutcome {
  const [first, ...others] = given.args;
  const mayBeOption =
    first !== undefined && (first.oneOf?.some((text) => text.startsWith('-v')) ?? /^-?$/u.test(first.head));
  if (others.length === 0 || !mayBeOption) return says(given, formattedText);
  given.judging.walk.record.unread(given.judging.at, 'sets a variable that can’t be known in advance');
  return { output: UNKNOWN_OUTPUT };
}

function says({ args, judging }: GrammarInput, textOf: (texts: readonly string[]) => string | null): CommandOutcome {
  if (!judging.mayRead) judging.walk.record.onlyReads = false;
  const texts = args.map(wordText);
  const text = texts.includes(null) ? null : textOf(texts.filter((each) => each !== null));
  return { output: text === null ? UNKNOWN_OUTPUT : { kind: 'text', text } };
}

function echoedText(texts: readonly string[]): string | null {
  const [first, ...rest] = texts;
  const isPlain = first === undefined || !first.startsWith('-');
  const all = isPlain ? texts : /^-n$/u.test(first) ? rest : null;
  // Some shells read backslashes here, some don’t.
  return all === null || all.some((text) => text.includes('\\')) ? null : all.join(' ');
}

function formattedText([format = '', ...values]: readonly string[]): string | null {
  if (/\\(?![nt\\])|%(?![s%])/u.test(format)) return null;
  let at = 0;
  const once = (): string =>
    format.replaceAll(/%[s%]|\\[nt\\]/gu, (mark) =>
      mark === '%s' ? (values[at++] ?? '') : mark === '%%' ? '%' : mark === '\\n' ? '\n' : mark === '\\t' ? '\t' : '\\',
    );
  let text = once();
  // The format is used again until nothing is left.
  const rounds = at === 0 ? 0 : Math.min(200, Math.ceil(values.length / at) - 1);
  for (let round = 0; round < rounds; round += 1) text += once();
  return text;
}

function cd(words: ParsedWords, judging: CommandContext): CommandOutcome {
  const { walk, at } = judging;
  const [to] = words.operands;
  if (to === undefined || wordText(to) === '-' || words.unsure) {
    walk.record.unread(at, 'changes to a folder that can’t be known in advance');
    return { output: UNKNOWN_OUTPUT, cwds: null };
  }
  return { output: { kind: 'text', text: '' }, cwds: recordFolder(to, judging) };
}

/** Ending what it started itself is its own business. */
function kill({ args, judging }: GrammarInput): CommandOutcome {
  const { walk, at } = judging;
  const texts = args.map(wordText);
  walk.record.onlyReads = false;
  if (texts[0] === '-l' || texts[0] === '-L') return { output: UNKNOWN_OUTPUT };
  const [first] = args;
  const signal =
    first === undefined
      ? 0
      : /^-(?:s|n)$/u.test(wordText(first) ?? '')
        ? 2
        : /^-[A-Z0-9]+$/u.test(wordText(first) ?? '')
          ? 1
          : 0;
  const targets = args.slice(signal).filter((arg) => wordText(arg) !== '--');
  const isOwn = targets.length > 0 && targets.every((arg) => arg.isJob || /^%[\w%+-]+$/u.test(wordText(arg) ?? ''));
  if (!isOwn && texts[0] !== '-0')
    walk.record.note(
      'ends-processes',
      at,
      `ends processes that may not be its own: ${texts
        .map((text) => text ?? 'known only when it runs')
        .join(' ')
        .slice(0, 100)}`,
    );
  return { output: UNKNOWN_OUTPUT };
}

const HARMLESS_SETTINGS = /^[-+](?:[euxvfmhB]+|o|[eux]+o)$/u;
const NAMED_SETTINGS = /^(?:errexit|nounset|xtrace|verbose|noglob|pipefail|monitor|noclobber)$/u;

function set(args: readonly EvaluatedWord[], { walk, at }: CommandContext): CommandOutcome {
  for (const [index, arg] of args.entries()) {
    const text = wordText(arg);
    const isName = /^[-+][a-z]*o$/u.test(wordText(args[index - 1] ?? arg) ?? '') && index > 0;
    if (text === '--') break;
    if (text === null || !(isName ? NAMED_SETTINGS.test(text) : HARMLESS_SETTINGS.test(text))) {
      if (text === null || /^[-+]/u.test(text) || isName)
        walk.record.unread(at, 'changes how the shell reads what follows');
      break;
    }
  }
  return { output: UNKNOWN_OUTPUT };
}

function exported(words: ParsedWords, judging: CommandContext): CommandOutcome {
  const { walk, scope, at } = judging;
  if (words.options.some(({ known, edits }) => !known || edits) || words.unsure)
    walk.record.unread(at, 'sets variables that can’t be known in advance');
  for (const arg of words.operands) {
    const text = wordText(arg);
    const [, name = '', value] = /^([A-Za-z_]\w*)(?:=([\s\S]*))?$/u.exec(text ?? arg.head) ?? [];
    if (name === '') walk.record.unread(arg, 'sets a variable that can’t be known in advance');
    else if (text !== null && value === undefined)
      walk.variableFor(name, scope.variables.get(name) ?? 'unknown', scope, arg);
    else {
      const held = text === null ? ('unknown' as const) : { oneOf: [value ?? ''] };
      walk.variableFor(name, held, scope, arg);
      walk.set(name, held, scope);
    }
  }
  return { output: UNKNOWN_OUTPUT };
}

function read(words: ParsedWords, { walk, scope, input, at }: CommandContext): CommandOutcome {
  if (words.unsure || words.options.some((option) => option.name === 'a'))
    walk.record.unread(at, 'sets variables that can’t be known in advance');
  for (const arg of words.operands) {
    const name = wordText(arg);
    if (name === null || !/^[A-Za-z_]\w*$/u.test(name))
      walk.record.unread(at, 'sets a variable that can’t be known in advance');
    else {
      const files = input.kind === 'pipe' && input.output.kind === 'files' ? input.output.files : null;
      walk.set(
        name,
        files === null || files.length > 48 || words.operands.length > 1 ? 'unknown' : { oneOf: files },
        scope,
      );
      if (/^[A-Z]/u.test(name) && name !== 'REPLY') walk.variableFor(name, 'unknown', scope, arg);
    }
  }
  if (words.operands.length === 0) walk.set('REPLY', 'unknown', scope);
  return { output: UNKNOWN_OUTPUT };
}

/** Judges a shell: with `-c`, the first word that is no option is what is run. */
function shell({ name, words, judging, program, args }: GrammarInput): CommandOutcome | null {
  const { walk, scope, at } = judging;
  walk.record.onlyReads = false;
  if (!words.options.some((option) => option.name === 'c')) return null;
  const unknown = words.options.find(({ known }) => !known);
  const [text, ...rest] = words.operands;
  const isUnsure = words.unsure && text !== undefined && wordText(text) !== null;
  if (
    unknown !== undefined ||
    isUnsure ||
    text === undefined ||
    words.options.some(({ value }) => value !== null && wordText(value) === null)
  ) {
    walk.record.unread(at, `what ${name} runs can’t be known in advance`);
    return judging.judgeAs({ ...judgePlainly(program), operands: ['value'] }, name, args, judging);
  }
  const command = wordText(text);
  if (command === null)
    walk.record.note('unseen-program', text, `gives ${name} a command that is known only when it runs`);
  else {
    for (const arg of rest) for (const each of arg.oneOf ?? []) walk.record.value(each, scope.cwds, arg);
    walk.text(command, text, { ...scope, variables: new Map(), input: judging.input });
  }
  return { output: UNKNOWN_OUTPUT };
}
