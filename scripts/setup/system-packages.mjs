// System libraries that Electron and the tests need. On Debian-likes as root they are installed; elsewhere we say what to run.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, SetupProblem } from './project.mjs';
import { run } from './run.mjs';

const LIBRARIES = ['libgtk-3-0', 'libnss3', 'libasound2', 'libgbm1', 'libxss1', 'libxtst6'];
const isRoot = () => process.getuid?.() === 0;
const hasApt = existsSync('/usr/bin/apt-get');

const onPath = (program) =>
  (process.env.PATH ?? '').split(':').some((directory) => directory !== '' && existsSync(`${directory}/${program}`));

/** One after another: the package manager has one lock. */
let installing = Promise.resolve();

function inTurn(work) {
  const done = installing.then(work);
  installing = done.catch(() => undefined);
  return done;
}

async function install(packages, why) {
  const command = `apt-get install -y ${packages.join(' ')}`;
  if (!hasApt) throw new SetupProblem(`${why} Install the equivalents of: ${packages.join(' ')}.`);
  if (!isRoot()) throw new SetupProblem(`${why} Run: sudo ${command}`);
  say(`installing system packages: ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const attempt = () => run('apt-get', ['install', '-y', '-qq', ...packages], { quiet: true, env });
  const result = await inTurn(async () => {
    const first = await attempt();
    if (first.code === 0) return first;
    await run('apt-get', ['update', '-qq'], { quiet: true, env });
    return await attempt();
  });
  if (result.code !== 0) throw new SetupProblem(`${why} This failed: ${command}\n${result.output.trim()}`);
}

/** node-pty is compiled on Linux: it ships no Linux binary. */
export async function ensureBuildTools() {
  if (process.platform !== 'linux') return;
  const missing = Object.entries({ python3: 'python3', make: 'make', 'g++': 'g++' }).filter(
    ([program]) => !onPath(program),
  );
  if (missing.length > 0)
    await install(
      missing.map(([, name]) => name),
      'A compiler is needed to build node-pty.',
    );
}

export async function ensureLibraries(executable) {
  if (process.platform !== 'linux') return;
  const { output } = await run('ldd', [executable], { quiet: true });
  if (output.includes('not found')) await install(LIBRARIES, 'Electron needs system libraries that are missing.');
}

export async function ensureVirtualDisplay() {
  if (process.platform === 'linux' && !onPath('Xvfb'))
    await install(['xvfb', 'xauth'], 'There is no display, and no Xvfb to make a virtual one.');
}

/** Where the app looks for it (src-main/process/confinement/availability.ts): only places that a workspace can't write to. */
const BUBBLEWRAPS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap'];

/** Confinement of commands: provided as libraries are, since the first command must not run unconfined for want of it. */
export async function ensureConfinementTools(places = BUBBLEWRAPS) {
  if (process.platform === 'linux' && !places.some((place) => existsSync(place)))
    await install(['bubblewrap'], 'bubblewrap is missing: without it commands are not confined.');
}

/** For starting the app: it works without, and says so in its window and on each sheet. */
export async function provideConfinement(places = BUBBLEWRAPS) {
  try {
    await ensureConfinementTools(places);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.message);
  }
}

/**
 * What runs workers in containers: as Debian has it, without a service. Where it can’t be had, the tests that need it say so and
 * are left out.
 */
export async function provideContainerTools() {
  if (process.platform !== 'linux') return;
  const packages = {
    podman: ['podman', 'runc', 'crun', 'catatonit', 'uidmap'],
    // With the networks in which containers know each other by name.
    'podman-compose': ['podman-compose', 'netavark', 'aardvark-dns'],
    // What netavark makes those networks with; it only recommends it.
    iptables: ['iptables'],
    tini: ['tini'],
  };
  const missing = Object.entries(packages).filter(([program]) => !onPath(program));
  try {
    if (missing.length > 0)
      await install(
        missing.flatMap(([, names]) => names),
        'There is no podman, or no podman-compose: what runs in containers is not tried.',
      );
    await provideGvisor();
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.message);
  }
}

/**
 * In the gVisor of Debian 12 a connection is lost that a server hands to a child, so the one of its backports is installed: that
 * package alone, from lists that are read for this and kept nowhere.
 */
async function provideGvisor() {
  if (!isRoot() || !hasApt) return;
  const [, year = '0'] = / (?:\S*[^\d])?(20\d\d)\d{4}/.exec((await quietly('runsc', ['--version'])).output) ?? [];
  if (Number(year) >= 2024) return;
  const { output } = await quietly('apt-get', [
    'indextargets',
    '--format',
    '$(CODENAME) $(REPO_URI)',
    'Created-By: Packages',
  ]);
  const [, from] =
    output
      .split('\n')
      .map((line) => line.split(' '))
      .find(([suite]) => suite === 'bookworm') ?? [];
  if (from === undefined) return;
  say('installing system packages: runsc, from the backports of Debian 12');
  await inTurn(() => installFromBackports(from));
}

async function installFromBackports(from) {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-backports-'));
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(place, folder), { recursive: true });
    const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
    writeFileSync(join(place, 'sources.list'), `deb [signed-by=${key}] ${from} bookworm-backports main\n`);
    const apart = {
      'Dir::Etc::sourcelist': join(place, 'sources.list'),
      'Dir::Etc::sourceparts': '-',
      'Dir::State::lists': join(place, 'lists'),
      'Dir::Cache': join(place, 'cache'),
      'APT::Sandbox::User': 'root',
    };
    const options = Object.entries(apart).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    for (const words of [['update'], ['install', '-y', '--no-install-recommends', 'runsc/bookworm-backports']]) {
      const { code, output: said } = await quietly('apt-get', [...options, '-qq', ...words]);
      if (code !== 0) throw new SetupProblem(`gVisor could not be installed from backports: ${said.trim()}`);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const quietly = (program, words) =>
  run(program, words, { quiet: true, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });

/** What fault-injection tests drive, and the key store that tests bring along: GNOME Keyring on a bus of its own. */
export async function ensureTestTools() {
  if (process.platform !== 'linux') return;
  const packages = {
    strace: 'strace',
    // With bash, the shells that commands are read for.
    dash: 'dash',
    busybox: 'busybox',
    'dbus-daemon': 'dbus',
    'dbus-send': 'dbus',
    'gnome-keyring-daemon': 'gnome-keyring',
    ip: 'iproute2',
    curl: 'curl',
  };
  const missing = Object.entries(packages).filter(([program]) => !onPath(program));
  if (missing.length > 0) await install([...new Set(missing.map(([, name]) => name))], 'The tests need them.');
}
