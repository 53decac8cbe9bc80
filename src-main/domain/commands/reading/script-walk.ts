import type { Program } from '../programs/program.js';
import { findProgram } from '../programs/program-table.js';
import { readScript } from '../shell/read-script.js';
import { HARMLESS_VARIABLE } from '../shell/strict-mode.js';
import { literalText } from '../shell/word-text.js';
import {
  type Assignment,
  type ShellCommand,
  type WordPart,
  type Redirection,
  type ShellScript,
  type SimpleCommand,
  type PipelineStep,
  UnreadableScript,
} from '../shell/syntax.js';
import { judgeCommandWords, judgeAsProgram } from './judging/judge-command.js';
import {
  type CommandInput,
  type CommandOutput,
  type ShellScope,
  UNKNOWN_OUTPUT,
  type CommandWalker,
} from './judging/command-context.js';
import type { Cwds, TextRange, ReadingRecord } from './reading-record.js';
import { type EvaluatedWord, type Evaluation, evaluateWord, wordText, type ShellValue } from './word-values.js';

/** Where it is after a command that did well, and after one that did not. */
interface JointFlow {
  readonly ok: Cwds;
  readonly fail: Cwds;
  readonly output: CommandOutput;
}

const PATHS_OF_MODULES = /^(?:PYTHONPATH|NODE_PATH)$/u;
/** Variables that the shell itself or any program goes by, whether they are exported or not. */
const OBEYED_VARIABLE =
  /^(?:PATH|IFS|ENV|BASH_\w+|LD_\w+|DYLD_\w+|NODE_\w+|NPM_\w+|npm_\w+|PYTHON\w+|PERL\w+|RUBY\w+|GIT_\w+|PROMPT_COMMAND|PS[0-4]|SHELL\w*|EDITOR|VISUAL|PAGER|HOME|PWD|OLDPWD|CDPATH|TMPDIR|USER|LOGNAME|XDG_\w+|SSH_\w+|\w+_PROXY|\w+_proxy|LESS\w*|JAVA_\w+|CLASSPATH|GO\w+|CARGO_\w+|RUSTC\w*|CC|CXX|MAKEFLAGS|FPATH|GLOBIGNORE|OPTIND|DOCKER_\w+|KUBECONFIG|AWS_\w+|GH_\w+|GITHUB_\w+)$/u;
const MAX_DEPTH = 12;

export class ScriptWalk implements CommandWalker {
  readonly record: ReadingRecord;
  /** Something of it goes on beside the rest that may be a server. */
  startsServer = false;

  constructor(record: ReadingRecord) {
    this.record = record;
  }

  /** A text that a shell is given. `named`: the program that it begins with, as another reader has it. */
  text(text: string, at: TextRange, scope: ShellScope, named: string | null = null): CommandOutput {
    if (scope.depth > MAX_DEPTH) {
      this.record.unread(at, 'commands within commands, too deep to follow');
      return UNKNOWN_OUTPUT;
    }
    try {
      return this.script(readScript(text, { pin: at }), { ...scope, depth: scope.depth + 1 });
    } catch (error) {
      if (!(error instanceof UnreadableScript)) throw error;
      this.record.unread(at, error.why);
      this.record.text(text, scope.cwds, at);
      for (const { kind, words } of programOf(named)?.effects ?? [])
        this.record.note(kind, at, words.replace('…', 'something known only when it runs'));
      return UNKNOWN_OUTPUT;
    }
  }

  /** Walks a script, one command after the other; its output is what its only command gives. */
  script(script: ShellScript, scope: ShellScope): CommandOutput {
    let output: CommandOutput = { kind: 'text', text: '' };
    let before: PipelineStep['joint'] = ';';
    let flow: JointFlow = { ok: scope.cwds, fail: [], output };
    for (const step of script) {
      const comes = before === '&&' ? flow.ok : before === '||' ? flow.fail : union(flow.ok, flow.fail);
      const isMaybe = before === '&&' || before === '||';
      const inner: ShellScope = { ...scope, cwds: comes, maybe: scope.maybe || isMaybe };
      const isApart = step.joint === '&';
      if (isApart) this.#background(step, inner);
      const done = this.#pipeline(step, isApart ? { ...inner, variables: new Map(scope.variables) } : inner);
      output = script.length === 1 ? done.output : UNKNOWN_OUTPUT;
      const after = isApart ? { ok: comes, fail: none(comes) } : done;
      if (before === '&&') flow = { ok: after.ok, fail: union(flow.fail, after.fail), output };
      else if (before === '||') flow = { ok: union(flow.ok, after.ok), fail: after.fail, output };
      else flow = { ok: after.ok, fail: after.fail, output };
      before = step.joint;
    }
    scope.cwds = union(flow.ok, flow.fail);
    return output;
  }

  #background({ pipeline }: PipelineStep, scope: ShellScope): void {
    this.record.background = true;
    this.record.onlyReads = false;
    const [first] = pipeline;
    const place = first?.kind === 'simple' ? first : { start: 0, end: 0 };
    this.record.note('notice', place, 'runs in the background until the command ends');
    const [name] = first?.kind === 'simple' ? first.words : [];
    if (name === undefined || programOf(literalText(name))?.servesNobody !== true) this.startsServer = true;
    scope.variables.set('!', 'job');
  }

  #pipeline({ pipeline }: PipelineStep, scope: ShellScope): JointFlow {
    const [only, ...others] = pipeline;
    if (only !== undefined && others.length === 0) return this.#command(only, scope);
    let input = scope.input;
    for (const command of pipeline) {
      const apart: ShellScope = { ...scope, variables: new Map(scope.variables), input };
      const { output } = this.#command(command, apart);
      input = { kind: 'pipe', output, isDownload: downloads(command) || (input.kind === 'pipe' && input.isDownload) };
    }
    return { ok: scope.cwds, fail: scope.cwds, output: input.kind === 'pipe' ? input.output : UNKNOWN_OUTPUT };
  }

  #command(command: ShellCommand, scope: ShellScope): JointFlow {
    if (command.kind === 'simple') return this.#simple(command, scope);
    const input = this.#redirects(command.redirects, scope) ?? scope.input;
    const variables = command.kind === 'subshell' ? new Map(scope.variables) : scope.variables;
    const inner: ShellScope = { ...scope, variables, input };
    const output = this.#compound(command, inner);
    const cwds = command.kind === 'subshell' ? scope.cwds : inner.cwds;
    return {
      ok: cwds,
      fail: cwds,
      output: command.kind === 'subshell' || command.kind === 'group' ? output : UNKNOWN_OUTPUT,
    };
  }

  #compound(command: Exclude<ShellCommand, SimpleCommand>, scope: ShellScope): CommandOutput {
    switch (command.kind) {
      case 'subshell':
      case 'group':
        return this.script(command.body, scope);
      case 'loop': {
        for (const name of assignedIn(command.parts))
          if (scope.variables.has(name)) scope.variables.set(name, 'unknown');
        if (command.over !== null) {
          const args = command.over.words.flatMap((word) => evaluateWord(word, this.evaluation(scope)));
          this.set(command.over.name, mergeValues(args), { ...scope, maybe: false });
        }
        break;
      }
      case 'case':
        for (const word of [command.word, ...command.patterns]) evaluateWord(word, this.evaluation(scope));
        break;
      case 'choice':
        break;
    }
    const starts = scope.cwds;
    let ends: Cwds = starts;
    for (const part of command.parts) {
      const branch: ShellScope = {
        ...scope,
        maybe: true,
        cwds: command.kind === 'choice' ? union(starts, ends) : starts,
      };
      this.script(part, branch);
      ends = union(ends, branch.cwds);
    }
    scope.cwds = ends;
    // What a round leaves it in, the next begins in.
    if (command.kind === 'loop' && !same(starts, ends)) {
      this.record.unread(placeOf(command.parts), 'changes folders in a loop');
    }
    return UNKNOWN_OUTPUT;
  }

  #simple(command: SimpleCommand, scope: ShellScope): JointFlow {
    const { words, assignments } = command;
    const input = this.#redirects(command.redirects, scope) ?? scope.input;
    for (const assignment of assignments) this.#assign(assignment, words.length > 0, scope);
    const [name, ...rest] = words;
    if (name === undefined) {
      // `$(< file)` is what stands in the file to some shells, and nothing to others.
      const output: CommandOutput = command.redirects.length > 0 ? UNKNOWN_OUTPUT : { kind: 'text', text: '' };
      return { ok: scope.cwds, fail: scope.cwds, output };
    }
    if (
      rest.length === 0 &&
      programOf(literalText(name))?.starts?.redirectsShell === true &&
      command.redirects.some(({ operator }) => operator.startsWith('<'))
    )
      this.record.unread(command, 'changes what comes in for all that follows');
    const at = this.evaluation(scope);
    const [first, ...more] = evaluateWord(name, at);
    const args = rest.flatMap((word) => evaluateWord(word, at));
    const isCertain = name.parts.every(({ kind }) => kind === 'text' || kind === 'tilde');
    const program = first === undefined || !isCertain ? null : wordText(first);
    if (program === null || program === '') {
      this.record.unread(command, 'runs a program whose name is known only when it runs');
      for (const arg of args) for (const text of arg.oneOf ?? []) this.record.value(text, scope.cwds, arg);
      return { ok: scope.cwds, fail: scope.cwds, output: UNKNOWN_OUTPUT };
    }
    const before = scope.cwds;
    const goes = judgeCommandWords(program, [...more, ...args], {
      walk: this,
      scope,
      input,
      at: command,
      mayRead: true,
      judge: judgeCommandWords,
      judgeAs: judgeAsProgram,
    });
    return {
      ok: goes.cwds === undefined ? before : goes.cwds,
      fail: goes.ends === true ? [] : before,
      output: writesAway(command.redirects) ? { kind: 'text', text: '' } : goes.output,
    };
  }

  evaluation(scope: ShellScope): Evaluation {
    return {
      variables: scope.variables,
      folder: this.record.folder,
      cwds: scope.cwds,
      onComputedText: () => this.record.computedText(),
      valueOf: (body) => {
        const output = this.script(body, { ...scope, variables: new Map(scope.variables), input: scope.input });
        switch (output.kind) {
          case 'text':
            return { oneOf: [output.text.replace(/\n+$/u, '')] };
          case 'files':
            return output.files !== null && output.files.length <= 48 && output.files.length > 0
              ? { oneOf: output.files, loose: true }
              : 'unknown';
          case 'number':
            return 'number';
          case 'job':
            return 'job';
          case 'unknown':
            return 'unknown';
        }
      },
    };
  }

  #assign({ name, value }: Assignment, inFront: boolean, scope: ShellScope): void {
    const args = evaluateWord({ ...value, parts: value.parts.map(quotedAll) }, this.evaluation(scope));
    const place = { start: value.start, end: value.end };
    const held = args.length === 0 ? { oneOf: [''] } : mergeValues(args);
    for (const text of typeof held === 'object' ? held.oneOf : [])
      if (!/[\s/]/u.test(text)) this.record.text(text, scope.cwds, place);
    this.record.variableSet(name, held);
    if (inFront) this.variableFor(name, held, scope, place);
    else {
      if (OBEYED_VARIABLE.test(name) && !HARMLESS_VARIABLE.test(name)) this.variableFor(name, held, scope, place);
      this.set(name, held, scope);
    }
  }

  /** Handed on to programs. */
  variableFor(name: string, held: ShellValue, { cwds }: ShellScope, at: TextRange): void {
    const texts = typeof held === 'object' ? held.oneOf : null;
    const isInside = (text: string): boolean =>
      text.split(':').every((each) => each !== '' && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/u.test(each));
    const harmless = HARMLESS_VARIABLE.test(name)
      ? texts !== null || held === 'number'
      : PATHS_OF_MODULES.test(name) && texts !== null && texts.every(isInside);
    this.record.variables.set(name, { name, harmless });
    if (!harmless) this.record.note('variable', at, `sets ${name} for other programs`);
    for (const text of texts ?? []) this.record.value(text, cwds, at);
  }

  set(name: string, held: ShellValue, { variables, maybe }: ShellScope): void {
    const was = variables.get(name);
    if (!maybe) variables.set(name, held);
    else if (typeof held !== 'object' || (was !== undefined && typeof was !== 'object'))
      variables.set(name, was === held ? held : 'unknown');
    else variables.set(name, { oneOf: [...new Set([...(was?.oneOf ?? ['']), ...held.oneOf])] });
  }

  /** Walks the redirections; returns what comes in by them, where something does. */
  #redirects(redirects: readonly Redirection[], scope: ShellScope): CommandInput | null {
    let input: CommandInput | null = null;
    for (const redirect of redirects) {
      const at = this.evaluation(scope);
      const { operator, target } = redirect;
      if (operator === '<<' || operator === '<<<') {
        const [body] = evaluateWord({ ...target, parts: target.parts.map(quotedAll) }, at);
        const text = body === undefined ? '' : wordText(body);
        input = { kind: 'pipe', output: text === null ? UNKNOWN_OUTPUT : { kind: 'text', text }, isDownload: false };
        continue;
      }
      const [arg, ...others] = evaluateWord(target, at);
      if (arg === undefined || others.length > 0) {
        this.record.unread(redirect, 'redirects to something that can’t be known in advance');
        continue;
      }
      if (operator === '>&' || operator === '<&') {
        const to = wordText(arg) ?? '';
        // What comes from another number may be a text that stands elsewhere.
        if (!/^[\d-]$/u.test(to) || (operator === '<&' && !/^[0-]$/u.test(to)))
          this.record.unread(redirect, 'redirects in a way that can’t be read');
        continue;
      }
      const isInput = operator === '<';
      if (isInput && arg.oneOf !== null) {
        for (const text of arg.oneOf) this.record.path(text, 'reads', scope.cwds, redirect);
        input = { kind: 'file' };
        continue;
      }
      const text = wordText(arg);
      if (text === null || arg.pattern !== null) {
        this.record.unread(
          redirect,
          isInput
            ? 'reads a file whose name is known only when it runs'
            : 'writes to a file whose name is known only when it runs',
        );
        if (!isInput) for (const each of arg.oneOf ?? []) this.record.path(each, 'writes', scope.cwds, redirect);
        continue;
      }
      if (!/^\/dev\/(?:null|stderr|stdout|tty)$/u.test(text)) this.record.onlyReads = false;
      if (!text.startsWith('/dev/'))
        this.record.note('notice', redirect, operator === '>>' ? `adds to ${text}` : `overwrites ${text}`);
      this.record.path(text, 'writes', scope.cwds, redirect);
    }
    return input;
  }
}

/** Where nothing is split, and no pattern stands for files. */
const quotedAll = (part: WordPart): WordPart =>
  part.kind === 'glob'
    ? { kind: 'text', value: part.value, quoted: true }
    : 'quoted' in part
      ? { ...part, quoted: true }
      : part;

const writesAway = (redirects: readonly Redirection[]): boolean =>
  redirects.some(
    ({ operator, fd }) => (operator === '>' || operator === '>>' || operator === '>|') && (fd === null || fd === 1),
  );

/** Merges all that several words may be into one value. */
function mergeValues(args: readonly EvaluatedWord[]): ShellValue {
  if (args.every(({ inert }) => inert))
    return args.length === 0 ? { oneOf: [''] } : args.every(({ isJob }) => isJob) ? 'job' : 'number';
  const texts = args.map(({ oneOf }) => oneOf);
  return texts.includes(null)
    ? 'unknown'
    : {
        oneOf: [...new Set(texts.flatMap((each) => each ?? []))],
        ...(args.some(({ loose }) => loose === true) ? { loose: true as const } : {}),
      };
}

/** The program of a name as it is written, where that is exactly its name. */
function programOf(written: string | null): Program | undefined {
  const known = findProgram((written ?? '').split('/').at(-1) ?? '');
  return known?.exactly === true ? known.program : undefined;
}

const downloads = (command: ShellCommand): boolean => {
  if (command.kind === 'subshell' || command.kind === 'group')
    return command.body.some(({ pipeline }) => pipeline.some(downloads));
  return command.kind === 'simple' && command.words.some((word) => programOf(literalText(word))?.downloads === true);
};

export const union = (one: Cwds, other: Cwds): Cwds => {
  if (one === null || other === null) return null;
  const all = [...new Set([...one, ...other])];
  return all.length > 6 ? null : all;
};
const none = (cwds: Cwds): Cwds => (cwds === null ? [] : []);
const same = (one: Cwds, other: Cwds): boolean =>
  one?.length === other?.length && (one ?? []).every((cwd) => other?.includes(cwd) === true);

/** Names that are set anywhere in these. */
function assignedIn(scripts: readonly ShellScript[]): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (command: ShellCommand): void => {
    if (command.kind === 'simple') {
      for (const { name } of command.assignments) names.add(name);
      for (const word of command.words) for (const part of (literalText(word) ?? '').split('=', 1)) names.add(part);
      return;
    }
    if (command.kind === 'loop' && command.over !== null) names.add(command.over.name);
    const inner = 'body' in command ? [command.body] : command.parts;
    for (const script of inner) for (const { pipeline } of script) for (const each of pipeline) look(each);
  };
  for (const script of scripts) for (const { pipeline } of script) for (const each of pipeline) look(each);
  return names;
}

function placeOf(scripts: readonly ShellScript[]): TextRange {
  for (const script of scripts)
    for (const { pipeline } of script) for (const each of pipeline) if (each.kind === 'simple') return each;
  return { start: 0, end: 0 };
}
