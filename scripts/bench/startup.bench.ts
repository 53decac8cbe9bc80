import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newFolder, type Started, startBareWindow, startGatehouse, workingSetMb } from './electron-starts.js';
import type { Compare } from './harness.js';
import { drawStart } from './start-flame.js';

const IDLE_MS = 3000;

export async function run(compare: Compare): Promise<void> {
  const readyAfter = (start: () => Promise<Started>) => async () => {
    const started = await start();
    await started.end();
    return started.readyAfterMs;
  };
  await compare({
    name: 'Time to the first window that can be used, at the very first start',
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: readyAfter(() => startGatehouse()) },
    peer: { name: 'bare Electron window', sample: readyAfter(() => startBareWindow()) },
    warmUp: 2,
    samples: 15,
    goal: { atMost: 1.5 },
  });
  const [ours, bares] = [newFolder(), newFolder()];
  await compare({
    name: 'Time to the first window that can be used, at any later start',
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: readyAfter(() => startGatehouse(ours)) },
    peer: { name: 'bare Electron window', sample: readyAfter(() => startBareWindow(bares)) },
    warmUp: 2,
    samples: 15,
    goal: { atMost: 1.5 },
  });
  for (const folder of [ours, bares]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  // Where the time goes, to be looked at: the bars' places say what to take out next.
  await drawStart(join('artifacts', 'start-flame.svg'));
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
    subject: { name: 'Gatehouse', sample: whenIdle(() => startGatehouse()) },
    peer: { name: 'bare Electron window', sample: whenIdle(() => startBareWindow()) },
    warmUp: 1,
    samples: 5,
    goal: { atMost: 1.3 },
  });
}
