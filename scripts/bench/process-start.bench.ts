import { spawn } from 'node-pty';
import { openTestRunner } from '../../src-main/process/process.test-support.js';
import type { Compare } from './harness.js';

/** From “approved” to the first byte of a trivial command. Both come after a pause, as a person’s yes does. */
export async function run(compare: Compare): Promise<void> {
  await using runner = await openTestRunner();
  const ours = (confinement: 'off' | 'required') => async (): Promise<number> => {
    await pause();
    const started = performance.now();
    let first = Number.NaN;
    await runner.run('echo x', {
      settings: { confinement },
      onOutput: () => {
        if (Number.isNaN(first)) first = performance.now() - started;
        return Promise.resolve();
      },
    });
    return first;
  };
  const bare = async (): Promise<number> => {
    await pause();
    const started = performance.now();
    return new Promise((resolve) => {
      const terminal = spawn('/bin/sh', ['-c', 'echo x'], { encoding: null, cols: 120, rows: 30 });
      let first = Number.NaN;
      terminal.onData(() => {
        first = performance.now() - started;
      });
      terminal.onExit(() => resolve(first));
    });
  };
  const peer = { name: 'bare node-pty', sample: bare };
  await compare({
    name: 'First byte of a trivial command, unconfined',
    unit: 'ms',
    samples: 40,
    subject: { name: 'run_command', sample: ours('off') },
    peer,
    goal: { atMost: 1.5 },
  });
  await compare({
    name: 'First byte of a trivial command, confined',
    unit: 'ms',
    samples: 40,
    subject: { name: 'run_command', sample: ours('required') },
    peer,
  });
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));
