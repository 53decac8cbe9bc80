/**
 * The session leader of a held program: a bash that sets the limits, waits for the word to begin, starts the program with the
 * pipes as they came, and ends with its exit code. It keeps none of the pipes: who reads sees the program’s own end of them.
 *
 * Descriptor 4 comes from the app and says one word, “begin”. When it ends, by the app’s will or with the app, all of this is
 * killed: confined, bubblewrap takes everything inside with it.
 */
const SCRIPT = `
for fd in /proc/self/fd/* /dev/fd/*; do
  fd=\${fd##*/}
  case $fd in [0-4]|*[!0-9]*) ;; *) eval "exec $fd>&-" ;; esac
done
folder=$1 notes=$2 filter=$3 confines=$4
shift 4
while [ "$1" != -- ]; do ulimit "$1" "$2"; shift 2; done
shift
trap : TERM INT HUP
IFS= read -r word <&4 || exit 125
( trap '' TERM INT HUP
  exec 0</dev/null 1>&- 2>&- 3>&- 7>&-
  IFS= read -r word <&4
  kill -KILL -- -$$ ) &
watcher=$!
cd -- "$folder" || { printf 'gatehouse: the folder %s could not be entered\\n' "$folder" >&2; kill -KILL $watcher; exit 125; }
unset OLDPWD SHLVL
exec 7<&0
case $confines in
  yes) "$@" <&7 7<&- 4<&- 5>>"$notes" 6<"$filter" & ;;
  *) "$@" <&7 7<&- 4<&- & ;;
esac
program=$!
exec 0</dev/null 1>&- 3>&- 7<&- 2>/dev/null
while wait "$program"; code=$?; kill -0 "$program"; do :; done
wait "$program"
code=$?
kill -KILL $watcher
exit $code
`;

export interface LeaderPlaces {
  readonly folder: string;
  readonly notesPath: string;
  readonly filterPath: string;
  /** Whether its words begin with what confines: that notes what became of the program, and is given the filter of its calls. */
  readonly confines: boolean;
}

export const leaderArguments = (
  { folder, notesPath, filterPath, confines }: LeaderPlaces,
  limits: readonly string[],
  words: readonly string[],
): string[] => [
  '--noprofile',
  '--norc',
  '-p',
  '-c',
  SCRIPT,
  'gatehouse',
  folder,
  notesPath,
  filterPath,
  confines ? 'yes' : 'no',
  ...limits,
  '--',
  ...words,
];
