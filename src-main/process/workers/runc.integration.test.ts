import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { WorkerPlan } from '../../domain/ports/sources/worker.js';
import { clearFolders } from '../../workspace/handles/clear-folders.js';
import { findConfinement } from '../confinement/availability.js';
import { clearAbandonedPrograms } from '../programs/program-places.js';
import { reapPrograms } from '../programs/running-list.js';
import { asUser } from '../reachable-project.test-support.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';
import { type EngineSearch, findEngine } from './engines.js';
import { openPrison, takenBy } from './escapes.test-support.js';
import { makeShellImage } from './shell-image.test-support.js';
import { expectHeld } from './taken.test-support.js';
import { inside, openTestWorkers, type TestWorkers } from './workers.test-support.js';

const place = mkdtempSync(join(tmpdir(), 'gatehouse-runc-'));
const made = join(place, 'workers');
mkdirSync(made);
const isBuildable = makeShellImage(made);
const onlyRunc = (search: EngineSearch) => findEngine(search, ['runc']);
const found = await onlyRunc({ environment: process.env, file: () => Promise.resolve('') });
const why =
  found.by === null ? found.problem : isBuildable ? null : 'perl-base and busybox are not as Debian has them.';
if (why !== null) process.stderr.write(`Workers in runc are not tried here: ${why}\n`);

const open = (): Promise<TestWorkers> => openTestWorkers(() => findConfinement(process.platform), onlyRunc);
const plan = (workers: TestWorkers, changes: Partial<WorkerPlan> = {}): WorkerPlan =>
  workers.plan({ packageFolder: place, runs: { kind: 'build', folder: 'workers', bases: {}, port: 8080 }, ...changes });

/** In their words, whoever they are. */
const processesWith = (isOne: (words: string) => boolean): number =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name) && name !== String(process.pid))
    .filter((pid) => {
      try {
        return isOne(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
      } catch {
        return false;
      }
    }).length;

/** In namespaces of its own the system has no other engine: whether there is one is found out as everywhere. */
const MASKED = `for each in podman docker; do for folder in /usr/bin /usr/local/bin /bin /usr/sbin; do [ ! -e $folder/$each ] || mount --bind /dev/null $folder/$each; done; done; exec "$@"`;

/** An app in small with two workers, where nothing but runc is. */
async function startApp(script: string, ordinary?: { readonly user: number; readonly folder: string }) {
  const child = await buildRunnerChild('src-main/process/workers/worker-child.test-support.ts');
  const own = [process.execPath, resolve(child), script, place];
  const words = ordinary === undefined ? own : asUser(ordinary.user, ordinary.folder, own);
  const app = spawn('/usr/bin/unshare', ['-m', '--propagation', 'private', 'sh', '-c', MASKED, 'sh', ...words], {
    cwd: ordinary?.folder ?? process.cwd(),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], TMPDIR: tmpdir(), ELECTRON_RUN_AS_NODE: '1' },
  });
  const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
  const said = JSON.parse(line) as Record<'sockets' | 'by', string[]> & Record<'running' | 'base', string>;
  return {
    app,
    ...said,
    async [Symbol.asyncDispose]() {
      if (app.exitCode === null && app.signalCode === null) {
        app.kill('SIGKILL');
        await once(app, 'close');
      }
      rmSync(child, { force: true });
    },
  };
}

describe.skipIf(why !== null)('a worker that runc runs', () => {
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it('is put together from what is here, reached, held, and gone at its end', async () => {
    await using workers = await open();
    const wanted = plan(workers, { secrets: { KEY: 'sk-"mi\\ne"-1234' }, egress: ['example.com:443'] });
    expect(await workers.runner.isolationOf(wanted)).toEqual({ by: 'runc', lacking: [] });
    const worker = await workers.runner.start(wanted, new AbortController().signal);
    const said = await inside(
      worker,
      'echo "$KEY"; id -u; grep -E "^(CapBnd|NoNewPrivs|Seccomp):" /proc/self/status; touch /x',
    );
    expect(said).toMatch(/^sk-"mi\\ne"-1234\n65534\nCapBnd:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n.*Read-only/su);
    expect(worker.log()).toBe('ready with [redacted]\n');
    await worker.stop(0);
    expect((await worker.ended).signal).toBe('SIGKILL');
    expect([workers.log, readdirSync(workers.runningFolder)]).toEqual([[], []]);
  });

  it('is told apart by what of an image runc has not, and by what went wrong in it', async () => {
    await using workers = await open();
    const image = plan(workers, { runs: { kind: 'image', image: 'python:3.12', id: null, port: 1 } });
    expect(await workers.runner.isolationOf(image)).toMatchObject({
      by: 'none',
      lacking: [expect.stringContaining('Install podman') as string],
    });
    await expect(workers.runner.start(image, new AbortController().signal)).rejects.toThrow('only runc is here');
    const gvisor = await workers.runner.isolationOf(plan(workers, { gvisor: true }));
    expect(gvisor).toMatchObject({
      by: 'runc',
      lacking: [expect.stringContaining('gVisor is used with podman only') as string],
    });
    const built = (name: string, ...lines: string[]): Promise<unknown> => {
      mkdirSync(join(place, name), { recursive: true });
      writeFileSync(join(place, name, 'Containerfile'), ['FROM scratch', ...lines].join('\n'));
      const runs = { kind: 'build', folder: name, bases: {}, port: 8080 } as const;
      return workers.runner.start(plan(workers, { runs }), new AbortController().signal);
    };
    await expect(built('runs', 'RUN make')).rejects.toThrow('Containerfile:2: RUN can’t be done with runc alone');
    await expect(built('nothing', 'CMD ["/none"]')).rejects.toThrow(/It ended \(with exit code 1\).*\/none/su);
    // What stands in an image is run by nothing outside of it.
    await expect(
      built(
        'sly',
        `ENV BASH_ENV=${place}/sly/planted PERL5OPT=-Mplanted LD_PRELOAD=/planted PATH=${place}`,
        'CMD ["/none"]',
      ),
    ).rejects.toThrow(/\/none/u);
    expect([readdirSync(workers.runningFolder), workers.log]).toEqual([[], []]);
  });

  it('lets nobody out', async () => {
    await using workers = await open();
    const wanted = plan(workers, { egress: ['example.com:443'] });
    await using prison = await openPrison(workers, wanted, '/usr');
    await using worker = await workers.started(wanted);
    expect(await prison.escapedFrom(worker)).toEqual([]);
  });

  it.skipIf(process.getuid?.() !== 0)('needs no root', async () => {
    const ordinary = 65_534;
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ordinary-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    chownSync(folder, ordinary, ordinary);
    chmodSync(place, 0o755);
    await using app = await startApp('id -u', { user: ordinary, folder });
    expect(app.by).toEqual(['runc', 'runc']);
  });

  it('ends with an app that is killed, where nothing but runc is, and leaves nothing of itself', async () => {
    const word = `stays-${randomUUID()}`;
    const daemon = `perl -e 'fork and exit; %ENV = (); $SIG{TERM} = $SIG{HUP} = "IGNORE"; $0 = "${word}"; sleep 600' >/dev/null 2>&1`;
    await using started = await startApp(daemon);
    const { running, base, sockets, by, app } = started;
    onTestFinished(() => rmSync(base, { recursive: true, force: true }));
    expect(by).toEqual(['runc', 'runc']);
    await expect.poll(() => processesWith((all) => all.startsWith(word))).toBe(2);
    app.kill('SIGKILL');
    await once(app, 'close');
    // At once, by itself, with its mounts and its groups.
    await expect.poll(() => processesWith((all) => all.includes(word) || all.includes(base))).toBe(0);
    expect(sockets.every((path) => existsSync(path))).toBe(true);
    expect(
      readdirSync(join(base, 'roots')).flatMap((name) => readdirSync(join(base, 'roots', name, 'bundle'))),
    ).toEqual([]);
    const said: string[] = [];
    await reapPrograms(running, (message) => said.push(message));
    await clearAbandonedPrograms(clearFolders);
    expect([readdirSync(running), sockets.map((path) => existsSync(dirname(path))), said]).toEqual([
      [],
      [false, false],
      [],
    ]);
  });

  it('takes no more than its share', async () => {
    await using workers = await open();
    expectHeld(await takenBy(workers, plan(workers, { limits: { memoryMb: 256, processes: 32, cpus: 1 } })));
  });
});
