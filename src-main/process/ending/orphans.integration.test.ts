import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openTestRunner } from '../process.test-support.js';

/** The processes whose command line holds the word: asked of the system itself, not of the code under test. */
function withWord(word: string): string[] {
  return (
    readdirSync('/proc')
      .filter((name) => /^\d+$/u.test(name))
      // The newest first: what hands itself on is gone in a moment.
      .toReversed()
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
        } catch {
          return '';
        }
      })
      .filter((line) => line.includes(word))
  );
}

/** Forks twice into a session of its own, with nothing of where it came from, and is the system's child. */
const DAEMON = (word: string): string => `perl -e '
  use POSIX ();
  fork and exit; POSIX::setsid(); fork and exit;
  %ENV = (); POSIX::close($_) for 0..255; chdir "/";
  $SIG{TERM} = $SIG{HUP} = $SIG{INT} = "IGNORE";
  exec {"sleep"} "${word}", "600"' ${word}`;

/** A script that leaves its control group, as a process can as root: then only what it inherited marks it. */
const LEAVE_GROUP = 'for f in /sys/fs/cgroup/pids/cgroup.procs /sys/fs/cgroup/cgroup.procs; do echo $$ >$f; done';
/** And it can put the limit down on purpose: then only the group tells. */
const SHED_LIMIT = 'prlimit --rttime=1000000000 --pid $$';

/** `$W` becomes a word that nothing else has. */
const ESCAPES: readonly (readonly [string, string])[] = [
  ['env -i setsid', `env -i setsid bash -c '(exec -a $W sleep 600 &) &'`],
  ['env -i setsid in the background', `env -i setsid bash -c '(exec -a $W sleep 600 &) & exec -a $W sleep 600' &`],
  [
    'a nohup chain',
    `nohup env -i setsid nohup bash -c 'trap "" HUP TERM; (exec -a $W sleep 600) & ' >/dev/null 2>&1 &`,
  ],
  ['a perl daemon', DAEMON('$W')],
  ['a perl daemon of a perl daemon', `env -i setsid bash -c '${DAEMON('$W').replaceAll("'", `'\\''`)}' &`],
  ['many at once', `for i in 1 2 3 4 5 6 7 8; do env -i setsid bash -c '(exec -a $W sleep 600 &) &' & done`],
];

/** Hands itself on to a child again and again, so that no process of it lives longer than that; it ends some day. */
const RELAY = (seconds: number): string => `env -i perl -e '
  use POSIX (); fork and exit; POSIX::setsid(); $0 = "$W"; $SIG{CHLD} = "IGNORE";
  for (1..5000) { fork and POSIX::_exit(0); select undef, undef, undef, ${seconds} }' $W`;

/** Runs it, lets it exit at once, and tells what of it is still there then. */
async function survivors(confinement: 'off' | 'required', escape: string, before = ':'): Promise<readonly string[]> {
  await using runner = await openTestRunner();
  const word = `escaped-${randomUUID()}`;
  const command = `{ ${before}; } >/dev/null 2>&1\n${escape.replaceAll('$W', word)}\nexit 0`;
  const { ending } = await runner.run(command, { settings: { confinement, kill_grace_ms: 0 } });
  expect(ending).toEqual({ kind: 'exited', code: 0 });
  expect(runner.log).toEqual([]);
  // More than one look: what hands itself on may slip through any single one.
  return Array.from({ length: 50 }, () => withWord(word)).flat();
}

describe('what leaves the session, clears its environment and is nobody’s child', () => {
  it.each(ESCAPES)('%s', async (_, escape) => {
    expect(await survivors('off', escape)).toEqual([]);
    expect(await survivors('required', escape)).toEqual([]);
  });

  it.each(ESCAPES)('%s, by its limit alone', async (_, escape) => {
    expect(await survivors('off', escape, LEAVE_GROUP)).toEqual([]);
  });

  // As root here there is a group; elsewhere the limit would be all there is, and it was shed on purpose.
  it.runIf(process.getuid?.() === 0).each(ESCAPES)('%s, by its group alone', async (_, escape) => {
    expect(await survivors('off', escape, SHED_LIMIT)).toEqual([]);
  });

  it.each([0.01, 0.001])('a process that hands itself on every %f seconds', async (seconds) => {
    expect(await survivors('off', RELAY(seconds))).toEqual([]);
    expect(await survivors('off', RELAY(seconds), LEAVE_GROUP)).toEqual([]);
  });
});
