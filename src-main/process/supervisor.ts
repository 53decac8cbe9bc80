import type { Config } from '../domain/config.js';

/**
 * The session leader of a command: a small shell script that node-pty starts. It closes what leaked into it, sets the
 * limits, runs the command with no input and its errors apart, and then says in the terminal's own stream that the
 * command is over. So whoever has read that far has read everything the command wrote. It then stops itself and is
 * ended from outside, since an exit would make node-pty throw away what it had not read within 200 ms.
 *
 * bash, because only it among the usual shells can close file descriptors above 9, and the other terminals' masters
 * are among those (node-pty opens them without close-on-exec).
 */
export const SUPERVISOR_SHELLS: readonly string[] = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/** $1 where stderr goes, $2 where the times go, $3 the end mark; then the limits up to `--`; then the command. */
const SCRIPT = `
exec 2>/dev/null
for fd in /proc/self/fd/* /dev/fd/*; do
  fd=\${fd##*/}
  case $fd in [0-2]|*[!0-9]*) ;; *) eval "exec $fd>&-" ;; esac
done
stty -onlcr -echo
trap : TERM INT
stderr=$1 times=$2 mark=$3
shift 3
exec 4>"$stderr" || exit 125
while [ "$1" != -- ]; do ulimit "$1" "$2"; shift 2; done
shift
"$@" </dev/null 2>&4 4>&-
code=$?
exec 4>&-
times >"$times"
printf '\\036%s %s\\036' "$mark" "$code"
while :; do kill -STOP $$; done
`;

export interface SupervisedCommand {
  readonly stderrPath: string;
  readonly timesPath: string;
  readonly endMark: string;
  readonly limits: readonly string[];
  readonly argv: readonly string[];
}

export const supervisorArguments = (command: SupervisedCommand): string[] => [
  '--noprofile',
  '--norc',
  '-p',
  '-c',
  SCRIPT,
  'gatehouse',
  command.stderrPath,
  command.timesPath,
  command.endMark,
  ...command.limits,
  '--',
  ...command.argv,
];

type Limits = Config['tools']['run_command'];

/** As bash's ulimit takes them. Soft before hard for CPU time, so that the signal that names the limit comes first. */
export function limitArguments(limits: Limits): string[] {
  return [
    ['-c', 0],
    ['-St', limits.max_cpu_seconds],
    ['-Ht', limits.max_cpu_seconds + 5],
    ['-v', Math.ceil(limits.max_memory_bytes / 1024)],
    ['-n', limits.max_open_files],
    ['-f', Math.ceil(limits.max_file_bytes / 1024)],
  ].flatMap(([option, value]) => [String(option), String(value)]);
}

/** “0m1.234s 0m0.100s” twice: the shell's own times, then its children's. */
export function childrenCpuMs(times: string): number | null {
  const values = [...times.matchAll(/(\d+)m(\d+(?:[.,]\d+)?)s/gu)].map(
    ([, minutes, seconds]) => Number(minutes) * 60_000 + Number((seconds ?? '0').replace(',', '.')) * 1000,
  );
  const [, , user, system] = values;
  return user === undefined || system === undefined ? null : Math.round(user + system);
}
