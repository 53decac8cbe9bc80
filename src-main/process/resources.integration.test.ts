import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { findCommandGroup } from './ending/command-group.js';
import { processTree } from './ending/proc-table.js';
import { openTestRunner, type RunOptions } from './process.test-support.js';

/** The resources that this process holds open, by kind. */
function held() {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return 'gone';
    }
  });
  return {
    terminals: targets.filter((target) => target.includes('ptmx')).length,
    pipes: targets.filter((target) => target.includes('gatehouse-')).length,
    files: targets.filter((target) => target.includes('artifacts')).length,
    all: targets.filter((target) => target !== 'gone').length,
    processes: processTree(process.pid).filter(({ pid }) => pid !== process.pid).length,
  };
}

/** Once ten looks in a row, within a second, see the same. */
async function atRest(): Promise<ReturnType<typeof held>> {
  let last = held();
  for (let same = 0; same < 10; same += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = held();
    if (JSON.stringify(now) !== JSON.stringify(last)) same = 0;
    last = now;
  }
  return last;
}

/** Stopped some time after it spoke. A look is due before: its timer was set earlier, and for less. */
function stoppedOnceLookedAt(): Pick<RunOptions, 'signal' | 'onOutput'> {
  const stop = new AbortController();
  const onOutput = () => Promise.resolve(void setTimeout(() => stop.abort(), 2500));
  return { signal: stop.signal, onOutput };
}

describe('what commands cost the app', () => {
  it.each(['off', 'required'] as const)('fifty in a row leave nothing open (confinement %s)', async (confinement) => {
    await using runner = await openTestRunner();
    const signal = new AbortController().signal;
    const command = 'echo out; echo err >&2; sleep 600 & true';
    await runner.run(command, { settings: { confinement, kill_grace_ms: 0 }, signal });
    // One supervisor is always made ready for the next command: at rest, that is all there is.
    const before = await atRest();
    const marks: string[] = [];
    const onEvent: RunOptions['onEvent'] = (event) => {
      if (event.type === 'started') marks.push(event.mark);
    };
    const listeners = process.eventNames().map((name) => process.listenerCount(name));
    for (let count = 0; count < 50; count += 1) {
      const { ending } = await runner.run(command, { settings: { confinement, kill_grace_ms: 0 }, signal, onEvent });
      expect(ending).toEqual({ kind: 'exited', code: 0 });
    }
    expect(await atRest()).toEqual(before);
    expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(listeners);
    expect(marks.filter((mark) => findCommandGroup(mark) !== null)).toEqual([]);
    expect(marks).toHaveLength(50);
    expect(runner.log).toEqual([]);
  });

  it('a gigabyte goes through in bounded memory, to the byte', async () => {
    await using runner = await openTestRunner();
    const bytes = 1_000_000_000;
    const before = process.memoryUsage().rss;
    let peak = 0;
    const result = await runner.run(
      `yes "a line that is as long as lines of output are on the whole, or nearly" | head -c ${bytes}`,
      {
        settings: { confinement: 'off', max_output_file_bytes: bytes },
        onOutput: () => {
          peak = Math.max(peak, process.memoryUsage().rss);
          return Promise.resolve();
        },
      },
    );
    expect(result.ending).toEqual({ kind: 'exited', code: 0 });
    expect(result.outputBytes).toBe(bytes);
    expect(result.storedOutputs[0]?.bytes).toBe(bytes);
    const stored = createHash('sha256');
    await pipeline(createReadStream(join(runner.outputs, `${runner.lastCall()}.stdout`)), stored);
    expect(result.storedOutputs[0]?.sha256).toBe(stored.digest('hex'));
    expect(peak - before).toBeLessThan(256 * 1024 * 1024);
  });

  it('records what the command used', async () => {
    await using runner = await openTestRunner();
    const { cpuMs, peakMemoryBytes } = await runner.run(
      `perl -e '$| = 1; $x = "a" x 50_000_000; $s += $_ for 1..10_000_000; print "done"; sleep 600'`,
      stoppedOnceLookedAt(),
    );
    expect(cpuMs).toBeGreaterThan(50);
    expect(peakMemoryBytes).toBeGreaterThan(40_000_000);
  });

  it.each(['off', 'required'] as const)(
    'records a peak that was over before anybody looked (%s)',
    async (confinement) => {
      await using runner = await openTestRunner();
      // All of it is given back at once: what is in use later says nothing of it.
      const { peakMemoryBytes } = await runner.run(
        `perl -e '$| = 1; my $n = 200_000_000; my $x = "a" x $n; undef $x; print "done"; sleep 600'`,
        { settings: { confinement, kill_grace_ms: 50 }, ...stoppedOnceLookedAt() },
      );
      expect(peakMemoryBytes).toBeGreaterThanOrEqual(200_000_000);
      expect(peakMemoryBytes).toBeLessThan(600_000_000);
    },
  );

  it('knows something even of short commands', async () => {
    await using runner = await openTestRunner();
    const peaks: number[] = [];
    for (let count = 0; count < 20; count += 1) {
      peaks.push((await runner.run('sleep 0.02', { settings: { confinement: 'off' } })).peakMemoryBytes);
    }
    // A busy machine may let some of them go by.
    expect(peaks.filter((peak) => peak > 500_000).length).toBeGreaterThan(5);
  });
});
