import { escapesTried, openPrison, type TakenResources, takenBy } from './escapes.test-support.js';
import type { RunningWorker, WorkerIsolation } from '../../domain/ports/sources/worker.js';
import { inside, openTestWorkers } from './workers.test-support.js';

export interface EngineReport {
  readonly isolation: WorkerIsolation;
  readonly tried: number;
  readonly escaped: readonly string[];
  readonly taken: TakenResources;
  /** The kernel that serves it, as it sees it. */
  readonly kernel: string;
  readonly user: string;
  readonly log: string;
  readonly pid: number | null;
  readonly base: string;
}

/**
 * A program that tries all that is to be tried of an engine, in a process of its own: whoever starts it chooses its
 * user, and what it finds on the machine.
 */
const [, , image = '', kind = ''] = process.argv;
const workers = await openTestWorkers();
const wanted = workers.plan({
  packageFolder: image,
  runs: { kind: 'build', folder: 'workers', bases: {}, port: 8080 },
  egress: ['example.com:443'],
  gvisor: kind === 'gvisor',
});
const start = () => workers.runner.start(wanted, new AbortController().signal);
/** gVisor's kernel is a program, and asks nobody whether it may hang: to its own engine it gives no answer then. */
const hang = ({ pid }: RunningWorker): void => void (kind === 'gvisor' && pid !== null && process.kill(pid, 'SIGSTOP'));
const hung = await start();
hang(hung);
await hung.stop(0);
const worker = await start();
const prison = await openPrison(workers, wanted, '/usr');
const escaped = await prison.escapedFrom(worker);
await prison[Symbol.asyncDispose]();
const report: EngineReport = {
  isolation: worker.isolation,
  tried: escapesTried,
  escaped,
  taken: await takenBy(workers, { ...wanted, limits: { memoryMb: 256, processes: 32, cpus: 1 } }),
  kernel: await inside(worker, 'cat /proc/version'),
  user: (await inside(worker, 'id -u')).trim(),
  log: worker.log(),
  pid: worker.pid,
  base: workers.base,
};
hang(worker);
process.stdout.write(`${JSON.stringify(report)}\n`);
// To be killed with a worker that runs.
await worker.ended;
