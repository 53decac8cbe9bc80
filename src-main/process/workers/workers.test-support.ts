import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ProgramEnded, ProgramStarted } from '../../domain/call/program-facts.js';
import type { RunningWorker, WorkerPlan, WorkerRunner } from '../../domain/ports/sources/worker.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { type Availability, findConfinement } from '../confinement/availability.js';
import { createWorkerRunner } from './worker-runner.js';

/** Runs what it is posted as a shell does, and gives what that said: whoever asks it is inside the worker. */
export const SHELL_SERVER = String.raw`
use strict; use IO::Socket::INET;
$SIG{CHLD} = 'IGNORE';
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ENV{PORT}, Listen => 32) or die "no port: $!";
print "ready with $ENV{KEY}\n" if $ENV{KEY}; $| = 1;
while (1) {
  my $client = $server->accept or next;
  if (fork) { close $client; next }
  $SIG{CHLD} = 'DEFAULT';
  my $length = 0;
  while (my $line = <$client>) { $length = $1 if $line =~ /^content-length: (\d+)/i; last if $line =~ /^\r?\n$/ }
  read $client, my $script, $length;
  open my $shell, '-|', 'sh', '-c', "exec 2>&1; $script" or exit 1;
  my $said = do { local $/; <$shell> } // '';
  print $client "HTTP/1.1 200 OK\r\nContent-Length: ", length $said, "\r\nConnection: close\r\n\r\n", $said;
  exit 0;
}
`;

export interface TestWorkers extends AsyncDisposable {
  readonly base: string;
  readonly runner: WorkerRunner;
  readonly packageFolder: string;
  readonly runningFolder: string;
  readonly log: string[];
  /** The recorded starts and ends; with a reason in `whyNot`, nothing can be recorded. */
  readonly recorded: { readonly started: ProgramStarted[]; readonly ended: ProgramEnded[]; whyNot: string | null };
  plan(changes?: Partial<WorkerPlan>): WorkerPlan;
  start(changes?: Partial<WorkerPlan>): Promise<RunningWorker>;
  started(plan: WorkerPlan): Promise<RunningWorker & AsyncDisposable>;
}

/** Not under /tmp, which a worker has its own of: what is refused must be refused for its own sake. */
export async function openTestWorkers(
  confinement: () => Promise<Availability> = () => findConfinement(process.platform),
  {
    path,
    writable = [],
    builtImages,
  }: { readonly path?: string; readonly writable?: readonly string[]; readonly builtImages?: string } = {},
): Promise<TestWorkers> {
  mkdirSync('artifacts', { recursive: true });
  const base = realpathSync(mkdtempSync(resolve('artifacts', 'w-')));
  const [packageFolder, runningFolder] = [join(base, 'package'), join(base, 'running-programs')];
  mkdirSync(packageFolder);
  writeFileSync(join(packageFolder, 'shell-server.pl'), SHELL_SERVER);
  const log: string[] = [];
  const recorded: TestWorkers['recorded'] = { started: [], ended: [], whyNot: null };
  const known = confinement();
  const runner = createWorkerRunner({
    confinement: () => known,
    ...(path !== undefined && { environment: { ...process.env, PATH: path } }),
    writable: () => writable,
    runningFolder,
    containersNote: join(base, 'containers'),
    builtImages: builtImages ?? join(base, 'built-images.json'),
    redactor: openTestRedactor(),
    record: {
      recordStart: (facts) => {
        if (recorded.whyNot !== null) throw new Error(recorded.whyNot);
        recorded.started.push(facts);
      },
      recordEnd: (facts) => void recorded.ended.push(facts),
    },
    log: (message) => log.push(message),
  });
  const plan: TestWorkers['plan'] = (changes = {}) => ({
    domainId: 'tests',
    version: '1',
    worker: 'shell',
    packageFolder,
    packageDigest: 'of the package',
    runs: { kind: 'command', command: ['perl', 'shell-server.pl'], portEnv: 'PORT' },
    gvisor: false,
    egress: [],
    secrets: {},
    limits: { memoryMb: 256, processes: 64, cpus: 1 },
    ...changes,
  });
  return {
    base,
    runner,
    packageFolder,
    runningFolder,
    log,
    recorded,
    plan,
    start: (changes) => runner.start(plan(changes), new AbortController().signal),
    async started(wanted) {
      const worker = await runner.start(wanted, new AbortController().signal);
      return { ...worker, [Symbol.asyncDispose]: () => worker.stop(0) };
    },
    async [Symbol.asyncDispose]() {
      await runner.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Sends a script to a shell inside and returns its answer. */
export function inside(worker: RunningWorker, script: string): Promise<string> {
  const { promise, resolve: resolveWith, reject } = Promise.withResolvers<string>();
  const asked = request({ socketPath: worker.socketPath, method: 'POST', path: '/run', agent: false }, (answer) => {
    text(answer).then(resolveWith, reject);
  });
  asked.once('error', reject);
  // What hangs in there is no reason to wait for ever.
  asked.setTimeout(120_000, () => asked.destroy(new Error(`No answer to: ${script.slice(-200)}`)));
  asked.end(script);
  return promise;
}
