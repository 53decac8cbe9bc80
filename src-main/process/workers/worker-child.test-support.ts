import { inside, openTestWorkers } from './workers.test-support.js';

/** An app in small, to be killed from outside: two workers of it do what they can to stay. */
const [, , script = ''] = process.argv;
const workers = await openTestWorkers();
const running = await Promise.all([workers.start(), workers.start()]);
await Promise.all(running.map(async (worker) => inside(worker, script)));
const sockets = running.map(({ socketPath }) => socketPath);
process.stdout.write(`${JSON.stringify({ base: workers.base, running: workers.runningFolder, sockets })}\n`);
await Promise.all(running.map(async ({ ended }) => ended));
