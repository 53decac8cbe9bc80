import type { ArgumentRole } from '../../programs/program.js';
import type { ParsedWords } from './option-parser.js';
import { parseGitAddress } from '../hosts/git-address.js';
import type { CommandContext } from './command-context.js';
import { listSecretsBelow } from '../places.js';
import { type Cwds, isPathRole } from '../reading-record.js';
import { type EvaluatedWord, wordText } from '../word-values.js';

export function recordFolder(arg: EvaluatedWord, { walk, scope }: CommandContext): Cwds {
  const texts = arg.oneOf;
  if (texts === null || scope.cwds === null) {
    walk.record.unread(arg, 'goes to a folder that is known only when it runs');
    return null;
  }
  const led: string[] = [];
  for (const text of texts)
    for (const cwd of scope.cwds.length === 0 ? [''] : scope.cwds) {
      walk.record.path(text === '' ? '.' : text, 'reads', [cwd], arg);
      const to = resolveFolder(text, cwd, walk.record.folder.roots);
      if (to !== null) led.push(to);
    }
  return led.length === 0 ? null : [...new Set(led)];
}

/** Resolves a path from the first root; null for anywhere else. */
export function resolveFolder(text: string, cwd: string, roots: readonly string[]): string | null {
  const [root] = roots;
  const isAbsolute = text.startsWith('/');
  if (text.startsWith('~') || (isAbsolute && root === undefined)) return null;
  const from = isAbsolute ? text : `${root ?? ''}/${cwd}/${text}`;
  const names: string[] = [];
  for (const part of from.split('/')) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  const whole = `/${names.join('/')}`;
  const base = root ?? '';
  if (whole === base || (base === '' && whole === '/')) return '';
  return whole.startsWith(`${base}/`) ? whole.slice(base.length + 1) : null;
}

/** Records the files of sent data: `@file` is a file, anything else is not. */
function recordSentData(name: string, arg: EvaluatedWord, { walk: { record }, scope: { cwds } }: CommandContext): void {
  if (arg.oneOf === null) record.note('unseen-program', arg, `sends what is known only when it runs (${name})`);
  for (const text of arg.oneOf ?? []) {
    const file = /^(?:[^=@]*=)?[@<]([^;]+)/u.exec(text)?.[1];
    if (file !== undefined && file !== '-') record.path(file, 'reads', cwds, arg);
  }
}

/** Records what is done to what a word names, by its meaning to the program. */
export function recordWord(
  name: string,
  arg: EvaluatedWord,
  role: ArgumentRole,
  words: ParsedWords,
  judging: CommandContext,
): void {
  const { walk, scope, at } = judging;
  const { record } = walk;
  const { cwds } = scope;
  if (isPathRole(role)) {
    recordPath(arg, role, judging);
    return;
  }
  switch (role) {
    case 'text':
      return;
    case 'value':
    case 'variable':
    case 'module':
      if (role === 'module' && arg.oneOf?.length !== 1)
        record.unread(arg, `what ${name} is to run is known only when it runs`);
      for (const text of arg.oneOf ?? []) record.value(text, cwds, arg);
      return;
    case 'pattern':
      for (const text of arg.oneOf ?? ['*'])
        for (const secret of listSecretsBelow(
          record.folder,
          '',
          arg.oneOf === null ? null : (text.split('/').at(-1) ?? text),
        ))
          record.secret(secret, arg);
      return;
    case 'shell': {
      const text = wordText(arg);
      record.onlyReads = false;
      if (text === null) record.note('unseen-program', arg, `gives ${name} a command that is known only when it runs`);
      else {
        record.warn(arg, `runs a command of its own, by ${name}`);
        walk.text(text, arg, { ...scope, variables: new Map(scope.variables), input: { kind: 'none' } });
      }
      return;
    }
    case 'code': {
      const text = wordText(arg);
      record.onlyReads = false;
      if (text === null) record.note('unseen-program', arg, `gives ${name} code that is known only when it runs`);
      else {
        record.warn(arg, `runs inline code with ${name}`);
        record.text(text, cwds, arg);
      }
      return;
    }
    case 'program':
      record.note('unseen-program', at, `sets what ${name} runs, unseen`);
      for (const text of arg.oneOf ?? []) record.value(text, cwds, arg);
      return;
    case 'script':
      record.onlyReads = false;
      if (arg.oneOf?.some((text) => text.startsWith('/dev/fd/')) === true) {
        record.note('unseen-program', arg, `runs whatever a command prints (${name})`);
        return;
      }
      if (arg.oneOf?.some((text) => text === '-') === true) return;
      if (arg.oneOf?.some((text) => /^[a-z]+:\/\//iu.test(text)) === true) {
        record.note('unseen-program', arg, 'runs a downloaded script you haven’t seen');
        for (const text of arg.oneOf) record.address(text, cwds, arg);
      } else recordPath(arg, 'reads', judging);
      return;
    case 'host':
      record.onlyReads = false;
      if (arg.oneOf === null) record.unknownHost(arg);
      else
        for (const text of arg.oneOf) {
          if (/^(?:\.{0,2}\/|\.{1,2}$|~)/u.test(text)) record.path(text, 'reads', cwds, arg);
          else if (text !== '' && !/^[A-Za-z-]+(?:=|:=)/u.test(text)) record.address(text, cwds, arg);
        }
      return;
    case 'address':
      recordAddress(arg, judging);
      return;
    case 'data':
      recordSentData(name, arg, judging);
      return;
    case 'archive': {
      const writes = ['c', 'r', 'u', 'A', 'create', 'append', 'update', 'concatenate'].some((each) =>
        words.given.options.has(each),
      );
      if (wordText(arg) !== '-') recordPath(arg, writes ? 'writes' : 'reads', judging);
      return;
    }
    case 'folder':
      recordFolder(arg, judging);
  }
}

function recordAddress(arg: EvaluatedWord, { walk: { record }, scope: { cwds } }: CommandContext): void {
  record.onlyReads = false;
  if (arg.oneOf === null) record.unknownHost(arg);
  for (const text of arg.oneOf ?? []) {
    if (parseGitAddress(text).kind === 'path') record.path(text.replace(/^file:\/\/[^/]*/iu, ''), 'reads', cwds, arg);
    else record.needs(`git address ${text}`, cwds, arg);
  }
}

function recordPath(
  arg: EvaluatedWord,
  role: 'reads' | 'writes' | 'changes' | 'deletes',
  { walk, scope, mayChange }: CommandContext,
): void {
  const { record } = walk;
  if (role !== 'reads') record.onlyReads = false;
  if (role !== 'reads' && arg.loose === true) record.unread(arg, IS_CONCATENATED[role]);
  if (arg.oneOf === null) {
    if (arg.inert && role === 'reads') return;
    if (arg.pattern === null) record.unread(arg, IS_CONCATENATED[role]);
    else {
      // The files are not known: the pattern counts as whatever it may stand for.
      record.unread(arg, 'matches more files than could be checked');
      record.value(arg.pattern, scope.cwds, arg);
    }
    return;
  }
  for (const text of arg.oneOf) {
    if (text === '-') continue;
    if (/^[a-z][a-z0-9+.-]+:\/\//iu.test(text) || /^[\w.-]+@[\w.-]+:/u.test(text))
      record.address(text, scope.cwds, arg);
    else {
      record.path(text, role, scope.cwds, arg);
      // `HEAD:.env`, and what is behind a sign of its own: `@.env`.
      if (role === 'reads' && /[:@=,]/u.test(text)) record.value(text, scope.cwds, arg);
      // Nothing is known of what the program may do with the file.
      if (role === 'reads' && mayChange === true) record.controlled(text, scope.cwds, arg);
    }
  }
}

const IS_CONCATENATED = {
  reads: 'names a file that is known only when it runs',
  writes: 'writes to a file whose name is known only when it runs',
  changes: 'changes files whose names are known only when it runs',
  deletes: 'deletes files whose names are known only when it runs',
} as const;
