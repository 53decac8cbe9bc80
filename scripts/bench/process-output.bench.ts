import { monitorEventLoopDelay } from 'node:perf_hooks';
import { spawn } from 'node-pty';
import { openTestRunner } from '../../src-main/process/process.test-support.js';
import type { Compare } from './harness.js';

const BYTES = 200_000_000;
const COMMAND = `yes "a line that is as long as lines of output are on the whole, or nearly so" | head -c ${BYTES}`;

/** Output through the whole pump (terminal, cleaning, store, model's copy, view) against node-pty alone. */
export async function run(compare: Compare): Promise<void> {
  await using runner = await openTestRunner();
  const growth: number[] = [];
  const delays: number[] = [];

  const throughPump = async (): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    const before = process.memoryUsage().rss;
    let peak = before;
    const started = performance.now();
    delay.enable();
    const result = await runner.run(COMMAND, {
      settings: { confinement: 'off' },
      onOutput: () => {
        peak = Math.max(peak, process.memoryUsage().rss);
        return Promise.resolve();
      },
    });
    delay.disable();
    if (result.outputBytes !== BYTES || result.storedOutputs[0]?.bytes !== BYTES) throw new Error('output was lost');
    growth.push((peak - before) / 1e6);
    delays.push(delay.percentile(99) / 1e6);
    return mbPerSecond(performance.now() - started);
  };

  await compare({
    name: '200 MB of a command’s output',
    unit: 'MB/s',
    samples: 3,
    warmUp: 1,
    subject: { name: 'whole pump', sample: throughPump },
    peer: { name: 'bare node-pty', sample: bare },
    goal: { atLeast: 0.7 },
  });
  await compare({
    name: 'Memory that 200 MB of output take meanwhile',
    unit: 'MB',
    samples: 3,
    warmUp: 0,
    subject: { name: 'growth', sample: () => growth.pop() ?? Number.NaN },
    peer: { name: 'what is allowed', sample: () => 64 },
    goal: { atMost: 1 },
  });
  await compare({
    name: 'Delay of the main thread meanwhile (p99)',
    unit: 'ms',
    samples: 3,
    warmUp: 0,
    subject: { name: 'delay', sample: () => delays.pop() ?? Number.NaN },
    peer: { name: 'what is allowed', sample: () => 50 },
    goal: { atMost: 1 },
  });
}

function bare(): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    const terminal = spawn('/bin/sh', ['-c', COMMAND], { encoding: null, cols: 120, rows: 30 });
    terminal.onData(() => undefined);
    terminal.onExit(() => resolve(mbPerSecond(performance.now() - started)));
  });
}

const mbPerSecond = (ms: number): number => BYTES / 1000 / ms;
