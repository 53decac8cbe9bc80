import type { WorkerIsolation } from '../../domain/ports/sources/worker.js';
import { openTestWorkers } from './workers.test-support.js';

export interface EnginelessReport {
  /** The isolation of each. */
  readonly isolations: readonly WorkerIsolation[];
  /** The errors for whoever starts it; null where it served. */
  readonly said: readonly (string | null)[];
}

/** A program, an image and what would be built, in a process of its own: whoever starts it chooses what it finds on the machine. */
const [, , packageFolder = ''] = process.argv;
const workers = await openTestWorkers();
const plans = [
  workers.plan(),
  workers.plan({ packageFolder, runs: { kind: 'image', image: 'localhost/any', id: 'sha256:0', port: 8080 } }),
  workers.plan({ packageFolder, runs: { kind: 'build', folder: 'workers', bases: {}, port: 8080 } }),
];
const isolations: WorkerIsolation[] = [];
const said: (string | null)[] = [];
for (const plan of plans) {
  isolations.push(await workers.runner.isolationOf(plan));
  try {
    const worker = await workers.runner.start(plan, new AbortController().signal);
    await worker.stop(0);
    said.push(null);
  } catch (error) {
    said.push((error as Error).message);
  }
}
await workers[Symbol.asyncDispose]();
process.stdout.write(`${JSON.stringify({ isolations, said } satisfies EnginelessReport)}\n`);
