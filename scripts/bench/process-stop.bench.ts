import { openTestRunner } from '../../src-main/process/process.test-support.js';
import { carriesMark } from '../../src-main/process/ending/call-mark.js';
import { listProcesses, isAlive } from '../../src-main/process/ending/proc-table.js';
import type { Compare } from './harness.js';

/** Twenty processes that ignore what asks them to end, some in sessions of their own. */
const TREE = `
trap '' HUP TERM INT
for i in 1 2 3 4 5 6 7 8 9; do sleep 600 & setsid sleep 600 & done
echo ready
wait
`;

/** From cancel to no survivor, with no grace. */
export async function run(compare: Compare): Promise<void> {
  await using runner = await openTestRunner();
  const stopped = (confinement: 'off' | 'required') => async (): Promise<number> => {
    const stop = new AbortController();
    let mark = '';
    let began = 0;
    await runner.run(TREE, {
      settings: { confinement, kill_grace_ms: 0 },
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'started') mark = event.mark;
      },
      onOutput: () => {
        began = performance.now();
        stop.abort();
        return Promise.resolve();
      },
    });
    const took = performance.now() - began;
    const left = listProcesses().filter((facts) => isAlive(facts) && carriesMark(facts, mark));
    if (left.length > 0) throw new Error(`${left.length} processes survived`);
    return took;
  };
  await compare({
    name: 'Cancel to no survivor, a tree of 20 processes',
    unit: 'ms',
    samples: 200,
    subject: { name: 'unconfined', sample: stopped('off') },
    peer: { name: 'confined', sample: stopped('required') },
  });
}
