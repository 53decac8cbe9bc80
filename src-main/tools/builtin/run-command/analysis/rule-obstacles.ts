import type { Node } from 'web-tree-sitter';
import type { TextAnalysis } from '../../../../domain/commands/reading/read-command.js';
import { listCarriedCommands, takesProgramFromInput } from './carried-commands.js';
import { type Argument, type Invocation, parseInvocation } from './invocation.js';
import { isUrl, looksLikePath, type PathKind, classifyPath } from './paths.js';
import { isDecoder, isDownloader, isInterpreter, isShell, isWriter, findProgramDangers } from './programs.js';
import { isDisguised, resolveLiteral } from './words.js';

type SpannedRemark = TextAnalysis['doubts'][number];

/** Why no standing confirmation may cover a command, as a walk through its tree brings it together. */
export interface TreeFindings {
  readonly dangers: SpannedRemark[];
  /** Obstacles to a rule besides the dangers. */
  readonly obstacles: string[];
  /** Where the text is not what it looks like, or not the same to every shell. */
  readonly doubts: SpannedRemark[];
  /** Text that a shell inside is given, and where it stands. */
  readonly inner: { readonly text: string; readonly start: number; readonly end: number }[];
}

/**
 * Walks the syntax tree in the order in which it is written. A cursor goes through it, and only what is looked at
 * closer becomes a node.
 */
export function walkTree(root: Node, roots: readonly string[]): TreeFindings {
  const walked: TreeFindings = { dangers: [], obstacles: [], doubts: [], inner: [] };
  const functions = new Set<string>();
  const cursor = root.walk();
  try {
    for (;;) {
      if (LOOKED_AT.has(cursor.nodeType) || cursor.nodeIsMissing) look(cursor.currentNode, walked, roots, functions);
      if (cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return walked;
    }
  } finally {
    cursor.delete();
  }
}

function look(node: Node, walked: TreeFindings, roots: readonly string[], functions: Set<string>): void {
  const find = finder(walked);
  const doubt = doubter(walked);
  if (node.isError || node.isMissing) {
    doubt(node, 'can’t be read as a shell command, so what runs isn’t certain');
    return;
  }
  switch (node.type) {
    case 'command':
      lookAtCommand(node, walked, roots, functions);
      break;
    case 'pipeline':
      lookAtPipeline(node, find);
      break;
    case 'redirected_statement':
      lookAtRedirected(node, walked, find);
      break;
    case 'file_redirect':
      lookAtRedirect(node, find, roots);
      break;
    case 'function_definition': {
      functions.add(node.childForFieldName('name')?.text ?? '');
      break;
    }
    case 'variable_assignment':
      lookAtAssignment(node, find);
      break;
    default:
      if (isReadOtherwise(node)) doubt(node, READ_OTHERWISE);
      break;
  }
}

const READ_OTHERWISE = 'means different things to different shells, so what runs isn’t certain';

/** Nodes of bash’s own grammar that other shells read as commands, pipes and redirections. */
const OTHERWISE: readonly string[] = [
  'regex',
  'ansi_c_string',
  'translated_string',
  'arithmetic_expansion',
  'compound_statement',
  'c_style_for_statement',
  'extglob_pattern',
  '==',
  '=~',
  '|&',
  '&>',
  '&>>',
  'test_command',
];
const LOOKED_AT: ReadonlySet<string> = new Set([
  ...OTHERWISE,
  'ERROR',
  'command',
  'pipeline',
  'redirected_statement',
  'file_redirect',
  'function_definition',
  'variable_assignment',
]);

function isReadOtherwise(node: Node): boolean {
  switch (node.type) {
    case 'arithmetic_expansion':
      return !node.text.startsWith('$((');
    case 'compound_statement':
      return node.text.startsWith('((');
    // `[ -f x ]` is a command like any other; what stands in it may be more than the test.
    case 'test_command':
      return !node.text.startsWith('[ ') || /[|&;<>\n(`]/u.test(node.text);
    default:
      return OTHERWISE.includes(node.type);
  }
}

type Report = (node: Node, words: string) => void;

const finder =
  ({ dangers }: TreeFindings): Report =>
  ({ startIndex: start, endIndex: end }, words) => {
    dangers.push({ start, end, words });
  };

const doubter =
  ({ dangers, doubts }: TreeFindings): Report =>
  ({ startIndex: start, endIndex: end }, words) => {
    dangers.push({ start, end, words });
    doubts.push({ start, end, words });
  };

function lookAtCommand(node: Node, walked: TreeFindings, roots: readonly string[], functions: Set<string>): void {
  const find = finder(walked);
  const invocation = parseInvocation(node);
  if (invocation === null) return;
  const { program, programNode, args } = invocation;
  if (program === null) {
    find(node, 'runs a program whose name is known only when it runs');
  } else {
    const literal = resolveLiteral(programNode);
    if (literal !== null && isDisguised(programNode, literal)) {
      doubter(walked)(programNode, `is another way to write “${literal}”`);
    }
    if (functions.has(program)) {
      doubter(walked)(node, `calls ${program}, which this command defines itself and which may never end`);
    }
    if (
      literal !== null &&
      looksLikePath(literal) &&
      classifyPath(literal, roots) === 'outside' &&
      !isSystemProgram(literal)
    ) {
      find(node, 'runs a program from outside this folder');
    }
  }
  for (const danger of findProgramDangers(invocation)) find(node, danger);
  lookAtCarried(invocation, walked, find);
  const redirects = node.children.filter((child) => child !== null && child.type.endsWith('_redirect'));
  lookAtInput(
    invocation,
    redirects.filter((each) => each !== null),
    walked,
    find,
  );
  if (isDownloader(program) && args.some(({ node: argument }) => holdsExpansion(argument)))
    find(node, `sends to another machine what is known only when it runs (${program ?? ''})`);
  for (const argument of args) lookAtArgument(argument, invocation, find, walked, roots);
}

const isSystemProgram = (path: string): boolean => /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/u.test(path);

/** `sh -c '…'`, `tar --to-command=…` and their like: what they are given to run is what the command does. */
function lookAtCarried(invocation: Invocation, walked: TreeFindings, find: Report): void {
  for (const { node, text, as, by } of listCarriedCommands(invocation, isShell(invocation.program))) {
    if (text === null) find(node, `is given to ${by} to run, and is known only when it runs`);
    else if (as === 'sh') {
      walked.inner.push({ text, start: node.startIndex, end: node.endIndex });
      if (!isShell(by)) find(node, `is a command of its own, run by ${by}`);
    } else if (as === 'names') find(node, `sets what ${by} runs or does, unseen`);
    else walked.obstacles.push('It runs a program written in the command.');
  }
}

/** `sh <<E`, `bash <<< x`, `python3 - < x`: what comes in is what is run. */
function lookAtInput(invocation: Invocation, redirects: readonly Node[], walked: TreeFindings, find: Report): void {
  const { program } = invocation;
  const shell = isShell(program);
  if (!isInterpreter(program) || !takesProgramFromInput(invocation, shell)) return;
  for (const redirect of redirects) {
    const input = inputOf(redirect);
    if (input === null) continue;
    find(redirect, `is what ${program ?? ''} is given to run`);
    if (shell && input.text !== null)
      walked.inner.push({ text: input.text, start: redirect.startIndex, end: redirect.endIndex });
  }
}

/** Null where nothing comes in by it. */
function inputOf(redirect: Node): { readonly text: string | null } | null {
  switch (redirect.type) {
    case 'heredoc_redirect': {
      const body = redirect.namedChildren.find((child) => child?.type === 'heredoc_body');
      return { text: body?.text ?? null };
    }
    case 'herestring_redirect': {
      const word = redirect.namedChildren.at(-1);
      return { text: word === null || word === undefined ? null : resolveLiteral(word) };
    }
    case 'file_redirect':
      return redirect.children.some((child) => child?.type === '<' || child?.type === '<>' || child?.type === '<&')
        ? { text: null }
        : null;
    default:
      return null;
  }
}

/** Checks what stands around a command with what is redirected into it: for a pipe, it comes into the first of them. */
function lookAtRedirected(node: Node, walked: TreeFindings, find: Report): void {
  let body = node.childForFieldName('body');
  while (body !== null && (body.type === 'pipeline' || body.type === 'list'))
    body = body.namedChildren.at(body.type === 'list' ? -1 : 0) ?? null;
  const invocation = body?.type === 'command' ? parseInvocation(body) : null;
  if (invocation === null) return;
  const redirects = node.childrenForFieldName('redirect').filter((redirect) => redirect !== null);
  lookAtInput(invocation, redirects, walked, find);
}

function lookAtArgument(
  { node, literal }: Argument,
  invocation: Invocation,
  find: Report,
  walked: TreeFindings,
  roots: readonly string[],
): void {
  const raw = literal ?? node.text.replace(/^"/u, '');
  // `--file=/etc/passwd` and `@/etc/passwd` name a path as well.
  const text = raw.replace(/^(?:-{1,2}[\w-]+=|@)/u, '');
  if (isUrl(text) || (!looksLikePath(text) && classifyPath(text, roots) === 'inside')) return;
  const writes = isWriter(invocation.program);
  describePlace(node, text, classifyPath(text, roots), writes, find);
  if (classifyPath(text, roots) === 'outside') walked.obstacles.push('It names something outside this folder.');
}

function describePlace(node: Node, path: string, place: PathKind, writes: boolean, find: Report): void {
  switch (place) {
    case 'secret':
      find(node, `${path} is where keys or passwords are kept`);
      break;
    case 'control':
      if (writes) find(node, `${path} can make other programs run code`);
      break;
    case 'outside':
      if (writes) find(node, `${path} is outside this folder`);
      break;
    case 'inside':
    case 'harmless':
      break;
  }
}

function lookAtPipeline(node: Node, find: Report): void {
  const stages = node.namedChildren
    .map((stage) => (stage?.type === 'redirected_statement' ? (stage.childForFieldName('body') ?? stage) : stage))
    .map((stage) => (stage?.type === 'command' ? parseInvocation(stage) : null));
  let [downloaded, decoded] = [false, false];
  for (const [at, stage] of stages.entries()) {
    if (
      at > 0 &&
      stage !== null &&
      isInterpreter(stage.program) &&
      takesProgramFromInput(stage, isShell(stage.program))
    ) {
      const what = downloaded
        ? 'runs a downloaded script you haven’t seen'
        : decoded
          ? 'runs text that was decoded, unseen'
          : 'runs whatever the command before it prints';
      find(node, `${what} (${stage.program ?? ''})`);
    }
    downloaded ||= isDownloader(stage?.program ?? null);
    decoded ||= isDecoder(stage?.program ?? null);
  }
}

const holdsExpansion = (node: Node): boolean =>
  node.descendantsOfType(['command_substitution', 'process_substitution', 'simple_expansion', 'expansion']).length > 0;

function lookAtRedirect(node: Node, find: Report, roots: readonly string[]): void {
  const target = node.childForFieldName('destination');
  if (target === null) return;
  const path = resolveLiteral(target) ?? target.text;
  const operator = node.children.map((child) => child?.type ?? '').find((type) => /[<>]/u.test(type)) ?? '>';
  // `2>&1` joins streams; nothing is written anywhere new.
  if (/^[<>]&-?$/u.test(operator) && /^\d*-?$/u.test(path)) return;
  const writes = operator.includes('>');
  const place = classifyPath(path, roots);
  if (place === 'harmless') return;
  if (/^\/dev\/(?:tcp|udp)\//u.test(path)) {
    find(node, `connects to another machine: ${path}`);
    return;
  }
  if (path.startsWith('/dev/') && writes) find(node, `writes straight to the device ${path}`);
  else if (place !== 'inside') describePlace(node, path, place, writes, find);
}

/** Variables that change which programs run, or what they do before they begin. */
const DANGEROUS_VARIABLE =
  /^(?:PATH|IFS|ENV|BASH_ENV|LD_\w+|DYLD_\w+|NODE_OPTIONS|PYTHON\w+|PERL5\w+|RUBYOPT|GIT_\w+|PROMPT_COMMAND|PS4|SHELL|EDITOR|PAGER|HOME)$/u;

function lookAtAssignment(node: Node, find: Report): void {
  const name = node.childForFieldName('name')?.text ?? '';
  if (DANGEROUS_VARIABLE.test(name)) find(node, `sets ${name}, which changes what other programs do`);
}
