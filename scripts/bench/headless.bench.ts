import { setTimeout as delay } from 'node:timers/promises';
import { WITHOUT_PAGES } from '../../src-main/process/start/without-display.js';
import {
  type Started,
  startBareHeadless,
  startGatehouse,
  startHeadless,
  startNode,
  workingSetMb,
} from './electron-starts.js';
import type { Compare } from './harness.js';

const IDLE_MS = 3000;

/** Without a window: against the window itself, and against what the runtime takes with nothing of ours in it. */
export async function run(compare: Compare): Promise<void> {
  if (process.platform !== 'linux') return;
  const whenIdle = (start: () => Promise<Started>) => async () => {
    const started = await start();
    await delay(IDLE_MS);
    const memory = workingSetMb(started.child.pid ?? 0);
    await started.end();
    return memory;
  };
  const ours = { name: 'Gatehouse without a window', sample: whenIdle(() => startHeadless()) };
  const few = { unit: 'MB', subject: ours, warmUp: 1, samples: 5 } as const;
  await compare({
    ...few,
    name: 'Working set without a window and with one, after 3 s of idling',
    peer: { name: 'Gatehouse with its window', sample: whenIdle(() => startGatehouse()) },
    goal: { atMost: 0.5 },
  });
  await compare({
    ...few,
    name: 'Working set without a window and of Electron as small as it can be',
    peer: { name: 'bare Electron without a window', sample: whenIdle(() => startBareHeadless(WITHOUT_PAGES)) },
  });
  await compare({
    ...few,
    name: 'Working set without a window and of the runtime as Node alone',
    peer: { name: 'ELECTRON_RUN_AS_NODE', sample: whenIdle(() => startNode()) },
  });
}
