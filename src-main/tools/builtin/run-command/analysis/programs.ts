import { type Argument, hasOption, type Invocation, operands } from './invocation.js';
import { optionValues } from './option-values.js';
import { isUrl } from './paths.js';

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

type ProgramRule = (args: readonly Argument[], invocation: Invocation) => readonly (string | false)[];

const privilege: ProgramRule = () => ['runs with another user’s rights'];
const format: ProgramRule = (args) => [`erases or rewrites a disk: ${names(args, 'unknown which')}`];
const stops: ProgramRule = (args) => [`ends processes: ${names(args, 'unknown which')}`];
const system: ProgramRule = () => ['stops or restarts the whole machine'];
const schedules: ProgramRule = (args) => [`leaves something to run later: ${names(args, 'read from its input')}`];
const remote: ProgramRule = (args) => [`connects to another machine: ${names(args, 'unknown which')}`];

const RULES: Readonly<Record<string, ProgramRule>> = {
  rm: (args) => [
    hasOption(args, 'rR', '--recursive')
      ? `deletes ${names(args, 'what its input names')} and everything in it`
      : hasOption(args, 'f', '--force')
        ? `deletes ${names(args, 'what its input names')} without asking`
        : false,
  ],
  shred: (args) => [`destroys ${names(args, '')} beyond recovery`],
  truncate: (args) => [`cuts off ${names(args, '')}`],
  find: (args) => [
    says(args, '-delete') && 'deletes every file that it finds',
    says(args, '-exec', '-execdir', '-ok', '-okdir') && 'runs a command for every file that it finds',
    says(args, '-fprint', '-fprint0', '-fprintf', '-fls') && 'writes what it finds to a file',
  ],
  dd: (args) => [
    args.some(({ literal }) => literal?.startsWith('of=/dev/') === true) ? 'writes straight to a device' : false,
  ],
  chmod: (args) => [
    args.some(({ literal }) => /^[ugoa]*\+[rwxX]*s|^[2467]\d{3}$/u.test(literal ?? ''))
      ? 'lets a program run with its owner’s rights, whoever starts it'
      : hasOption(args, 'R')
        ? `changes who may use ${names(args, '')} and everything in it`
        : false,
  ],
  chown: (args) => [`gives ${names(args, '')} to another owner`],
  chattr: (args) => [`changes what can be done to ${names(args, '')}`],
  setfacl: (args) => [`changes who may use ${names(args, '')}`],
  setcap: (args) => [`gives a program rights of the system’s: ${names(args, '')}`],
  su: privilege,
  sudo: privilege,
  doas: privilege,
  pkexec: privilege,
  runuser: privilege,
  chroot: privilege,
  nsenter: privilege,
  unshare: privilege,
  mount: (args) => [`attaches a file system: ${names(args, '')}`],
  umount: (args) => [`detaches a file system: ${names(args, '')}`],
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
  systemctl: (args) => [!says(args, 'status', 'list-units', 'show', 'is-active') && 'changes what the system runs'],
  service: () => ['changes what the system runs'],
  crontab: schedules,
  at: schedules,
  batch: schedules,
  curl: (args) => [
    hasOption(args, 'dTF', '--data', '--data-binary', '--data-raw', '--upload-file', '--form', '--json')
      ? `sends data to ${url(args)}`
      : false,
  ],
  wget: (args) => [
    hasOption(args, '', '--post-data', '--post-file', '--body-file') ? `sends data to ${url(args)}` : false,
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
    args.some(({ literal }) => /^[^/]*:/u.test(literal ?? '')) && 'copies to or from another machine',
    hasOption(args, '', '--delete') && 'deletes what the source does not have',
  ],
  git: (args) => gitRemarks(args),
  docker: () => ['talks to Docker, which acts with the system’s rights'],
  kubectl: () => ['talks to a cluster'],
  terraform: (args) => [says(args, 'apply', 'destroy', 'import') && 'changes machines elsewhere'],
  eval: () => ['runs text that is known only when it runs'],
  source: (args) => [`runs ${names(args, '')}`],
  '.': (args) => [`runs ${names(args, '')}`],
  coproc: () => ['runs a command in the background, in some shells'],
  alias: () => ['gives a name another meaning'],
  xargs: () => ['runs a command made of its input'],
  gdb: () => ['can take over another process'],
};

function gitRemarks(args: readonly Argument[]): readonly (string | false)[] {
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
    ).length > 0 && 'sets Git options that can make it run code',
    verb === 'push' &&
      (hasOption(args, 'f', '--force', '--force-with-lease', '--mirror', '--delete') ||
      args.some(({ literal }) => literal?.startsWith('+') === true)
        ? 'force-pushes: overwrites history on the remote'
        : 'publishes commits to another machine'),
    verb === 'reset' && hasOption(args, '', '--hard') && 'throws away uncommitted changes',
    verb === 'clean' && hasOption(args, 'fdxX', '--force') && 'deletes files that Git does not know',
    (verb === 'checkout' || verb === 'restore') && says(args, '--', '.', '-f') && 'throws away uncommitted changes',
    verb === 'branch' && hasOption(args, 'D') && 'deletes a branch with its commits',
    verb === 'config' && 'changes Git’s settings, which can make it run code',
    (verb === 'filter-branch' || verb === 'rebase') && 'rewrites history',
    verb === 'stash' && says(args, 'drop', 'clear') && 'throws away stashed changes',
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

export function findProgramDangers(invocation: Invocation): readonly string[] {
  const { program, args, through } = invocation;
  const seenThrough = through.flatMap((name) =>
    Object.hasOwn(RULES, name) ? (RULES[name]?.([], invocation) ?? []) : [],
  );
  const name = program?.startsWith('mkfs.') === true ? 'mkfs' : program;
  const own = name !== null && Object.hasOwn(RULES, name) ? (RULES[name]?.(args, invocation) ?? []) : [];
  return [...seenThrough, ...own].filter((remark) => remark !== false);
}
