import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readTextOrNull } from '../environment/system-files.js';
import { SHOW_PROJECT, whereShown } from '../reachable-project.test-support.js';
import { buildRunnerChild } from '../runner-child-build.test-support.js';
import type { EngineReport } from './engine-child.test-support.js';
import type { EnginelessReport } from './engineless-child.test-support.js';
import { findInstalled } from './engines.js';
import { makeShellImage } from './shell-image.test-support.js';
import { expectHeld } from './taken-resources.test-support.js';

/**
 * The place of the views. One machine has one engine that is found first. So each of the others is tried in a view of
 * this machine of its own (a namespace of mounts), in which it is what is there; nothing of the machine is changed.
 */
const place = mkdtempSync(join(tmpdir(), 'gatehouse-engines-'));
const image = join(place, 'image');
/** A user id of this run alone. */
const ORDINARY = 300_000 + process.pid;
const isRoot = process.getuid?.() === 0;
mkdirSync(join(image, 'workers'), { recursive: true });
const missing = !isRoot
  ? 'another user’s view of this machine takes root to make.'
  : makeShellImage(join(image, 'workers'))
    ? null
    : 'perl-base and busybox are not as Debian has them.';

function left(why: string | null, what: string): boolean {
  if (why !== null) process.stderr.write(`${what} is not tried here: ${why}\n`);
  return why !== null;
}

let child = '';
beforeAll(async () => {
  child = resolve(await buildRunnerChild('src-main/process/workers/engine-child.test-support.ts'));
}, 60_000);
afterAll(() => {
  for (const path of [child, place]) rmSync(path, { recursive: true, force: true });
});

interface View {
  /** Run before it, as root; then “exec "$@"”, or what runs that as another. */
  readonly script: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Where what lies in the project is in it. */
  readonly path?: (path: string) => string;
}

const inView = ({ script, environment, cwd }: View, words: readonly string[]): ChildProcess =>
  spawn('unshare', ['-m', '--propagation', 'private', 'sh', '-ec', script, 'sh', ...words], {
    cwd: cwd ?? process.cwd(),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment, ELECTRON_RUN_AS_NODE: '1' },
  });

/** Reports on the engine; then the report's process is killed, and what it ran has to go. */
async function tryEngine(view: View, kind = ''): Promise<EngineReport> {
  const app = inView(view, [process.execPath, child, image, kind].map(view.path ?? String));
  const closed = once(app, 'close');
  onTestFinished(() => void app.kill('SIGKILL'));
  if (app.stdout === null) throw new Error('It has no output.');
  const told = once(createInterface({ input: app.stdout }), 'line') as Promise<[string]>;
  const line = await Promise.race([told, closed.then(() => null)]);
  if (line === null) throw new Error('It ended before it told anything.');
  const report = JSON.parse(line[0]) as EngineReport;
  onTestFinished(() => rmSync(report.base, { recursive: true, force: true }));
  expect(existsSync(`/proc/${report.pid}`)).toBe(true);
  app.kill('SIGKILL');
  await closed;
  await expect.poll(() => existsSync(`/proc/${report.pid}`)).toBe(false);
  return report;
}

function expectNoWayOut({ escaped, tried, log }: EngineReport): void {
  expect(tried).toBeGreaterThanOrEqual(50);
  expect(escaped).toEqual([]);
  expect(log).toBe('');
}

const onTrial = (program: string): string | null =>
  findInstalled(program) === null ? `${program} is not installed.` : null;
const noUsers = missing ?? onTrial('podman') ?? onTrial('newuidmap');
const noDocker = missing ?? onTrial('docker') ?? onTrial('dockerd');

describe.skipIf(left(noDocker, 'docker'))('docker', () => {
  it('lets nobody out, and holds what it says that it holds', async () => {
    const home = join(place, 'docker');
    mkdirSync(home);
    const socket = join(home, 'docker.sock');
    const service = serveDocker(home, socket);
    onTestFinished(async () => {
      const over = once(service, 'close');
      service.kill('SIGTERM');
      await over;
    });
    const ended = once(service, 'close').then(() => 'ended');
    const serves = expect.poll(() => answers(socket), { timeout: 60_000 }).toBe(true);
    expect(await Promise.race([serves, ended])).not.toBe('ended');
    // Where podman is, it is found first.
    writeFileSync(join(home, 'none'), '');
    const script = `[ ! -e /usr/bin/podman ] || mount --bind ${join(home, 'none')} /usr/bin/podman
      exec "$@"`;
    const report = await tryEngine({ script, environment: { DOCKER_HOST: `unix://${socket}` } });
    expect(report.isolation).toEqual({ by: 'docker', lacking: [] });
    expectNoWayOut(report);
    expectHeld(report.taken);
  });
});

/** A service of its own, with nothing of the machine’s network. */
function serveDocker(home: string, socket: string): ChildProcess {
  const folders = [
    '--data-root',
    join(home, 'data'),
    '--exec-root',
    join(home, 'exec'),
    '--pidfile',
    join(home, 'pid'),
  ];
  const apart = ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false', '--ip-masq=false'];
  const words = ['dockerd', '-H', `unix://${socket}`, ...folders, ...apart, '--log-level', 'error'];
  return inView({ script: `exec unshare -n "$@" 2>${join(home, 'log')}` }, words);
}

const answers = (socket: string): Promise<boolean> =>
  new Promise((resolveWith) => {
    const asked = get({ socketPath: socket, path: '/_ping' }, (answer) => {
      answer.resume();
      resolveWith(answer.statusCode === 200);
    });
    asked.once('error', () => resolveWith(false));
  });

const noGvisor = missing ?? onTrial('podman') ?? onTrial('runsc') ?? oldGvisor();

/**
 * A version of gVisor that is too old: Debian 12's own loses a connection that is handed to a child, as the server of
 * these tests hands each.
 */
function oldGvisor(): string | null {
  const [, year = '0'] =
    /version \S*?(20\d\d)\d{4}/u.exec(execFileSync('runsc', ['--version'], { encoding: 'utf8' })) ?? [];
  return Number(year) < 2024 ? 'this gVisor is older than 2024.' : null;
}

describe.skipIf(left(noGvisor, 'gVisor'))('gVisor', () => {
  it('lets nobody out, holds what it says that it holds, and ends also where its kernel hangs', async () => {
    const report = await tryEngine({ script: 'exec "$@"' }, 'gvisor');
    expect(report.isolation).toEqual({ by: 'gvisor', lacking: [] });
    expectNoWayOut(report);
    expectHeld(report.taken);
    expect(report.kernel).toContain('Linux version');
    expect(report.kernel).not.toBe(readFileSync('/proc/version', 'utf8'));
  });
});

describe.skipIf(left(noUsers, 'podman without root'))('podman without root', () => {
  it('lets nobody out, and holds what it says that it holds', async () => {
    const home = join(place, 'ordinary');
    const run = join(home, 'run');
    const working = join(home, 'working');
    mkdirSync(join(working, 'artifacts'), { recursive: true });
    mkdirSync(run, { mode: 0o700 });
    for (const [name, line] of [
      ['passwd', `ordinary:x:${ORDINARY}:${ORDINARY}::${home}:/bin/sh`],
      ['group', `ordinary:x:${ORDINARY}:`],
    ] as const)
      writeFileSync(join(place, name), `${readFileSync(`/etc/${name}`, 'utf8')}${line}\n`);
    for (const name of ['subuid', 'subgid']) writeFileSync(join(place, name), 'ordinary:2000000:65536\n');
    giveTo(ORDINARY, place);
    const script = `mount --make-rshared /
      for name in passwd group subuid subgid; do mount --bind ${place}/$name /etc/$name; done
      ${SHOW_PROJECT}
      exec setpriv --reuid ${ORDINARY} --regid ${ORDINARY} --clear-groups --inh-caps=-all "$@"`;
    // Images and containers where they are by themselves.
    const environment = { HOME: home, XDG_RUNTIME_DIR: run, USER: 'ordinary', CONTAINERS_STORAGE_CONF: undefined };
    const report = await tryEngine({ script, environment, cwd: working, path: whereShown });
    // podman leaves one process behind, which keeps a user’s namespaces; what removes containers is done before it is alone.
    const pause = join(run, 'libpod', 'tmp', 'pause.pid');
    await expect.poll(() => processesOf(ORDINARY)).toEqual([readFileSync(pause, 'utf8').trim()]);
    process.kill(Number(readFileSync(pause, 'utf8')), 'SIGKILL');
    await expect.poll(() => processesOf(ORDINARY)).toEqual([]);
    expect(report.isolation.by).toBe('podman');
    expectNoWayOut(report);
    const asWhole = !report.isolation.lacking.some((what) => what.includes('memory'));
    expectHeld(report.taken, asWhole);
  });
});

/** Found where they are found: nothing of the machine is changed. */
const MASKED = `for each in podman docker; do for folder in /usr/bin /usr/local/bin /bin /usr/sbin; do
  [ ! -e $folder/$each ] || mount --bind /dev/null $folder/$each; done; done; exec "$@"`;

describe.skipIf(left(missing, 'A machine without an engine'))('without an engine', () => {
  it('a program is held by bubblewrap, and of an image it is said what to install', async () => {
    const engineless = resolve(await buildRunnerChild('src-main/process/workers/engineless-child.test-support.ts'));
    onTestFinished(() => rmSync(engineless, { force: true }));
    const app = inView({ script: MASKED }, [process.execPath, engineless, image]);
    if (app.stdout === null) throw new Error('It has no output.');
    const [line] = (await once(createInterface({ input: app.stdout }), 'line')) as [string];
    const { isolations, said } = JSON.parse(line) as EnginelessReport;
    const none =
      'It is a container, and none can be run here. podman is not installed: install the package “podman”. docker is not installed.';
    expect(isolations).toEqual([
      { by: 'bubblewrap', lacking: expect.anything() as unknown },
      { by: 'none', lacking: [none] },
      { by: 'none', lacking: [none] },
    ]);
    expect(said).toEqual([null, none, none]);
  });
});

/** Those that run: what has ended and was taken in by a first process that lets nothing go is none of podman's any more. */
const processesOf = (user: number): readonly string[] =>
  readdirSync('/proc').filter((name) => {
    const status = /^\d+$/u.test(name) ? readTextOrNull(`/proc/${name}/status`) : null;
    return status?.includes(`\nUid:\t${user}\t`) === true && !status.includes('\nState:\tZ');
  });

function giveTo(user: number, folder: string): void {
  chownSync(folder, user, user);
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    lchownSync(join(entry.parentPath, entry.name), user, user);
}
