import type { Effect, Program, ArgumentRole } from '../../programs/program.js';
import { PUBLISHING_NAME } from '../../programs/known/npm.js';
import { isHarmlessSetting } from '../../programs/known/git-effects.js';
import { findProgram } from '../../programs/program-table.js';
import type { SimpleReadCommand } from '../../../sensitive/command-allowance.js';
import { commandOutput } from './command-output.js';
import { listBelow, type Folder } from '../folder.js';
import { parseArguments, type ParsedOption, type ParsedWords, assignRoles } from './option-parser.js';
import { judgeByGrammar } from './grammars.js';
import { type CommandOutcome, type CommandContext, UNKNOWN_OUTPUT, type CommandWalker } from './command-context.js';
import { resolvePlace, listSecretsBelow } from '../places.js';
import { recordPatchedFiles } from './patched-files.js';
import { listTrackedSecrets } from './tracked-secrets.js';
import type { Cwds } from '../reading-record.js';
import { judgeStarted } from './started-programs.js';
import { type EvaluatedWord, literalWord, wordText } from '../word-values.js';
import { recordFolder, resolveFolder, recordWord } from './word-effects.js';

/** Entry for programs of which nothing is known: what they are given may be anything. */
const UNKNOWN: Program = { nature: 'runs', anyOption: true, operands: ['reads'] };

const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/u;

/** Judges one command with its words, and adds what it does to the record. */
export function judgeCommandWords(
  written: string,
  args: readonly EvaluatedWord[],
  judging: CommandContext,
): CommandOutcome {
  const { walk, scope, at } = judging;
  const { record } = walk;
  if (/=|^[-+%]/u.test(written)) record.unread(at, 'something that isn’t a program’s name');
  if (!/^[\x21-\x7e]+$/u.test(written)) record.unread(at, 'a program name with look-alike letters');
  const system = SYSTEM_PROGRAM.exec(written)?.[1];
  const isPath = system === undefined && written.includes('/');
  if (isPath) record.path(written, 'reads', scope.cwds, at);
  const called = system ?? written.split('/').at(-1) ?? written;
  record.programs.add(called);
  const known = findProgram(called);
  // What is only alike is taken for the worse of what it may be.
  const name = known === undefined || known.exactly ? called : called.toLowerCase();
  const mayRead = judging.mayRead && !isPath && known?.exactly === true;
  const before = record.onlyReads;
  record.onlyReads = true;
  const done = judgeAsProgram(known?.program ?? UNKNOWN, name, args, { ...judging, mayRead });
  // What only starts another is what it starts, which is judged by itself.
  if (known?.exactly !== true || known.program.starts?.transparent !== true || isPath)
    record.ran.push(
      asRead(known?.exactly === true ? known.program : undefined, written, args, mayRead && record.onlyReads, judging),
    );
  record.onlyReads = before && record.onlyReads;
  return done;
}

function asRead(
  known: Program | undefined,
  program: string,
  args: readonly EvaluatedWord[],
  onlyReads: boolean,
  { walk, scope }: CommandContext,
): SimpleReadCommand {
  const { folder } = walk.record;
  const first = args.map(({ oneOf, head }) => oneOf?.[0] ?? head);
  const words = [...first, ...args.flatMap(({ oneOf }) => oneOf?.slice(1) ?? [])];
  const cwds = scope.cwds === null || scope.cwds.length === 0 ? [''] : scope.cwds;
  const steering = words.flatMap((word) => listSteeringFiles(word, cwds, folder));
  const settings = onlyReads ? [] : (known?.settings?.(words) ?? []);
  return { program, words, onlyReads, steering, settings };
}

/** `.envrc`, `--output=.envrc`. */
function listSteeringFiles(word: string, cwds: readonly string[], folder: Folder): readonly string[] {
  const written = word.replace(/^--?[\w-]+=/u, '');
  if (written === '' || written.startsWith('-') || written.length > MAX_PATH_LENGTH) return [];
  return cwds.flatMap((cwd) => {
    const place = resolvePlace(written, cwd, folder);
    return place.kind === 'inside' && place.control ? [place.path] : [];
  });
}

const MAX_PATH_LENGTH = 4096;

export function judgeAsProgram(
  program: Program,
  name: string,
  written: readonly EvaluatedWord[],
  judging: CommandContext,
): CommandOutcome {
  const { walk, scope, at } = judging;
  const { record } = walk;
  const [first, ...rest] = written;
  const args =
    program.bareLetters === true && first !== undefined && /^[A-Za-z]+$/u.test(first.head)
      ? [literalWord(`-${first.head}`, first), ...rest]
      : written;
  if (onlyDescribesItself(program, args) && judging.mayRead && program !== UNKNOWN) return { output: UNKNOWN_OUTPUT };
  const stopsAtFirst =
    program.verbs !== undefined || program.starts !== undefined || program.operands?.[0] === 'script';
  const words = parseArguments(program, args, stopsAtFirst ? 'first' : 'all');
  const special =
    program.grammar === undefined ? null : judgeByGrammar(program.grammar, { program, name, args, words, judging });
  if (special !== null) return special;
  if (words.unsure && !takesAnyWord(program)) record.unread(at, `an option of ${name} is known only when it runs`);
  if (program.verbs !== undefined) return judgeVerb(program, program.verbs, name, words, judging);
  if (dependsOnWords(program) && words.operands.some((arg) => arg.oneOf === null && !arg.inert))
    record.unread(at, `what ${name} is to do is known only when it runs`);
  for (const given of listVariants(words, record, at)) recordEffects(program, name, given, judging);
  const withNames = (said: string): string => said.replace('…', () => shown(words));
  for (const said of program.tells?.(words.given) ?? []) record.note('notice', at, withNames(said));
  for (const said of program.warns?.(words.given) ?? []) record.warn(at, withNames(said));
  if (program.starts !== undefined) return judgeStarted(program, program.starts, name, words, judging);
  const isMore =
    program.nature !== 'reads' ||
    listVariants(words, record, at).some(({ given }) => program.editsWith?.(given) === true);
  if (isMore || !judging.mayRead) record.onlyReads = false;
  if (program.nature === 'reads' && words.options.some(({ known, edits }) => !known || edits)) record.onlyReads = false;
  const roles = withModule(words.options)
    ? assignRoles({ ...program, operands: ['value'] }, words.operands)
    : assignRoles(program, words.operands);
  const asModule = moduleOf(words);
  if (asModule !== null)
    return judgeAsProgram(asModule.program, asModule.name, words.operands, { ...judging, mayRead: false });
  const isCode = words.options.some(({ role }) => role === 'code');
  let inFolders = scope.cwds;
  for (const option of words.options)
    inFolders =
      recordOption(program, name, option, words, { ...judging, scope: { ...scope, cwds: inFolders } }) ?? inFolders;
  const there: CommandContext = {
    ...judging,
    scope: inFolders === scope.cwds ? scope : { ...scope, cwds: inFolders },
    mayChange: program.nature === 'runs',
  };
  for (const [arg, role] of roles)
    recordWord(name, arg, isCode && (role === 'script' || role === 'value') ? besideCode(words) : role, words, there);
  if (program.fromInput !== undefined) judgeInput(program, name, words, there);
  if (program.readsBelow?.(words.given) === true) recordFilesBelow(roles, words, there);
  if (program.takesPatches?.(words.given) === true) recordPatchedFiles(words, there);
  recordTrackedFiles(program, words, there);
  return { output: commandOutput(program, words, judging) };
}

/** Records what Git shows of files that it knows, secrets among them. */
function recordTrackedFiles(
  { showsTracked }: Program,
  { given }: ParsedWords,
  { walk, scope, at }: CommandContext,
): void {
  const limits = showsTracked?.(given) ?? null;
  if (limits === null) return;
  const { record } = walk;
  for (const cwd of scope.cwds ?? ['']) {
    const secrets = listTrackedSecrets(record.folder, cwd, given, limits);
    if (secrets === null) record.unread(at, 'shows files that Git knows, and which these are can’t be told');
    else for (const secret of secrets) record.secret(secret, at);
  }
}

const shown = ({ operands }: ParsedWords): string => {
  const names = operands.slice(0, 3).map((arg) => wordText(arg) ?? arg.pattern ?? 'something known only when it runs');
  return names.length === 0 ? 'what its input names' : names.join(', ') + (operands.length > 3 ? ' and more' : '');
};

/** Whether the words say what the program does, and not only to what. */
const dependsOnWords = ({
  findEffects: look,
  needs,
  editsWith,
  nature,
  operands,
  starts,
  anyOption,
}: Program): boolean =>
  look !== undefined ||
  needs !== undefined ||
  editsWith !== undefined ||
  (nature === 'runs' && anyOption !== true && starts === undefined && operands?.[0] !== 'script');

const MAX_VARIANTS = 64;

/** The words once for each that they may be. */
function listVariants(
  words: ParsedWords,
  record: CommandWalker['record'],
  at: CommandContext['at'],
): readonly ParsedWords[] {
  if (words.operands.every(({ oneOf }) => oneOf === null || oneOf.length === 1)) return [words];
  let all: readonly (readonly (string | null)[])[] = [[]];
  for (const { oneOf } of words.operands) {
    all = all.flatMap((before) => (oneOf ?? [null]).map((text) => [...before, text]));
    if (all.length > MAX_VARIANTS) {
      // Each word by itself says as much where they say nothing together.
      all = words.operands
        .flatMap((arg) => arg.oneOf ?? [])
        .slice(0, MAX_VARIANTS * 32)
        .map((text) => [text]);
      if (all.length === MAX_VARIANTS * 32) record.unread(at, 'names more than can be checked');
      break;
    }
  }
  return all.map((operands) => ({ ...words, given: { ...words.given, operands } }));
}

/** `perl -pe … file`: what it is given besides is read, line by line, or changed in place. */
function besideCode({ options }: ParsedWords): ArgumentRole {
  const names = new Set(options.map(({ name }) => name));
  return names.has('i') ? 'changes' : names.has('n') || names.has('p') ? 'reads' : 'value';
}

/** Whether the command only says what the program is: it does nothing. */
const onlyDescribesItself = ({ tellsVersion }: Program, [only, ...others]: readonly EvaluatedWord[]): boolean =>
  only !== undefined &&
  others.length === 0 &&
  (tellsVersion === true ? /^(?:--version|--help|-[vV])$/u : /^--(?:version|help)$/u).test(wordText(only) ?? '');

/** Where it makes no difference whether a word is an option. */
const takesAnyWord = ({ nature, anyOption, operands, more, findEffects: look }: Program): boolean =>
  nature === 'reads' &&
  anyOption === true &&
  more === undefined &&
  look === undefined &&
  operands?.every((role) => role === 'text' || role === 'value') === true;

/** `python3 -m pip …` is pip. */
function moduleOf(words: ParsedWords): { readonly program: Program; readonly name: string } | null {
  const given = words.options.find(({ role }) => role === 'module')?.value ?? null;
  const name = given === null ? null : wordText(given);
  const program = name === null ? undefined : findProgram(name)?.program;
  return name === null || program === undefined || program.nature === 'reads' ? null : { program, name };
}

const withModule = (options: readonly ParsedOption[]): boolean => options.some(({ role }) => role === 'module');

function judgeVerb(
  program: Program,
  verbs: NonNullable<Program['verbs']>,
  name: string,
  words: ParsedWords,
  judging: CommandContext,
): CommandOutcome {
  const { walk, scope, at } = judging;
  const { record } = walk;
  const [verbArg, ...rest] = words.operands;
  let inFolders = scope.cwds;
  for (const option of words.options)
    inFolders =
      recordOption(program, name, option, words, { ...judging, scope: { ...scope, cwds: inFolders } }) ?? inFolders;
  const there: CommandContext = { ...judging, scope: inFolders === scope.cwds ? scope : { ...scope, cwds: inFolders } };
  const isPlain = words.options.every(({ known, edits }) => known && !edits);
  const verb = verbArg === undefined ? '' : wordText(verbArg);
  if (verb === null) {
    record.unread(at, `what ${name} is to do is known only when it runs`);
    return { output: UNKNOWN_OUTPUT };
  }
  const known = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (known === undefined) {
    if (verb === '' || verb === 'help') {
      const shows = words.options.some((option) => /^(?:v|V|h|version|help)$/u.test(option.name));
      if (!shows || !isPlain) record.onlyReads = record.onlyReads && shows;
      return { output: UNKNOWN_OUTPUT };
    }
    record.onlyReads = false;
    if (program.strict === true) record.unread(at, `“${name} ${verb}” may be an alias, which can run anything`);
    else if (PUBLISHING_NAME.test(verb)) record.note('publishes', at, `runs “${verb}”, which publishes by its name`);
    for (const arg of verbArg === undefined ? rest : [verbArg, ...rest]) recordWord(name, arg, 'reads', words, there);
    return { output: UNKNOWN_OUTPUT };
  }
  const readBefore = record.onlyReads;
  record.onlyReads = true;
  const done = judgeAsProgram(known, `${name} ${verb}`, rest, { ...there, mayRead: judging.mayRead && isPlain });
  if (program.isGit === true) {
    const rewrote = record.found.some(
      ({ kind, start }) => kind === 'rewrites-history' && start >= at.start && start <= at.end,
    );
    record.works(rewrote ? 'rewrites' : record.onlyReads ? 'reads' : 'undoable');
  }
  record.onlyReads = record.onlyReads && readBefore;
  return done;
}

function recordEffects(program: Program, name: string, words: ParsedWords, { walk, scope, at }: CommandContext): void {
  const { record } = walk;
  const done: readonly Effect[] = [...(program.effects ?? []), ...(program.findEffects?.(words.given) ?? [])];
  const named = words.operands
    .map((arg) => wordText(arg) ?? 'something known only when it runs')
    .slice(0, 3)
    .join(', ');
  for (const { kind, words: said } of done) {
    if (kind === 'unread') record.unread(at, `${name} ${said}`);
    else record.note(kind, at, said.replace('…', named === '' ? 'what its input names' : named));
    if (kind === 'notice') record.onlyReads = false;
  }
  const isLocal = (need: string): boolean => /^\S+ exec$/u.test(need) && isInstalled(words, walk);
  if (words.given.options.has('offline')) return;
  for (const need of program.needs?.(words.given) ?? [])
    if (!isLocal(need)) record.needs(need.replace(/ exec$/u, ''), scope.cwds, at);
}

/** `npx tsc`: what the folder has is not fetched. */
function isInstalled({ operands: [first] }: ParsedWords, { record }: CommandWalker): boolean {
  const name = first === undefined ? null : wordText(first);
  if (name === null || !/^(?:@[\w.-]+\/)?[\w.-]+$/u.test(name)) return false;
  const { folder } = record;
  return (
    folder.text(`node_modules/.bin/${name.split('/').at(-1) ?? name}`) !== null ||
    folder.text(`node_modules/${name}/package.json`) !== null
  );
}

/** Where it leads, if it leads elsewhere. */
function recordOption(
  program: Program,
  name: string,
  { role, value, known }: ParsedOption,
  words: ParsedWords,
  judging: CommandContext,
): Cwds | undefined {
  const { walk, scope, at } = judging;
  const { record } = walk;
  if (value === null || role === null) return undefined;
  if (role === 'setting') {
    const text = wordText(value);
    if (text === null || !isHarmlessSetting(text))
      record.note('variable', at, 'sets Git options that can make it run code');
    return undefined;
  }
  if (role === 'folder') {
    record.note('notice', value, `has ${name} work in ${wordText(value) ?? 'a folder known only when it runs'}`);
    return recordFolder(value, judging);
  }
  if (role === 'script') record.warn(value, `sets another program for ${name} to run`);
  if (role === 'value' && (known || program.anyOption === true) && value.oneOf === null) return undefined;
  recordWord(name, value, role === 'value' && value.oneOf === null ? 'reads' : role, words, { ...judging, scope });
  return undefined;
}

/** An interpreter that is given no program takes it from what comes in. */
function judgeInput(
  program: Program,
  name: string,
  words: ParsedWords,
  { walk, scope, input, at }: CommandContext,
): void {
  const { record } = walk;
  const [first] = words.operands;
  const givenCode = words.options.some(({ role }) => role === 'code' || role === 'module' || role === 'shell');
  const fromInput =
    first === undefined || wordText(first) === '-' || /^\/dev\/(?:stdin|fd\/0)$/u.test(wordText(first) ?? '');
  const isAsked = words.given.options.has('s') && program.fromInput === 'shell';
  if (givenCode || !(fromInput || isAsked) || program.operands?.[0] !== 'script') return;
  if (input.kind === 'file') record.warn(at, `runs the file it is given (${name})`);
  if (input.kind !== 'pipe') return;
  const { output, isDownload } = input;
  if (isDownload || output.kind !== 'text') {
    record.note(
      'unseen-program',
      at,
      isDownload ? 'runs a downloaded script you haven’t seen' : `runs whatever the command before it prints (${name})`,
    );
    return;
  }
  record.onlyReads = false;
  if (program.fromInput === 'shell') record.warn(at, `runs a command of its own, by ${name}`);
  if (program.fromInput === 'shell')
    walk.text(output.text, at, { ...scope, variables: new Map(scope.variables), input: { kind: 'none' } });
  else {
    record.warn(at, `runs inline code with ${name}`);
    record.text(output.text, scope.cwds, at);
  }
}

/** `grep -r x .`: what is below is read, secrets with it. */
function recordFilesBelow(
  roles: readonly (readonly [EvaluatedWord, ArgumentRole])[],
  words: ParsedWords,
  { walk, scope, at }: CommandContext,
): void {
  const { record } = walk;
  const patterns = words.options
    .filter(({ role }) => role === 'pattern')
    .map(({ value }) => (value === null ? null : wordText(value)))
    .filter((pattern) => pattern?.startsWith('!') !== true);
  const named = roles.filter(([, role]) => role === 'reads').flatMap(([arg]) => arg.oneOf ?? []);
  for (const folder of named.length === 0 ? ['.'] : named)
    for (const cwd of scope.cwds ?? []) {
      const to = resolveFolder(folder, cwd, record.folder.roots);
      if (to === null) continue;
      for (const pattern of patterns.length === 0 ? [null] : patterns) {
        if (pattern === null && listBelow(record.folder, to) === null)
          record.unread(at, 'reads more files than could be checked');
        else for (const secret of listSecretsBelow(record.folder, to, pattern)) record.secret(secret, at);
      }
    }
}
