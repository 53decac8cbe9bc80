import type { Config } from '#contract/vocabulary/config.js';

/**
 * The session leader of a command: a small shell script that node-pty starts. It closes what leaked into it, sets the
 * limits, waits for the word to begin, runs the command with no input and its errors apart, and then says in the terminal's own stream that the
 * command is over. So whoever has read that far has read everything the command wrote. It then stops itself and is
 * ended from outside, since an exit would make node-pty throw away what it had not read within 200 ms. Before it says so it
 * notes it where the times are: a command may have stopped the terminal's output for good (TCOOFF).
 *
 * bash, because only it among the usual shells can close file descriptors above 9, and the other terminals' masters
 * are among those (node-pty opens them without close-on-exec).
 */
export const SUPERVISOR_SHELLS: readonly string[] = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/** The supervisor's word when it is ready, and nothing else: bash may have complained about the locale before. */
export const READY = '\u{1e}r\u{1e}';
/** The word instead of an exit code where the command could not begin. */
export type NotBegun = 'folder' | 'pipe';

/**
 * $1 the folder, $2 where stderr goes, $3 where the times go, $4 where the end mark and the command are (its words;
 * each ended by NUL), $5 where bubblewrap, and nothing else, notes what became of the command, $6 the filter of system
 * calls that bubblewrap is to load; then the limits. The word to begin is a line on the terminal (not before it is
 * ready, or the terminal would echo it). The folder is entered again then: it may have been replaced since the
 * supervisor was started. The end mark is in no environment and no command line, where the command could read it, and
 * is gone from its file before the command begins: whoever knew it could say how it ended. What the supervisor says
 * goes through a descriptor of its own: the command may have made the terminal's non-blocking.
 */
const SCRIPT = `
exec 2>/dev/null
for fd in /proc/self/fd/* /dev/fd/*; do
  fd=\${fd##*/}
  case $fd in [0-2]|*[!0-9]*) ;; *) eval "exec $fd>&-" ;; esac
done
exec 3>/dev/tty
stty -onlcr -echo
trap : TERM INT
folder=$1 stderr=$2 times=$3 ask=$4 notes=$5 filter=$6
shift 6
while [ $# -gt 0 ]; do ulimit "$1" "$2"; shift 2; done
printf '\\036r\\036' >&3
IFS= read -r word || exit 125
words=()
{
  IFS= read -r -d '' mark
  while IFS= read -r -d '' word; do words+=("$word"); done
} <"$ask"
: >"$ask"
say() {
  trap '' TTOU
  printf '\\036%s %s\\036' "$mark" "$1" >&3
  while :; do kill -STOP $$; done
}
cd -- "$folder" || say folder
[ -p "$stderr" ] && exec 4>"$stderr" || say pipe
unset OLDPWD SHLVL
# Confined, it is bubblewrap, or the bash that looks at what bubblewrap mounted.
case \${words[0]} in
  */bash | */bwrap) "\${words[@]}" </dev/null 2>&4 3>&- 4>&- 5>>"$notes" 6<"$filter" ;;
  *) "\${words[@]}" </dev/null 2>&4 3>&- 4>&- ;;
esac
code=$?
exec 4>&-
{ times; printf '\n%s %s\n' "$mark" "$code"; } >"$times"
say $code
`;

export interface SupervisorPlaces {
  readonly folder: string;
  readonly stderrPath: string;
  readonly timesPath: string;
  readonly askPath: string;
  readonly notesPath: string;
  readonly filterPath: string;
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
  places.notesPath,
  places.filterPath,
  ...limits,
];

/** The content of the file at `askPath`. */
export const encodeAsk = (endMark: string, words: readonly string[]): string =>
  [endMark, ...words].map((word) => `${word}\0`).join('');

type CommandLimits = Config['tools']['run_command'];

/**
 * The least address space. Each WebAssembly memory reserves some 10 GiB of addresses, of which it uses next to nothing.
 */
const LEAST_ADDRESSES = 256 * 1024 ** 3;

/**
 * The limits as bash's ulimit takes them. Soft before hard for CPU time, so that the signal that names the limit comes
 * first. Memory is what may be written to, not what is reserved: what they hold together is for the control group and
 * the watch.
 */
export function limitArguments(limits: CommandLimits): string[] {
  return [
    ['-c', 0],
    ['-St', limits.max_cpu_seconds],
    ['-Ht', limits.max_cpu_seconds + 5],
    ['-d', Math.ceil(limits.max_memory_bytes / 1024)],
    ['-v', Math.ceil(Math.max(limits.max_memory_bytes, LEAST_ADDRESSES) / 1024)],
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
