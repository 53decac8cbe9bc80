import { effect, sameForNames, type Program, type ProgramTable } from '../program.js';

const starts = (more: Partial<Program> & Required<Pick<Program, 'starts'>>): Program => ({ nature: 'reads', ...more });
const PRIVILEGE = [effect('privilege', 'runs with another user’s rights')];
const WITH_RIGHTS =
  'u:value user:value g:value group:value h:value p:text C:value r:value t:value T:value U:value D:folder chdir:folder R:folder E!reads n!reads S!reads k!reads i!reads s!reads H!reads b!reads A!reads';

/** Programs that start another program, given after their own options. */
export const STARTERS: ProgramTable = {
  ...sameForNames(
    'sudo doas pkexec run0 gosu su-exec',
    starts({ starts: { variables: true, optional: true }, more: WITH_RIGHTS, effects: PRIVILEGE }),
  ),
  ...sameForNames('su runuser', {
    nature: 'runs',
    operands: ['text'],
    more: 'c:shell command:shell session-command:shell s:value shell:value',
    effects: PRIVILEGE,
    fromInput: 'shell',
  } satisfies Program),
  sg: { nature: 'runs', operands: ['value', 'shell'], more: 'c:shell', effects: PRIVILEGE },
  ...sameForNames(
    'chroot',
    starts({ starts: { words: 1, optional: true }, more: 'userspec:value groups:value', effects: PRIVILEGE }),
  ),
  ...sameForNames(
    'unshare nsenter setpriv capsh newgrp',
    starts({
      starts: { optional: true },
      more: 't:value target:value S:value G:value u!reads m!reads n!reads p!reads i!reads r!reads',
      effects: PRIVILEGE,
    }),
  ),
  env: starts({
    starts: { variables: true, optional: true, transparent: true },
    more: 'u:value unset:value C:folder chdir:folder S:shell split-string:shell i! ignore-environment! 0!reads null!reads',
  }),
  ...sameForNames('nohup setsid', starts({ starts: {}, more: 'w!reads wait!reads f! fork! c!' })),
  time: starts({ starts: { transparent: true }, more: 'f:text format:text o:writes output:writes p!reads v!reads a!' }),
  ...sameForNames('nice', starts({ starts: { transparent: true }, more: 'n:value adjustment:value' })),
  ionice: starts({ starts: {}, more: 'c:value class:value n:value classdata:value p:value t!reads' }),
  ...sameForNames(
    'chrt taskset',
    starts({ starts: { words: 1 }, more: 'p:value c!reads f!reads r!reads o!reads b!reads i!reads a!reads' }),
  ),
  timeout: starts({
    starts: { words: 1, transparent: true },
    more: 'k:value kill-after:value s:value signal:value foreground!reads preserve-status!reads v!reads verbose!reads',
  }),
  stdbuf: starts({
    starts: { transparent: true },
    more: 'i:value input:value o:value output:value e:value error:value',
  }),
  ...sameForNames(
    'command',
    starts({
      starts: { optional: true, transparent: true, inShell: true, locates: 'vV' },
      more: 'v!reads V!reads p!reads',
    }),
  ),
  builtin: starts({ starts: { inShell: true } }),
  exec: starts({ starts: { optional: true, inShell: true, redirectsShell: true }, more: 'a:text c!reads l!reads' }),
  ...sameForNames('busybox toybox', starts({ starts: { optional: true }, more: 'list!reads' })),
  xargs: starts({
    starts: { fromInput: true, optional: true, echoes: true },
    more: 'I:text n:value max-args:value P:value max-procs:value L:value max-lines:value s:value d:text delimiter:text a:reads arg-file:reads E:text 0!reads null!reads r!reads no-run-if-empty!reads t!reads verbose!reads p!reads x!reads i!reads',
  }),
  parallel: {
    nature: 'runs',
    operands: ['shell'],
    more: 'j:value jobs:value a:reads arg-file:reads N:value',
    starts: { fromInput: true, shell: true },
  },
  watch: {
    nature: 'runs',
    more: 'n:value interval:value d!reads t!reads g!reads e!reads c!reads x!reads b!reads',
    starts: { shell: true },
  },
  flock: starts({
    starts: { words: 1, optional: true },
    more: 'w:value timeout:value E:value c:shell command:shell x!reads s!reads n!reads e!reads u!reads o!reads',
  }),
  script: {
    nature: 'runs',
    operands: ['writes'],
    more: 'c:shell command:shell O:writes I:writes T:writes t:writes q!reads e!reads f!reads a!reads',
  },
  man: { nature: 'edits', operands: ['value'], more: 'P:shell pager:shell H:program html:program k!reads f!reads' },
  ...sameForNames(
    'unbuffer xvfb-run catchsegv faketime dbus-run-session dbus-launch proot fakeroot eatmydata rlwrap firejail bwrap cpulimit systemd-inhibit caffeinate',
    starts({ starts: { optional: true }, more: 'a!reads s:text f:text' }),
  ),
  // Shell words are commands to it.
  eval: { nature: 'runs', starts: { shell: true, inShell: true } },
  trap: { nature: 'runs', operands: ['shell', 'value'], more: 'p!reads l!reads' },
  ...sameForNames(
    'entr',
    starts({ starts: { optional: true }, more: 'r!reads c!reads d!reads n!reads p!reads s!reads z!reads' }),
  ),
};
