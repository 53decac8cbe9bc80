import { describe, expect, it } from 'vitest';
import { openPrison, takenBy } from './escapes.test-support.js';
import { expectHeld } from './taken-resources.test-support.js';
import { openTestWorkers } from './workers.test-support.js';
import { PACKAGE } from './worker-sandbox.js';

describe('from inside a confined worker', () => {
  it('nobody gets out', async () => {
    await using workers = await openTestWorkers();
    const plan = workers.plan({ egress: ['example.com:443'] });
    await using prison = await openPrison(workers, plan, PACKAGE);
    if (process.getuid?.() === 0) expect(prison.impossibleOutside()).toEqual([]);
    await using worker = await workers.started(plan);
    expect(await prison.escapedFrom(worker)).toEqual([]);
  });

  it('nobody takes more than the worker’s share', async () => {
    await using workers = await openTestWorkers();
    expectHeld(await takenBy(workers, workers.plan({ limits: { memoryMb: 256, processes: 32, cpus: 1 } })));
  });
});
