import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriesMark } from './call-mark.js';
import { listProcesses, isAlive } from './proc-table.js';
import { openTestRunner, type TestRunner } from '../process.test-support.js';

const survivors = (mark: string): number =>
  listProcesses().filter((facts) => isAlive(facts) && carriesMark(facts, mark)).length;

/** Twenty processes of the kinds that get away: own sessions, double forks, ignored signals, job control. */
const TREE = `
for i in 1 2 3 4; do
  sleep 600 &
  setsid sleep 600 &
  (trap '' HUP TERM INT; sleep 600) &
  (setsid sh -c 'sleep 600 & sleep 600' &)
done
set -m
sleep 600 &
echo ready
wait
`;

describe.each(['off', 'required'] as const)('stopping, confinement %s', (confinement) => {
  let runner: TestRunner;
  beforeAll(async () => {
    runner = await openTestRunner();
  });
  afterAll(() => runner[Symbol.asyncDispose]());

  /** Runs it and stops it as soon as it has said “ready”. */
  async function stopWhenReady(command: string, graceMs: number) {
    const stop = new AbortController();
    let mark = '';
    const result = await runner.run(command, {
      settings: { confinement, kill_grace_ms: graceMs },
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'started') mark = event.mark;
      },
      onOutput: (_, text) => {
        if (text.includes('ready')) stop.abort();
        return Promise.resolve();
      },
    });
    return { result, mark };
  }

  it('T-CAN: cancelling leaves none of a tree of twenty', async () => {
    const { result, mark } = await stopWhenReady(TREE, 100);
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(result.stdout).toBe('ready\n');
    expect(survivors(mark)).toBe(0);
    expect(runner.log).toEqual([]);
  });

  it('asks first, and what the command says then is kept', async () => {
    const command = `trap 'echo tidied up; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    const { result } = await stopWhenReady(command, 5000);
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(result.stdout).toBe('ready\ntidied up\n');
  });

  it('asks who started another before that one, so that no shell goes on with what comes next', async () => {
    const command = `for i in $(seq 200); do sleep 600 & done; echo ready; sleep 601; touch after-stop`;
    const { result } = await stopWhenReady(command, 5000);
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(existsSync(join(runner.workspace, 'after-stop'))).toBe(false);
  });

  it('asks each process once, wherever it is', async () => {
    // Many of each kind: two requests that come before a program has looked at the first are one to it.
    const asked = (name: string): string =>
      `perl -e '$SIG{TERM} = sub { syswrite STDOUT, "asked ${name}\\n" }; syswrite STDOUT, "here\\n"; select undef, undef, undef, 0.05 until -e "go"'`;
    const command = `trap : TERM; for i in $(seq 40); do ${asked('in the group')} & done
    for i in $(seq 10); do setsid ${asked('in a session of its own')} & done; until [ -e go ]; do sleep 0.05; done; wait`;
    const stop = new AbortController();
    const go = join(runner.workspace, 'go');
    let said = '';
    const times = (words: string): number => said.split(words).length - 1;
    await runner.run(command, {
      settings: { confinement, kill_grace_ms: 60_000 },
      signal: stop.signal,
      onOutput: (_, text) => {
        said += text;
        if (times('here') === 50) stop.abort();
        // All requests are made at once, so by now there are no more to come.
        if (times('asked') >= 50) writeFileSync(go, '');
        return Promise.resolve();
      },
    });
    rmSync(go);
    expect([times('in the group'), times('in a session of its own')]).toEqual([40, 10]);
  });

  it('ends what will not listen, after the grace', async () => {
    const { result, mark } = await stopWhenReady(
      `trap '' HUP TERM INT QUIT; echo ready; while :; do sleep 1; done`,
      50,
    );
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(survivors(mark)).toBe(0);
  });

  it('ends what is stopped', async () => {
    const { result, mark } = await stopWhenReady('echo ready; kill -STOP $$', 50);
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(survivors(mark)).toBe(0);
  });

  it('ends what floods its output while nobody reads', async () => {
    const stop = new AbortController();
    const never = Promise.withResolvers<void>();
    const running = runner.run('yes', {
      settings: { confinement, kill_grace_ms: 50 },
      signal: stop.signal,
      onOutput: () => {
        setTimeout(() => {
          stop.abort();
          never.resolve();
        }, 100);
        return never.promise;
      },
    });
    expect((await running).ending).toEqual({ kind: 'stopped' });
  });

  it('T-TMO: stops at 0.1 s, however busy', async () => {
    const ended = await Promise.all(
      Array.from({ length: 6 }, () =>
        runner.run('while :; do :; done', {
          settings: { confinement, kill_grace_ms: 50 },
          signal: AbortSignal.timeout(100),
        }),
      ),
    );
    expect(ended.map(({ ending }) => ending.kind)).toEqual(Array.from({ length: 6 }, () => 'stopped'));
    expect(runner.log).toEqual([]);
  });

  it('does not begin what was cancelled before', async () => {
    const signal = AbortSignal.abort();
    const { ending } = await runner.run('touch began', { settings: { confinement }, signal });
    expect(ending).toEqual({ kind: 'stopped' });
    expect(existsSync(join(runner.workspace, 'began'))).toBe(false);
  });

  it('runs several at once, each with its own output and none with another’s descriptors', async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        runner.run(`ls /proc/self/fd | wc -l; sleep 0.2; echo mine ${index}; echo apart ${index} >&2`, {
          settings: { confinement },
        }),
      ),
    );
    for (const [index, { stdout, stderr }] of results.entries()) {
      expect({ stdout, stderr }).toEqual({ stdout: `4\nmine ${index}\n`, stderr: `apart ${index}\n` });
    }
  });

  it('ends one whose children are all zombies', async () => {
    const many = `perl -e 'for (1..30) { fork or exit } $| = 1; print "ready\\n"; sleep 600'`;
    const { result, mark } = await stopWhenReady(many, 50);
    expect(result.ending).toEqual({ kind: 'stopped' });
    expect(survivors(mark)).toBe(0);
    expect(runner.log).toEqual([]);
  });

  it('T-TMO: stops at 0.1 s what has left the session, cleared its environment and will not listen', async () => {
    const marks: string[] = [];
    const daemons = `for i in 1 2 3 4; do
        env -i setsid bash -c 'trap "" TERM HUP INT; set -m; (while :; do :; done) & sleep 600' &
      done; nohup sleep 600 >/dev/null 2>&1 & wait`;
    const ended = await Promise.all(
      Array.from({ length: 3 }, () =>
        runner.run(daemons, {
          settings: { confinement, kill_grace_ms: 20 },
          signal: AbortSignal.timeout(100),
          onEvent: (event) => {
            if (event.type === 'started') marks.push(event.mark);
          },
        }),
      ),
    );
    expect(ended.map(({ ending }) => ending.kind)).toEqual(['stopped', 'stopped', 'stopped']);
    // On a busy machine some may not even have begun.
    expect(marks.filter((mark) => survivors(mark) > 0)).toEqual([]);
    expect(runner.log).toEqual([]);
  });
});
