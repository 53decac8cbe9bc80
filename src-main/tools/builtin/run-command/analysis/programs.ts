import { type Argument, hasOption, type Invocation, operands } from './invocation.js';
import { optionValues } from './option-values.js';
import { isUrl } from './paths.js';

/** What is known of a program before it runs: in plain words, and whether it deserves a second look. */
export interface Remark {
  readonly severity: 'notice' | 'danger';
  readonly explanation: string;
}

const danger = (explanation: string): Remark => ({ severity: 'danger', explanation });
const notice = (explanation: string): Remark => ({ severity: 'notice', explanation });

const names = (args: readonly Argument[], none: string): string => {
  const shown = operands(args)
    .slice(0, 3)
    .map(({ node, literal }) => literal ?? node.text);
  const more = operands(args).length > 3 ? ' and more' : '';
  return shown.length === 0 ? none : shown.join(', ') + more;
};
const url = (args: readonly Argument[]): string =>
  args.map(({ literal }) => literal).find((literal) => literal !== null && isUrl(literal)) ?? 'the network';
const first = (args: readonly Argument[]): string => operands(args)[0]?.literal ?? '';
const says = (args: readonly Argument[], ...words: readonly string[]): boolean =>
  args.some(({ literal }) => literal !== null && words.includes(literal));

type Rule = (args: readonly Argument[], invocation: Invocation) => readonly (Remark | false)[];

const privilege: Rule = () => [danger('runs with another user’s rights')];
const format: Rule = (args) => [danger(`erases or rewrites a disk: ${names(args, 'which one is not said')}`)];
const installs =
  (...verbs: readonly string[]): Rule =>
  (args) => [
    verbs.includes(first(args)) &&
      notice(
        `downloads and installs packages, whose own scripts may run: ${names(args.slice(1), 'those of the project')}`,
      ),
  ];
const stops: Rule = (args) => [danger(`ends processes: ${names(args, 'which ones is not said')}`)];
const system: Rule = () => [danger('stops or restarts the whole machine')];
const schedules: Rule = (args) => [danger(`leaves something to run later: ${names(args, 'read from its input')}`)];
const remote: Rule = (args) => [danger(`connects to another machine: ${names(args, 'which one is not said')}`)];

const RULES: Readonly<Record<string, Rule>> = {
  rm: (args) => [
    hasOption(args, 'rR', '--recursive')
      ? danger(`deletes ${names(args, 'what its input names')} and everything in it`)
      : hasOption(args, 'f', '--force')
        ? danger(`deletes ${names(args, 'what its input names')} without asking`)
        : notice(`deletes ${names(args, 'what its input names')}`),
  ],
  rmdir: (args) => [notice(`deletes the empty folder ${names(args, '')}`)],
  unlink: (args) => [notice(`deletes ${names(args, '')}`)],
  shred: (args) => [danger(`destroys ${names(args, '')} beyond recovery`)],
  truncate: (args) => [danger(`cuts off ${names(args, '')}`)],
  find: (args) => [
    says(args, '-delete') && danger('deletes every file that it finds'),
    says(args, '-exec', '-execdir', '-ok', '-okdir') && danger('runs a command for every file that it finds'),
    says(args, '-fprint', '-fprint0', '-fprintf', '-fls') && danger('writes what it finds to a file'),
  ],
  mv: (args) => [notice(`moves or renames ${names(args, '')}; what stands at the target is overwritten`)],
  cp: (args) => [notice(`copies ${names(args, '')}; what stands at the target is overwritten`)],
  install: (args) => [notice(`copies ${names(args, '')}`)],
  ln: (args) => [notice(`makes a link: ${names(args, '')}`)],
  tee: (args) => [notice(`writes to ${names(args, 'its output')}`)],
  sed: (args) => [hasOption(args, 'i', '--in-place') && notice('rewrites files in place')],
  perl: (args) => [hasOption(args, 'i') && notice('rewrites files in place')],
  dd: (args) => [
    args.some(({ literal }) => literal?.startsWith('of=/dev/') === true)
      ? danger('writes straight to a device')
      : args.some(({ literal }) => literal?.startsWith('of=') === true) && notice('writes to a file byte by byte'),
  ],
  chmod: (args) => [
    args.some(({ literal }) => /^[ugoa]*\+[rwxX]*s|^[2467]\d{3}$/u.test(literal ?? ''))
      ? danger('lets a program run with its owner’s rights, whoever starts it')
      : hasOption(args, 'R')
        ? danger(`changes who may use ${names(args, '')} and everything in it`)
        : notice(`changes who may use ${names(args, '')}`),
  ],
  chown: (args) => [danger(`gives ${names(args, '')} to another owner`)],
  chattr: (args) => [danger(`changes what can be done to ${names(args, '')}`)],
  setfacl: (args) => [danger(`changes who may use ${names(args, '')}`)],
  setcap: (args) => [danger(`gives a program rights of the system’s: ${names(args, '')}`)],
  su: privilege,
  sudo: privilege,
  doas: privilege,
  pkexec: privilege,
  runuser: privilege,
  chroot: privilege,
  nsenter: privilege,
  unshare: privilege,
  mount: (args) => [danger(`attaches a file system: ${names(args, '')}`)],
  umount: (args) => [danger(`detaches a file system: ${names(args, '')}`)],
  mkfs: format,
  fdisk: format,
  parted: format,
  wipefs: format,
  mkswap: format,
  kill: stops,
  pkill: stops,
  killall: stops,
  shutdown: system,
  reboot: system,
  poweroff: system,
  halt: system,
  systemctl: (args) => [
    !says(args, 'status', 'list-units', 'show', 'is-active') && danger('changes what the system runs'),
  ],
  service: () => [danger('changes what the system runs')],
  crontab: schedules,
  at: schedules,
  batch: schedules,
  curl: (args) => [
    hasOption(args, 'dTF', '--data', '--data-binary', '--data-raw', '--upload-file', '--form', '--json')
      ? danger(`sends data to ${url(args)}`)
      : notice(`downloads from ${url(args)}`),
  ],
  wget: (args) => [
    hasOption(args, '', '--post-data', '--post-file', '--body-file')
      ? danger(`sends data to ${url(args)}`)
      : notice(`downloads from ${url(args)}`),
  ],
  ssh: remote,
  scp: remote,
  sftp: remote,
  telnet: remote,
  nc: remote,
  ncat: remote,
  netcat: remote,
  socat: remote,
  ftp: remote,
  rsync: (args) => [
    args.some(({ literal }) => /^[^/]*:/u.test(literal ?? '')) && danger('copies to or from another machine'),
    hasOption(args, '', '--delete') && danger('deletes what the source does not have'),
  ],
  git: (args) => gitRemarks(args),
  npm: installs('install', 'i', 'ci', 'add', 'update', 'exec', 'x'),
  npx: (args) => [notice(`downloads and runs a package: ${names(args, '')}`)],
  bunx: (args) => [notice(`downloads and runs a package: ${names(args, '')}`)],
  pnpm: installs('install', 'i', 'add', 'update', 'dlx'),
  yarn: installs('install', 'add', 'upgrade', 'dlx'),
  pip: installs('install', 'download'),
  pip3: installs('install', 'download'),
  uv: installs('add', 'pip', 'sync', 'run', 'tool'),
  cargo: installs('install', 'add', 'update'),
  gem: installs('install', 'update'),
  go: installs('get', 'install'),
  brew: installs('install', 'upgrade', 'reinstall'),
  apt: installs('install', 'upgrade', 'full-upgrade', 'remove', 'purge'),
  'apt-get': installs('install', 'upgrade', 'dist-upgrade', 'remove', 'purge'),
  dnf: installs('install', 'upgrade', 'remove'),
  docker: () => [danger('talks to Docker, which acts with the system’s rights')],
  podman: () => [notice('runs containers')],
  kubectl: () => [danger('talks to a cluster')],
  terraform: (args) => [says(args, 'apply', 'destroy', 'import') && danger('changes machines elsewhere')],
  eval: () => [danger('runs text that is put together only then')],
  source: (args) => [danger(`runs what stands in ${names(args, '')}`)],
  '.': (args) => [danger(`runs what stands in ${names(args, '')}`)],
  trap: () => [notice('sets what runs when a signal comes')],
  coproc: () => [danger('runs a command beside this one, in some shells; others know no such word')],
  alias: () => [danger('gives a name another meaning')],
  xargs: () => [danger('runs a command made of its input')],
  gdb: () => [danger('can take over another process')],
  strace: () => [notice('watches another process')],
  history: () => [notice('reads the shell’s history')],
};

function gitRemarks(args: readonly Argument[]): readonly (Remark | false)[] {
  const verb = first(args);
  return [
    optionValues(
      args.slice(
        0,
        Math.max(
          0,
          args.findIndex(({ literal }) => literal === verb),
        ),
      ),
      'c',
      ['exec-path', 'config-env'],
    ).length > 0 && danger('gives Git settings of its own, which can make it run something'),
    verb === 'push' &&
      (hasOption(args, 'f', '--force', '--force-with-lease', '--mirror', '--delete') ||
      args.some(({ literal }) => literal?.startsWith('+') === true)
        ? danger('overwrites history on another machine')
        : danger('publishes commits to another machine')),
    verb === 'reset' && hasOption(args, '', '--hard') && danger('throws away uncommitted changes'),
    verb === 'clean' && hasOption(args, 'fdxX', '--force') && danger('deletes files that Git does not know'),
    (verb === 'checkout' || verb === 'restore') &&
      says(args, '--', '.', '-f') &&
      danger('throws away uncommitted changes'),
    verb === 'branch' && hasOption(args, 'D') && danger('deletes a branch with its commits'),
    verb === 'config' && danger('changes Git’s settings, which can make it run something'),
    (verb === 'filter-branch' || verb === 'rebase') && danger('rewrites history'),
    verb === 'stash' && says(args, 'drop', 'clear') && danger('throws away stashed changes'),
    (verb === 'clone' || verb === 'fetch' || verb === 'pull' || verb === 'submodule') &&
      notice(`downloads from ${names(args.slice(1), 'another machine')}`),
  ];
}

/** Programs that run whatever text they are given. */
const INTERPRETERS =
  /^(?:(?:ba|z|da|k|a|c|tc|fi)?sh|python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|gawk|osascript|pwsh|tclsh|R|Rscript)$/u;
const SHELLS = /^(?:ba|z|da|k|a)?sh$/u;

export const isInterpreter = (program: string | null): boolean => program !== null && INTERPRETERS.test(program);
export const isShell = (program: string | null): boolean => program !== null && SHELLS.test(program);

const DECODERS: ReadonlySet<string> = new Set(['base64', 'base32', 'xxd', 'uudecode', 'openssl', 'gunzip', 'zcat']);
const DOWNLOADERS: ReadonlySet<string> = new Set(['curl', 'wget', 'fetch', 'aria2c', 'nc', 'ncat']);
export const isDecoder = (program: string | null): boolean => program !== null && DECODERS.has(program);
export const isDownloader = (program: string | null): boolean => program !== null && DOWNLOADERS.has(program);

/** Programs that write to the files that they are given. */
const WRITERS: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred truncate mv cp install ln tee dd touch mkdir chmod chown chattr setfacl rsync tar unzip patch'.split(
    ' ',
  ),
);
export const isWriter = (program: string | null): boolean => program !== null && WRITERS.has(program);

export function remarksOn(invocation: Invocation): readonly Remark[] {
  const { program, args, through } = invocation;
  const seenThrough = through.flatMap((name) =>
    Object.hasOwn(RULES, name) ? (RULES[name]?.([], invocation) ?? []) : [],
  );
  const name = program?.startsWith('mkfs.') === true ? 'mkfs' : program;
  const own = name !== null && Object.hasOwn(RULES, name) ? (RULES[name]?.(args, invocation) ?? []) : [];
  return [...seenThrough, ...own].filter((remark) => remark !== false);
}
