import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from './process.test-support.js';

/**
 * Tells a command that asks on the terminal from one that is only quiet. The silence is longer than the one after which
 * that is checked.
 */
describe.each(['off', 'required'] as const)('a command that seems to wait for input, confinement %s', (confinement) => {
  let runner: TestRunner;
  beforeAll(async () => {
    runner = await openTestRunner();
  });
  afterAll(() => runner[Symbol.asyncDispose]());

  // Confined it has no controlling terminal, but what it writes to is one.
  const terminal = confinement === 'off' ? '/dev/tty' : '/proc/self/fd/1';

  /** The events while it ran; it is stopped after so many. */
  async function told(command: string, enough: number): Promise<boolean[]> {
    const stop = new AbortController();
    const heard: boolean[] = [];
    const { ending } = await runner.run(command, {
      settings: { confinement, kill_grace_ms: 50 },
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type !== 'waiting-for-input') return;
        heard.push(event.waiting);
        if (heard.length >= enough) stop.abort();
      },
    });
    expect(ending).toEqual(heard.length >= enough ? { kind: 'stopped' } : { kind: 'exited', code: 0 });
    // What is said on the way out, and so ends the waiting, is not asked about.
    return heard.slice(0, enough);
  }

  it('is told when it reads the terminal', async () => {
    expect(await told(`echo asking; read answer < ${terminal}`, 1)).toEqual([true]);
    expect(await told(`echo asking >&2; exec cat ${terminal}`, 1)).toEqual([true]);
  });

  it('is told by its child, however deep', async () => {
    expect(await told(`sh -c 'sh -c "read answer < ${terminal}; :"; :'; :`, 1)).toEqual([true]);
  });

  it('is told to go on when it says something', async () => {
    expect(await told(`(while :; do sleep 2; echo on; done) & read answer < ${terminal}`, 2)).toEqual([true, false]);
  });

  const QUIET = {
    sleeps: 'sleep 1.5',
    computes: `perl -e 'my $end = time + 2; 1 while time < $end'`,
    'waits for a child': 'sleep 1.5 & wait',
    'reads a pipe that nothing comes through': 'sleep 1.5 | cat',
    'reads a named pipe': 'mkfifo p; (sleep 1.5 > p) & cat p; rm p',
    'reads the input it has, which is at its end': 'cat; sleep 1.5',
    'has the terminal open and does not read it': `exec 3<${terminal}; sleep 1.5`,
    // There the system holds it: only who is in front is let to the terminal.
    ...(confinement === 'off'
      ? { 'asks in the background': `bash -c 'set -m; cat /dev/tty & sleep 1.5; kill -KILL %1'` }
      : {}),
  };

  it('is not told when it is only quiet', async () => {
    const heard = Object.entries(QUIET).map(async ([what, command]) => [what, await told(command, 1)] as const);
    expect(await Promise.all(heard)).toEqual(Object.keys(QUIET).map((what) => [what, []]));
  });
});
