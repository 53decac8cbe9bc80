import { onlyKnown } from './options.js';
import { findProgram, programOptions } from './program-table.js';
import type { KnownOptions } from './options.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/**
 * Programs that can be given commands, or files to write, in so many ways that no list of the harmless ones is worth
 * having. A rule for their first words covers exactly these words.
 */
const NEVER_BY_PREFIX = words(
  'awk gawk mawk nawk original-awk sed env man script flock xargs parallel watch timeout nice ionice nohup setsid stdbuf time ' +
    'sudo doas su runuser pkexec chroot unshare nsenter ssh scp sftp rsync tar bsdtar cpio zip unzip 7z curl wget busybox ' +
    'toybox ed ex vi vim nvim emacs nano less more most gdb lldb strace ltrace sqlite3 psql mysql docker podman nerdctl kubectl helm ' +
    'terraform dd tee install cp mv ln rm ld gcc g++ cc c++ clang cmake ninja npx pnpx bunx pipx uvx uv pip pip3 gem ' +
    'bundle rake just task mise direnv nix expect socat nc ncat openssl gpg git-shell hg svn crontab at batch systemd-run ' +
    'deno dbus-run-session bwrap proot faketime catchsegv ldd logger mail sendmail screen tmux at',
);
/** Interpreters run the file that they are given; a rule that names one covers what the file is given, too. */
const INTERPRETER =
  /^(?:(?:ba|z|da|k|mk|a|fi|c|tc|ya|rc)?sh|python[\d.]*|pypy3?|node|nodejs|perl|ruby|php|lua[\d.]*|Rscript|R|tclsh|wish|guile|osascript|pwsh|groovy|java|jshell|elixir|erl|ghc|runghc|ts-node|tsx)$/u;

/**
 * Whether a rule for these first words covers the whole command. Of a known program only options that are known to be
 * harmless may follow; of one that nothing is known of, the rule says what its maker wrote.
 */
export function isCoveredByFirstWords(prefix: readonly string[], command: readonly string[]): boolean {
  if (prefix.length === 0 || !prefix.every((word, index) => command[index] === word)) return false;
  if (prefix.length === command.length) return true;
  const program = programName(command);
  const dashes = prefix.includes('--');
  const rest = command.slice(prefix.length);
  if (BY_VERB.has(program)) {
    const at = program === 'git' && command[1] === '--no-pager' ? 2 : 1;
    const known = verbOptions(program, command[at] ?? '');
    if (known !== undefined) return onlyKnown(command.slice(Math.max(prefix.length, at + 1)), known, dashes);
    // Bun and its like run files as well.
    return program === 'bun' && mayNameFile(prefix) && /[./]/u.test(prefix[1] ?? '');
  }
  if (NEVER_BY_PREFIX.has(program)) return startsAPackage(program, prefix);
  if (INTERPRETER.test(program)) return mayNameFile(prefix);
  const known = knownOptions(program);
  return known === undefined ? !rest.some((word) => makesMore(program, word)) : onlyKnown(rest, known, dashes);
}

const MORE: ReadonlySet<string> = new Set(['program', 'shell', 'code', 'writes', 'changes', 'deletes']);

/** Whether a word is an option by which the program runs another, or changes a file; a long one may be cut short. */
function makesMore(program: string, word: string): boolean {
  const [, dashes, name = ''] = /^(--?)([^=]+)/u.exec(word) ?? [];
  const row = dashes === undefined ? undefined : findProgram(program)?.program;
  const options = row === undefined ? [] : [...programOptions(row)];
  return options.some(
    ([option, { role, edits }]) =>
      (edits || (role !== null && MORE.has(role))) &&
      (option.startsWith(name) || (dashes === '-' && option.length === 1 && name.includes(option))),
  );
}

/** Whether it is known what may follow, so that first words are a good suggestion for a rule. */
export function hasProgramTable(command: readonly string[]): boolean {
  const program = programName(command);
  if (BY_VERB.has(program)) return verbOptions(program, command[1] ?? '') !== undefined;
  return !NEVER_BY_PREFIX.has(program) && !INTERPRETER.test(program) && knownOptions(program) !== undefined;
}

/** Whether its second word says what it does. */
export const hasSubcommands = (command: readonly string[]): boolean => BY_VERB.has(programName(command));

/** Programs of whose verbs it is known which options are harmless. */
const BY_VERB = words('git npm pnpm yarn bun cargo go');

const knownOptions = (program: string): KnownOptions | undefined => findProgram(program)?.program.options;

function verbOptions(program: string, verb: string): KnownOptions | undefined {
  const verbs = findProgram(program)?.program.verbs ?? {};
  return Object.hasOwn(verbs, verb) ? verbs[verb]?.options : undefined;
}

const programName = (command: readonly string[]): string => (command[0] ?? '').split('/').at(-1) ?? '';

/** `node scripts/x.js`, `python3 -m pytest`: what follows is for the file. */
function mayNameFile(prefix: readonly string[]): boolean {
  const [, first, second] = prefix;
  if (first === undefined) return false;
  if (first === '-m') return second !== undefined && !second.startsWith('-');
  return !first.startsWith('-');
}

/** `npx vitest`: what follows is for the package. */
const startsAPackage = (program: string, [, first]: readonly string[]): boolean =>
  /^(?:npx|pnpx|bunx|uvx)$/u.test(program) && first !== undefined && !first.startsWith('-');
