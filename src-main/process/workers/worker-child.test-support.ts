import type { WorkerPlan } from '../../domain/ports/sources/worker.js';
import { inside, openTestWorkers } from './workers.test-support.js';

/** An app in small, to be killed from outside: two workers of it do what they can to stay. */
const [, , script = '', image] = process.argv;
const workers = await openTestWorkers();
const wanted: Partial<WorkerPlan> =
  image === undefined
    ? {}
    : { packageFolder: image, runs: { kind: 'build', folder: 'workers', bases: {}, port: 8080 } };
const running = await Promise.all([workers.start(wanted), workers.start(wanted)]);
await Promise.all(running.map(async (worker) => inside(worker, script)));
const sockets = running.map(({ socketPath }) => socketPath);
const by = running.map(({ isolation }) => isolation.by);
process.stdout.write(`${JSON.stringify({ base: workers.base, running: workers.runningFolder, sockets, by })}\n`);
await Promise.all(running.map(async ({ ended }) => ended));
