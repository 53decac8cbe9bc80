import { GIT_OPTIONS } from './git-options.js';
import { type KnownOptions, onlyKnown } from './options.js';
import { FILTERS } from './pure-filters.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** What runs the folder’s own scripts; what comes after `--` is the script’s. */
const RUNS_SCRIPTS: KnownOptions = { letters: 's', long: 'silent if-present', passesOn: true };
/** The name of a package in the registry, not a path, an address or a repository. */
const packageName = (operand: string): boolean => /^(?:@[\w.-]+\/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~-]+)?$/u.test(operand);
const INSTALLS: KnownOptions = {
  letters: 'DEPO',
  long: 'save save-dev save-exact save-optional save-peer save-prod no-save no-audit no-fund ignore-scripts prefer-offline offline frozen-lockfile legacy-peer-deps silent',
  operand: packageName,
};

/** Programs whose first word says what they do, and what is known of each. */
const BY_SUBCOMMAND: Readonly<Record<string, Readonly<Record<string, KnownOptions>>>> = {
  git: GIT_OPTIONS,
  npm: {
    ...each('test t tst run run-script start stop restart', RUNS_SCRIPTS),
    ...each('install i add ci', INSTALLS),
    ls: { letters: 'la', long: 'all long json depth= prod dev' },
    outdated: { long: 'json long all' },
  },
  pnpm: { ...each('test t run start', RUNS_SCRIPTS), ...each('install i add', INSTALLS) },
  yarn: { ...each('test run start', RUNS_SCRIPTS), ...each('install add', INSTALLS) },
  bun: { run: { letters: '', operand: (operand) => /^[\w:.-]+$/u.test(operand) } },
  cargo: each('build b check c test t clippy fmt doc run r bench', {
    letters: 'qvr',
    valued: 'pj',
    long: 'release workspace all lib bins bin= examples example= tests test= benches all-targets all-features no-default-features features= package= exclude= quiet verbose locked offline frozen message-format= no-fail-fast no-run jobs= keep-going check no-deps',
    passesOn: true,
  }),
  go: each('build test vet fmt list', {
    oneDash: true,
    long: 'v race short count= run= skip= timeout= cover bench= benchtime= benchmem json failfast parallel= p= tags= x n a trimpath',
    operand: (operand) => /^[\w./@-]+$/u.test(operand),
  }),
};

function each(names: string, known: KnownOptions): Readonly<Record<string, KnownOptions>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, known]));
}

const SEARCHES =
  'ignore-case invert-match word-regexp line-regexp count color? colour? files-with-matches files-without-match max-count= ' +
  'only-matching quiet silent no-messages line-number with-filename no-filename null after-context= before-context= context= ' +
  'extended-regexp fixed-strings basic-regexp perl-regexp regexp= recursive dereference-recursive include= exclude= exclude-dir= text binary-files= byte-offset';

/** Programs of which it is known which options only say how they read and show. */
const KNOWN: Readonly<Record<string, KnownOptions>> = {
  ls: {
    letters: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1',
    valued: 'ITw',
    long: 'all almost-all author escape block-size= ignore-backups color? directory classify? file-type format= full-time group-directories-first no-group human-readable si dereference hide= indicator-style= inode ignore= kibibytes numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style= reverse recursive size sort= time= time-style= tabsize= width= zero',
  },
  cat: {
    letters: 'AbeEnstTuv',
    long: 'show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting',
  },
  ...each('grep egrep fgrep', { letters: 'ivwxcLloqshHnbEFGPrRazUZ', valued: 'emABC', long: SEARCHES, numbers: true }),
  rg: {
    letters: 'ivwxclnNsSuFPUopHI0aL.',
    valued: 'etTgmABCMj',
    long: `smart-case case-sensitive hidden no-ignore no-ignore-vcs glob= iglob= type= type-not= type-list files multiline heading no-heading column json stats vimgrep trim sort= max-depth= max-columns= follow unrestricted no-line-number no-filename threads= passthru pcre2 ${SEARCHES}`,
  },
  find: {
    oneDash: true,
    long: 'name= iname= path= ipath= wholename= regex= iregex= type= maxdepth= mindepth= size= mtime= mmin= atime= amin= ctime= cmin= newer= perm= user= group= links= empty readable writable executable not and or a o prune print print0 ls xdev mount depth daystart L H P true false quit follow',
  },
  ...each('make gmake', {
    letters: 'ksBinw',
    joined: 'j',
    long: 'jobs? keep-going silent quiet always-make ignore-errors just-print dry-run recon print-directory no-print-directory output-sync?',
    operand: (operand) => /^[\w.%/-]+$/u.test(operand),
  }),
  ...each('tsc', {
    long: 'noEmit pretty? project= build incremental? watch? strict? version',
    letters: 'bw',
    valued: 'p',
  }),
  printf: { operand: (operand, index) => index > 0 || !operand.startsWith('-') },
  ...FILTERS,
};

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
/** They run the file that they are given; a rule that names it covers what the file is given, too. */
const INTERPRETER =
  /^(?:(?:ba|z|da|k|mk|a|fi|c|tc|ya|rc)?sh|python[\d.]*|pypy3?|node|nodejs|perl|ruby|php|lua[\d.]*|Rscript|R|tclsh|wish|guile|osascript|pwsh|groovy|java|jshell|elixir|erl|ghc|runghc|ts-node|tsx)$/u;

/**
 * Whether a rule for these first words covers the whole command. Of a known program only options that are known to be
 * harmless may follow; of one that nothing is known of, the rule says what its maker wrote.
 */
export function coveredByFirstWords(prefix: readonly string[], command: readonly string[]): boolean {
  if (prefix.length === 0 || !prefix.every((word, index) => command[index] === word)) return false;
  if (prefix.length === command.length) return true;
  const program = programOf(command);
  const dashes = prefix.includes('--');
  const rest = command.slice(prefix.length);
  const table = own(BY_SUBCOMMAND, program);
  if (table !== undefined) {
    const at = program === 'git' && command[1] === '--no-pager' ? 2 : 1;
    const known = own(table, command[at] ?? '');
    if (known !== undefined) return onlyKnown(command.slice(Math.max(prefix.length, at + 1)), known, dashes);
    // Bun and its like run files as well.
    return program === 'bun' && namesAFile(prefix) && /[./]/u.test(prefix[1] ?? '');
  }
  const known = own(KNOWN, program);
  if (known !== undefined) return onlyKnown(rest, known, dashes);
  if (NEVER_BY_PREFIX.has(program)) return startsAPackage(program, prefix);
  return INTERPRETER.test(program) ? namesAFile(prefix) : true;
}

/** Whether there is a table, so that first words are a good suggestion for a rule. */
export function hasTable(command: readonly string[]): boolean {
  const program = programOf(command);
  const table = own(BY_SUBCOMMAND, program);
  return table === undefined ? own(KNOWN, program) !== undefined : own(table, command[1] ?? '') !== undefined;
}

/** Whether its second word says what it does. */
export const hasSubcommands = (command: readonly string[]): boolean =>
  own(BY_SUBCOMMAND, programOf(command)) !== undefined;

const programOf = (command: readonly string[]): string => (command[0] ?? '').split('/').at(-1) ?? '';

/** `node scripts/x.js`, `python3 -m pytest`: what follows is for the file. */
function namesAFile(prefix: readonly string[]): boolean {
  const [, first, second] = prefix;
  if (first === undefined) return false;
  if (first === '-m') return second !== undefined && !second.startsWith('-');
  return !first.startsWith('-');
}

/** `npx vitest`: what follows is for the package. */
const startsAPackage = (program: string, [, first]: readonly string[]): boolean =>
  /^(?:npx|pnpx|bunx|uvx)$/u.test(program) && first !== undefined && !first.startsWith('-');

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
