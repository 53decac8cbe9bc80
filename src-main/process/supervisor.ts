import type { Config } from '../domain/config.js';

/**
 * The session leader of a command: a small shell script that node-pty starts. It closes what leaked into it, sets the
 * limits, waits for the word to begin, runs the command with no input and its errors apart, and then says in the terminal's own stream that the
 * command is over. So whoever has read that far has read everything the command wrote. It then stops itself and is
 * ended from outside, since an exit would make node-pty throw away what it had not read within 200 ms.
 *
 * bash, because only it among the usual shells can close file descriptors above 9, and the other terminals' masters
 * are among those (node-pty opens them without close-on-exec).
 */
export const SUPERVISOR_SHELLS: readonly string[] = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/**
 * $1 the folder, $2 where stderr goes, $3 where the times go, $4 where the command stands (its words, each ended by NUL),
 * $5 the end mark, $6 where bubblewrap, and nothing else, notes what became of the command; then the limits. It says that it is ready; the word to begin is a line on the terminal (not before,
 * or the terminal would echo it). The folder is entered again then: it may
 * have been replaced since the supervisor was started.
 */
const SCRIPT = `
exec 2>/dev/null
for fd in /proc/self/fd/* /dev/fd/*; do
  fd=\${fd##*/}
  case $fd in [0-2]|*[!0-9]*) ;; *) eval "exec $fd>&-" ;; esac
done
stty -onlcr -echo
trap : TERM INT
folder=$1 stderr=$2 times=$3 ask=$4 mark=$5 notes=$6
shift 6
while [ $# -gt 0 ]; do ulimit "$1" "$2"; shift 2; done
printf r
IFS= read -r word || exit 125
words=()
while IFS= read -r -d '' word; do words+=("$word"); done <"$ask"
cd -- "$folder" && [ -p "$stderr" ] && exec 4>"$stderr" || exit 125
unset OLDPWD SHLVL
case \${words[0]} in
  */bwrap) "\${words[@]}" </dev/null 2>&4 4>&- 5>>"$notes" ;;
  *) "\${words[@]}" </dev/null 2>&4 4>&- ;;
esac
code=$?
exec 4>&-
times >"$times"
printf '\\036%s %s\\036' "$mark" "$code"
while :; do kill -STOP $$; done
`;

export interface SupervisorPlaces {
  readonly folder: string;
  readonly stderrPath: string;
  readonly timesPath: string;
  readonly askPath: string;
  readonly endMark: string;
  readonly notesPath: string;
}

export const supervisorArguments = (places: SupervisorPlaces, limits: readonly string[]): string[] => [
  '--noprofile',
  '--norc',
  '-p',
  '-c',
  SCRIPT,
  'gatehouse',
  places.folder,
  places.stderrPath,
  places.timesPath,
  places.askPath,
  places.endMark,
  places.notesPath,
  ...limits,
];

/** What stands in the file at `askPath`. */
export const askFor = (words: readonly string[]): string => words.map((word) => `${word}\0`).join('');

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
