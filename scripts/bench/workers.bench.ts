import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { WorkerPlan, WorkerRunner } from '../../src-main/domain/ports/sources/worker.js';
import { openTestRedactor } from '../../src-main/platform/redaction/redactor.test-support.js';
import { findConfinement } from '../../src-main/process/confinement/availability.js';
import { findEngine, removalArguments, runEngine } from '../../src-main/process/workers/engines.js';
import { makeShellImage } from '../../src-main/process/workers/shell-image.test-support.js';
import { createWorkerRunner, type WorkerRunnerOptions } from '../../src-main/process/workers/worker-runner.js';
import type { Compare } from './harness.js';

const SERVER = `require('node:http').createServer((q, r) => r.end('{}')).listen(process.env.PORT, '127.0.0.1', () => console.log('listens'))`;

/** A job’s worker from nothing to the moment in which it can be asked: what our joining adds to what holds it. */
export async function run(compare: Compare): Promise<void> {
  const available = await findConfinement(process.platform);
  if (!available.available) return;
  mkdirSync('artifacts', { recursive: true });
  const base = realpathSync(mkdtempSync(resolve('artifacts', 'bench-workers-')));
  const packageFolder = join(base, 'package');
  mkdirSync(packageFolder);
  writeFileSync(join(packageFolder, 'server.cjs'), SERVER);
  const options: WorkerRunnerOptions = {
    confinement: async () => available,
    writable: () => [],
    runningFolder: join(base, 'running'),
    containersNote: join(base, 'containers'),
    builtImages: join(base, 'built-images.json'),
    redactor: openTestRedactor(),
    record: { recordStart: () => undefined, recordEnd: () => undefined },
    log: (message) => process.stderr.write(`${message}\n`),
  };
  const runner = createWorkerRunner(options);
  const plan: WorkerPlan = {
    domainId: 'bench',
    version: '1',
    worker: 'job',
    packageFolder,
    packageDigest: 'bench',
    runs: { kind: 'command', command: ['node', 'server.cjs'], portEnv: 'PORT' },
    gvisor: false,
    egress: [],
    secrets: {},
    limits: { memoryMb: 512, processes: 64, cpus: 2 },
  };
  try {
    await compare({
      name: 'Start of a job’s worker, to the moment it listens: a program',
      unit: 'ms',
      subject: { name: 'Gatehouse', sample: () => startOf(runner, plan) },
      peer: {
        name: 'bare bubblewrap',
        sample: () => bareStart('bwrap', [...BARE_SANDBOX(packageFolder), 'node', 'server.cjs']),
      },
      warmUp: 3,
      samples: 20,
      goal: { atMost: 1.3 },
    });
    await containers(compare, runner, { base, plan });
  } finally {
    await runner.close();
    rmSync(base, { recursive: true, force: true });
  }
}

async function containers(
  compare: Compare,
  runner: WorkerRunner,
  { base, plan }: { readonly base: string; readonly plan: WorkerPlan },
): Promise<void> {
  const file = async (name: string, text: string): Promise<string> => {
    writeFileSync(join(base, name), text);
    return join(base, name);
  };
  const engine = await findEngine({ environment: process.env, file });
  const folder = join(base, 'workers');
  mkdirSync(folder);
  if (!makeShellImage(folder) || engine.by === null) return;
  const contained: WorkerPlan = {
    ...plan,
    packageFolder: base,
    runs: { kind: 'build', folder: 'workers', bases: {}, port: 8080 },
    // Said once it listens.
    secrets: { KEY: 'listens' },
  };
  await startOf(runner, contained);
  const images = await runEngine(engine, ['images', '-q', 'localhost/gatehouse/bench-job']);
  const image = images.stdout.trim().split('\n')[0] ?? '';
  const [program = '', ...before] = engine.words;
  const words = [
    ...before,
    'run',
    '--rm',
    '--name',
    NAME,
    '--network',
    'none',
    '-e',
    'PORT=8080',
    '-e',
    'KEY=listens',
    image,
  ];
  const remove = (): Promise<unknown> => runEngine(engine, [...removalArguments(engine), NAME]);
  await compare({
    name: 'Start of a job’s worker, to the moment it listens: a container',
    unit: 'ms',
    subject: { name: 'Gatehouse', sample: () => startOf(runner, contained) },
    peer: { name: `bare ${engine.by}`, sample: () => bareStart(program, words, engine.environment, remove) },
    warmUp: 2,
    samples: 12,
    goal: { atMost: 1.3 },
  });
  await runEngine(engine, ['rmi', '-f', image]);
}

/** A first process takes no word to end: it is removed. */
const NAME = `gatehouse-bench-${process.pid}`;

async function startOf(runner: WorkerRunner, plan: WorkerPlan): Promise<number> {
  const began = performance.now();
  const worker = await runner.start(plan, new AbortController().signal);
  const took = performance.now() - began;
  await worker.stop(0);
  return took;
}

const BARE_SANDBOX = (folder: string): readonly string[] =>
  `--unshare-all --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dev /dev --proc /proc --tmpfs /tmp --setenv PORT 8080 --ro-bind ${folder} /package --chdir /package`.split(
    ' ',
  );

/** Until it says that it listens: nobody outside could ask it. */
async function bareStart(
  program: string,
  words: readonly string[],
  env?: Readonly<Record<string, string>>,
  end?: () => Promise<unknown>,
): Promise<number> {
  const began = performance.now();
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'], env: env ?? process.env });
  const closed = once(child, 'close');
  await Promise.race([
    once(child.stdout, 'data'),
    closed.then(() => Promise.reject(new Error(`${program} ended before its server listened.`))),
  ]);
  const took = performance.now() - began;
  if (end === undefined) child.kill('SIGTERM');
  else await end();
  child.stdout.resume();
  await closed;
  return took;
}
