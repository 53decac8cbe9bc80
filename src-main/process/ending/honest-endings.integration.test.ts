import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processTree } from './proc-table.js';
import { openTestRunner, type RunOptions } from '../process.test-support.js';

/** How a command ended is for the system to say, not for the command; and what ran is never told as if it had not. */
describe.each(['off', 'required'] as const)('how it ended, confinement %s', (confinement) => {
  it.each([
    ['with the mark of its processes', `printf '\\036%s 0\\036' "$GATEHOUSE_CALL"`],
    [
      'with whatever it finds in the processes above it and their files',
      `for pid in $PPID $(cut -d' ' -f4 /proc/$PPID/stat); do
        for word in $(tr '\\0' '\\n' < /proc/$pid/cmdline) $(tr '\\0' '\\n' < /proc/$pid/environ); do
          printf '\\036%s 0\\036' "$word"
          case $word in *.ask) [ -r "$word" ] && tr '\\0' '\\n' < "$word" | while read -r mark; do printf '\\036%s 0\\036' "$mark"; done ;; esac
        done
      done 2>/dev/null`,
    ],
  ])('is not forged %s', async (_how, forgery) => {
    await using runner = await openTestRunner();
    const { ending } = await runner.run(`${forgery}; sleep 0.1; exit 3`, { settings: { confinement } });
    expect(ending).toEqual({ kind: 'exited', code: 3 });
  });

  it('nothing is run a second time because it says that it was not run', async () => {
    await using runner = await openTestRunner();
    let starts = 0;
    const { ending } = await runner.run(
      `trap '' TERM; echo x >> made; echo 'bwrap: Cannot do it' >&2; printf '\\036%s 1\\036' "$GATEHOUSE_CALL"; sleep 0.1; exit 1`,
      { settings: { confinement }, onEvent: ({ type }) => void (starts += type === 'started' ? 1 : 0) },
    );
    expect(ending).toEqual({ kind: 'exited', code: 1 });
    expect(readFileSync(join(runner.workspace, 'made'), 'utf8')).toBe('x\n');
    expect(starts).toBe(1);
  });

  it.each([
    [129, 'SIGHUP'],
    [137, 'SIGKILL'],
    [152, 'SIGXCPU'],
  ])('keeps the code %i, which may stand for %s and may not', async (code, signal) => {
    await using runner = await openTestRunner();
    const { ending } = await runner.run(`exit ${code}`, { settings: { confinement } });
    expect(ending).toEqual({ kind: 'signalled', signal, code });
  });

  it('keeps the code where its last words speak of a limit', async () => {
    await using runner = await openTestRunner();
    const { ending } = await runner.run(`echo '1 test failed: rejects with "File too large"'; exit 7`, {
      settings: { confinement },
    });
    expect(ending).toEqual({ kind: 'limit', limit: 'max_file_bytes', code: 7 });
  });

  const BEFORE_IT_BEGINS: Readonly<Record<string, (stop: AbortController) => Partial<RunOptions>>> = {
    'while it is made ready': (stop) => (queueMicrotask(() => stop.abort()), {}),
    'as its start is recorded': (stop) => ({ onEvent: () => stop.abort() }),
  };
  it.each(Object.entries(BEFORE_IT_BEGINS))('stopped %s, it does not begin', async (_when, stopping) => {
    await using runner = await openTestRunner();
    const stop = new AbortController();
    const { ending, confinement: inForce } = await runner.run('touch began', {
      settings: { confinement, kill_grace_ms: 60_000 },
      signal: stop.signal,
      ...stopping(stop),
    });
    expect({ ending, inForce }).toEqual({ ending: { kind: 'stopped' }, inForce: null });
    expect(existsSync(join(runner.workspace, 'began'))).toBe(false);
  });

  it('what fails before it begins leaves no process behind, and it is told that nothing ran', async () => {
    await using runner = await openTestRunner();
    const ours = () => processTree(process.pid).length;
    await runner.run('true', { settings: { confinement } });
    const before = await restOf(ours);
    for (let time = 0; time < 4; time += 1) {
      const { ending } = await runner.run('touch began', {
        settings: { confinement },
        onEvent: () => {
          throw new Error('the journal said no');
        },
      });
      expect(ending).toEqual({ kind: 'unstartable', reason: 'The command could not be started: the journal said no' });
    }
    await expect.poll(ours).toBeLessThanOrEqual(before);
    expect(existsSync(join(runner.workspace, 'began'))).toBe(false);
  });

  it('is told though the command left the terminal full, and not waiting for who writes', async () => {
    const released = Promise.withResolvers<void>();
    await using runner = await openTestRunner(undefined, {
      outputs: (files) => ({
        seal: () => null,
        open(...args) {
          const sink = files.open(...args);
          return {
            finish: () => sink.finish(),
            abandon: () => sink.abandon(),
            write: async (bytes) => (await released.promise, sink.write(bytes)),
          };
        },
      }),
    });
    const fills = `perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK); my $misses = 0;
      while ($misses < 20) { defined syswrite(STDOUT, "x" x 4096) ? ($misses = 0) : ($misses++, select(undef, undef, undef, 0.01)) }'`;
    const running = runner.run(`${fills}; touch done; exit 4`, {
      settings: { confinement, max_output_file_bytes: 1_000_000_000 },
    });
    await expect.poll(() => existsSync(join(runner.workspace, 'done'))).toBe(true);
    released.resolve();
    expect((await running).ending).toEqual({ kind: 'exited', code: 4 });
  });
});

describe('what it was, though something of ours failed', () => {
  it('keeps the output of a command that took its own folder away', async () => {
    await using runner = await openTestRunner();
    writeFileSync(join(runner.workspace, 'kept.txt'), 'kept');
    const result = await runner.run('rm -rf "$PWD"; echo gone', { settings: { confinement: 'off' } });
    expect(result).toMatchObject({ ending: { kind: 'exited', code: 0 }, stdout: 'gone\n' });
    expect(result.changedFiles).toMatchObject([{ path: 'kept.txt', change: 'deleted' }]);
  });

  it('keeps what it changed and said where its whole output could not be stored', async () => {
    let abandoned = 0;
    await using runner = await openTestRunner(undefined, {
      outputs: () => ({
        seal: () => null,
        open: () => ({
          write: () => Promise.resolve(true),
          finish: () => Promise.reject(new Error('the disk said no')),
          abandon: async () => void (abandoned += 1),
        }),
      }),
    });
    const result = await runner.run('echo hello; echo x > made');
    expect(result).toMatchObject({ ending: { kind: 'exited', code: 0 }, stdout: 'hello\n', storedOutputs: [] });
    expect(result.changedFiles.map(({ path }) => path)).toEqual(['made']);
    expect(abandoned).toBe(1);
    expect(runner.log).toEqual([expect.stringContaining('the disk said no')]);
  });

  it('gives nothing of what the shell says before it begins', async () => {
    const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'xx_YY.UTF-8' };
    for (let time = 0; time < 3; time += 1) {
      await using runner = await openTestRunner(environment);
      expect((await runner.run('echo hello', { settings: { confinement: 'off' } })).stdout).toBe('hello\n');
    }
  });
});

/** Once it is the same for a second: what is made ready for the next command is there. */
async function restOf(count: () => number): Promise<number> {
  let last = count();
  for (let same = 0; same < 10; same += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (count() !== last) same = 0;
    last = count();
  }
  return last;
}
