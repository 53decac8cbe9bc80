import { setTimeout as delay } from 'node:timers/promises';
import { type Started, startBareWindow, startGatehouse, workingSetMb } from './electron-starts.js';
import type { Compare } from './harness.js';

const IDLE_MS = 3000;

export async function run(compare: Compare): Promise<void> {
  const readyAfter = (start: () => Promise<Started>) => async () => {
    const started = await start();
    await started.end();
    return started.readyAfterMs;
  };
  await compare({
    name: 'Time to the first window that can be used',
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: readyAfter(startGatehouse) },
    peer: { name: 'bare Electron window', sample: readyAfter(startBareWindow) },
    warmUp: 2,
    samples: 15,
    goal: { atMost: 1.5 },
  });
  if (process.platform !== 'linux') return;
  const whenIdle = (start: () => Promise<Started>) => async () => {
    const started = await start();
    await delay(IDLE_MS);
    const memory = workingSetMb(started.child.pid ?? 0);
    await started.end();
    return memory;
  };
  await compare({
    name: 'Working set of all processes, after 3 s of idling',
    unit: 'MB',
    subject: { name: 'Gatehouse', sample: whenIdle(startGatehouse) },
    peer: { name: 'bare Electron window', sample: whenIdle(startBareWindow) },
    warmUp: 1,
    samples: 5,
    goal: { atMost: 1.3 },
  });
}
