import type { Node } from 'web-tree-sitter';
import type { Argument, Invocation } from './invocation.js';
import { operands } from './invocation.js';
import { optionValues } from './option-values.js';

/** Text that a program is given to run, or a place that it is read from: what the command really does stands there. */
export interface CarriedCommand {
  readonly node: Node;
  /** Null where only running the command would tell. */
  readonly text: string | null;
  /** `sh`: as a shell reads it. `code`: in a language of its own. `names`: a program, a file or a setting that does it. */
  readonly as: 'sh' | 'code' | 'names';
  /** The program that is given it. */
  readonly by: string;
}

type CarriedText = Omit<CarriedCommand, 'by'>;

interface Carrier {
  readonly letters?: string;
  readonly names?: readonly string[];
  readonly as: CarriedCommand['as'];
}

const carrier = (as: CarriedCommand['as'], letters: string, names = ''): Carrier => ({
  as,
  letters,
  names: names === '' ? [] : names.split(' '),
});

/** The options of each program whose value is run, or says what is run. */
const CARRIERS: Readonly<Record<string, readonly Carrier[]>> = {
  env: [carrier('sh', 'S', 'split-string')],
  script: [carrier('sh', 'c', 'command')],
  flock: [carrier('sh', 'c', 'command')],
  su: [carrier('sh', 'c', 'command session-command')],
  runuser: [carrier('sh', 'c', 'command session-command')],
  sg: [carrier('sh', 'c')],
  ssh: [carrier('names', '', 'ProxyCommand')],
  rsync: [carrier('sh', 'e', 'rsh rsync-path')],
  tar: [
    carrier('sh', 'IF', 'to-command use-compress-program info-script new-volume-script rmt-command rsh-command'),
    carrier('names', '', 'checkpoint-action'),
  ],
  man: [carrier('sh', 'P', 'pager'), carrier('names', 'H', 'html')],
  sort: [carrier('names', '', 'compress-program')],
  make: [carrier('code', '', 'eval'), carrier('names', 'fC', 'file makefile directory')],
  npm: [carrier('names', '', 'script-shell node-options prefix userconfig globalconfig'), carrier('sh', 'c', 'call')],
  npx: [carrier('sh', 'c', 'call')],
  git: [
    carrier('sh', 'xO', 'upload-pack receive-pack exec extcmd open-files-in-pager'),
    carrier('names', '', 'exec-path config-env'),
    carrier(
      'sh',
      '',
      'tree-filter index-filter msg-filter env-filter commit-filter parent-filter tag-name-filter setup',
    ),
  ],
  curl: [carrier('names', 'K', 'config')],
  wget: [carrier('names', 'e', 'execute config use-askpass')],
  zip: [carrier('sh', '', 'unzip-command -TT')],
  gcc: [carrier('names', '', '-wrapper -fplugin')],
  cmake: [carrier('names', 'PE')],
  vim: [carrier('code', 'cS', 'cmd')],
  vi: [carrier('code', 'cS', 'cmd')],
  ex: [carrier('code', 'cS', 'cmd')],
  nvim: [carrier('code', 'cS', 'cmd')],
  emacs: [carrier('code', 'l', 'eval load script')],
  gdb: [carrier('code', 'x', 'eval-command command -ex -x')],
  tcpdump: [carrier('names', 'z')],
  cargo: [carrier('names', '', 'config manifest-path')],
  go: [carrier('names', '', '-exec -toolexec -vettool -overlay -modfile')],
  rg: [carrier('names', '', 'pre hostname-bin')],
  jq: [carrier('names', 'fL', 'from-file')],
  node: [
    carrier('code', 'ep', 'eval print'),
    carrier('names', 'r', 'require import loader experimental-loader env-file'),
  ],
  deno: [carrier('code', 'e')],
  bun: [carrier('code', 'ep', 'eval print'), carrier('names', 'r', 'preload')],
  python: [carrier('code', 'c')],
  perl: [carrier('code', 'eE'), carrier('names', 'M')],
  ruby: [carrier('code', 'e'), carrier('names', 'r')],
  php: [carrier('code', 'rBRE', 'run process-code'), carrier('names', 'd')],
  lua: [carrier('code', 'e'), carrier('names', 'l')],
  R: [carrier('code', 'e')],
  Rscript: [carrier('code', 'e')],
  osascript: [carrier('code', 'e')],
  pwsh: [carrier('code', 'c', 'command -Command -EncodedCommand -enc encodedcommand')],
};

const SHELL: readonly Carrier[] = [carrier('sh', 'c'), carrier('names', '', 'rcfile init-file')];
/** Limit of the text that joined words make. */
const MAX_JOINED_LENGTH = 20_000;

/** Lists what this command carries, and what the programs do that it is started through. */
export function listCarriedCommands(
  { program, args, starters }: Invocation,
  isShell: boolean,
): readonly CarriedCommand[] {
  const all = starters.map((starter) => ({
    by: starter.program,
    carried: [
      ...carriedByProgram(starter.program, starter.args.slice(0, starter.startsAt + 1), false),
      ...(starter.program === 'watch' ? joined(starter.args.slice(starter.startsAt)) : []),
    ],
  }));
  if (program !== null) all.push({ by: program, carried: [...carriedByProgram(program, args, isShell)] });
  return all.flatMap(({ by, carried }) => carried.map((each) => ({ ...each, by })));
}

function carriedByProgram(program: string, args: readonly Argument[], isShell: boolean): readonly CarriedText[] {
  const name = /^(python|lua|node)/u.exec(program)?.[1] ?? (/^g?make$/u.test(program) ? 'make' : program);
  const carriers = isShell ? SHELL : Object.hasOwn(CARRIERS, name) ? (CARRIERS[name] ?? []) : [];
  return [
    ...carriers.flatMap(({ as, letters = '', names = [] }) =>
      optionValues(args, letters, names).map(({ node, text }) => ({ node, text, as })),
    ),
    ...positional(name, args),
  ];
}

/** Where the text stands without an option before it. */
function positional(program: string, args: readonly Argument[]): readonly CarriedText[] {
  const words = operands(args);
  switch (program) {
    case 'trap': {
      const [action] = words;
      if (action === undefined || words.length === 1) return [];
      return action.literal === '' || action.literal === '-'
        ? []
        : [{ node: action.node, text: action.literal, as: 'sh' }];
    }
    case 'eval':
      return joined(args);
    case 'git': {
      const at = words.findIndex(({ literal }) => literal === 'foreach' || literal === 'run');
      const verb = words[0]?.literal;
      return at === 1 && (verb === 'submodule' || verb === 'bisect') ? joined(afterWord(args, words[at])) : [];
    }
    case 'sed':
      return words
        .slice(0, 1)
        .filter(({ literal }) => literal === null || SED_REACHES_OUT.test(literal))
        .map(asCode);
    case 'awk':
    case 'gawk':
    case 'mawk':
      return words
        .slice(0, 1)
        .filter(({ literal }) => literal === null || AWK_REACHES_OUT.test(literal))
        .map(asCode);
    case 'make':
      return words.filter(({ node }) => /^(?:SHELL|MAKEFLAGS|\.SHELLFLAGS)=/u.test(node.text)).map(asNames);
    case 'vim':
    case 'vi':
    case 'nvim':
    case 'ex':
      return words.filter(({ literal }) => literal?.startsWith('+') === true).map(asCode);
    default:
      return [];
  }
}

const asCode = ({ node, literal }: Argument): CarriedText => ({ node, text: literal, as: 'code' });
const asNames = ({ node, literal }: Argument): CarriedText => ({ node, text: literal, as: 'names' });

/** `w` writes, `e` runs, `r` and `R` read: as commands of their own, or as flags of a substitution. */
const SED_REACHES_OUT =
  /(?:^|[;{}\n\d$/!]|\s)[wWeE](?:\s|$)|s(.)(?:(?!\1)[\s\S])*\1(?:(?!\1)[\s\S])*\1[gpiIm\d]*[ewE]/u;
const AWK_REACHES_OUT = /\bsystem\s*\(|\||>|\bgetline\b|@load|@include/u;

function afterWord(args: readonly Argument[], word: Argument | undefined): readonly Argument[] {
  return word === undefined ? [] : args.slice(args.indexOf(word) + 1);
}

/** Several words that are put together with blanks and read as one command. */
function joined(words: readonly Argument[]): readonly CarriedText[] {
  const [first] = words;
  if (first === undefined) return [];
  const literals = words.map(({ literal }) => literal);
  const text = literals.includes(null) ? null : literals.join(' ').slice(0, MAX_JOINED_LENGTH);
  return [{ node: first.node, text, as: 'sh' }];
}

/** Whether an interpreter takes its program from what comes in: `sh`, `sh -s x`, `python3 -`, but not `sh x`. */
export function takesProgramFromInput({ program, args }: Invocation, isShell: boolean): boolean {
  if (program === null || program.endsWith('awk')) return false;
  const code = isShell ? 'c' : program.startsWith('python') ? 'c' : 'eEpr';
  if (optionValues(args, code, ['eval', 'print', 'run', 'command']).length > 0) return false;
  for (const { literal } of args) {
    if (literal === '-') return true;
    if (isShell && literal !== null && /^-[A-Za-z]*s/u.test(literal)) return true;
    if (literal === null || !literal.startsWith('-')) return false;
  }
  return true;
}
