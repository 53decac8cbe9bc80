import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WorkerPlan } from '../../domain/ports/sources/worker.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';
import { containerLabel, removeLeftContainers } from './container-removal.js';
import { type ContainerEngine, findEngine, runEngine } from './engines.js';
import { openPrison, takenBy } from './escapes.test-support.js';
import { makeShellImage } from './shell-image.test-support.js';
import { expectHeld } from './taken-resources.test-support.js';
import { inside, openTestWorkers } from './workers.test-support.js';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-engine-'));
const file = async (name: string, text: string): Promise<string> => {
  writeFileSync(join(place, name), text);
  return join(place, name);
};
const engine = await findEngine({ environment: process.env, file });
const image = join(place, 'workers');
mkdirSync(image);
const isBuildable = makeShellImage(image);
const why =
  engine.by === null ? engine.problem : isBuildable ? null : 'perl-base and busybox are not as Debian has them.';
if (why !== null) process.stderr.write(`Workers in containers are not tried here: ${why}\n`);

const plan = (workers: { plan(changes?: Partial<WorkerPlan>): WorkerPlan }, changes: Partial<WorkerPlan> = {}) =>
  workers.plan({ packageFolder: place, runs: { kind: 'build', folder: 'workers', bases: {}, port: 8080 }, ...changes });
const containers = async (found: ContainerEngine, note: string): Promise<string> =>
  (await runEngine(found, ['ps', '-aq', '--filter', `label=${containerLabel(note)}`])).stdout.trim();

describe.skipIf(why !== null)('a worker in a container', () => {
  const found = engine as ContainerEngine;
  let child = '';
  beforeAll(async () => {
    child = await buildRunnerChild('src-main/process/workers/worker-child.test-support.ts');
  });
  afterAll(async () => {
    const images = await runEngine(found, ['images', '-q', 'localhost/gatehouse/tests-shell']);
    await runEngine(found, ['rmi', '-f', ...new Set(images.stdout.split('\n').filter((id) => id !== ''))]);
    for (const path of [child, place]) rmSync(path, { recursive: true, force: true });
  });

  it('is built from what is here, reached, held, and gone at its end', async () => {
    await using workers = await openTestWorkers();
    const wanted = plan(workers, { secrets: { KEY: 'sk-mine-1234' }, egress: ['example.com:443'] });
    const isolation = await workers.runner.isolationOf(wanted);
    expect(isolation.by).toBe(found.by);
    const worker = await workers.runner.start(wanted, new AbortController().signal);
    expect(worker.isolation).toEqual(isolation);
    const said = await inside(
      worker,
      'echo $KEY; id -u; grep -E "^(CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; touch /x',
    );
    expect(said).toMatch(/^sk-mine-1234\n[1-9]\d{4}\nCapBnd:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n.*Read-only/su);
    expect(worker.log()).toBe('ready with [redacted]\n');
    const mark = worker.mark();
    await inside(
      worker,
      `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in(3128, INADDR_LOOPBACK)); syswrite S, "CONNECT example.org:443 HTTP/1.1\\r\\n\\r\\n"; <S>'`,
    );
    expect(worker.trafficSince(mark)).toEqual({ reached: [], refused: ['example.org:443'] });
    await worker.stop(0);
    expect((await worker.ended).signal).toBe('SIGKILL');
    expect(await containers(found, join(workers.base, 'containers'))).toBe('');
    expect(workers.log).toEqual([]);
  });

  it('that has no image, or never listens, is told as what it is', async () => {
    await using workers = await openTestWorkers();
    const none = workers.start({ runs: { kind: 'image', image: 'localhost/gatehouse/none:1', id: null, port: 1 } });
    await expect(none).rejects.toThrow('is not on this machine');
    const other = plan(workers, { runs: { kind: 'build', folder: '.', bases: {}, port: 1 } });
    await expect(workers.runner.start(other, new AbortController().signal)).rejects.toThrow(
      'There is no Containerfile',
    );
    mkdirSync(join(place, 'wrong'));
    makeShellImage(join(place, 'wrong'));
    writeFileSync(join(place, 'wrong', 'Containerfile'), 'FROM scratch\nCOPY root/ /\nCMD ["/nowhere"]\n');
    const wrong = plan(workers, { runs: { kind: 'build', folder: 'wrong', bases: {}, port: 1 } });
    await expect(workers.runner.start(wrong, new AbortController().signal)).rejects.toThrow('/nowhere');
  });

  it('lets nobody out', async () => {
    await using workers = await openTestWorkers();
    const wanted = plan(workers, { egress: ['example.com:443'] });
    await using prison = await openPrison(workers, wanted, '/usr');
    await using worker = await workers.started(wanted);
    expect(await prison.escapedFrom(worker)).toEqual([]);
  });

  it('takes no more than its share', async () => {
    await using workers = await openTestWorkers();
    const bounded = plan(workers, { limits: { memoryMb: 256, processes: 32, cpus: 1 } });
    const markOfConmon = (): number | undefined => statSync('/oom', { throwIfNoEntry: false })?.ctimeMs;
    const before = markOfConmon();
    expectHeld(await takenBy(workers, bounded), found.holds.memory);
    // That its memory ended is noted nowhere on the machine.
    expect(markOfConmon()).toBe(before);
  });

  it('ends with an app that is killed, and where not, with its next start', async () => {
    const app = spawn(process.execPath, [child, 'echo', place], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    });
    onTestFinished(() => void app.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
    const { base } = JSON.parse(line) as { base: string };
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    const note = join(base, 'containers');
    expect((await containers(found, note)).split('\n')).toHaveLength(2);
    app.kill('SIGKILL');
    await expect.poll(() => containers(found, note)).toBe('');
    expect(existsSync(note)).toBe(true);
    // As if whoever waits for our end had been ended too.
    const built = await runEngine(found, ['images', '-q', 'localhost/gatehouse/tests-shell']);
    await runEngine(found, ['create', '--label', containerLabel(note), built.stdout.trim().split('\n')[0] ?? '']);
    expect(await containers(found, note)).not.toBe('');
    const said: string[] = [];
    await removeLeftContainers(note, (message) => said.push(message));
    expect([await containers(found, note), existsSync(note), said]).toEqual(['', false, []]);
  });
});
