// What a run of the tests may not leave on the machine: files outside the project, processes, mounts, containers.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectDir } from '../setup/project.mjs';
import { run } from '../setup/run.mjs';

/** Stands in the environment of all that is started from here on. */
const MARK = 'GATEHOUSE_TEST_RUN';
/** What ends by itself has this long. */
const PATIENCE_MS = 10_000;

/**
 * A machine that was made for this run (npm run fresh): what is new on it is ours. Elsewhere others work meanwhile, and only what
 * surely is ours counts.
 */
const isAlone = () => textOf('/proc/1/cmdline').includes('scripts/fresh/inside.mjs');

/** Caches of what installs and runs us, and what the system keeps for its programs. */
const NOT_LOOKED_AT = new Set([
  '.npm',
  '.cache',
  '.config',
  '.dbus',
  '.pki',
  '.local',
  '.ssh',
  '.X11-unix',
  '.ICE-unix',
  'lock',
  'utmp',
]);

/** podman keeps the network namespaces of its containers there. */
const NAMESPACES = '/run/netns';

/**
 * For all that tests make in the folder for temporary files, and for the images and containers of this user’s podman; it ends with
 * the run. Others’ users come there too.
 */
export function ownTemporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'g-'));
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  const store = join(folder, 'storage.conf');
  const places = `graphroot = "${join(folder, 'containers')}"\nrunroot = "${join(folder, 'containers-run')}"\n`;
  writeFileSync(store, `[storage]\ndriver = "overlay"\n${places}`);
  process.env.CONTAINERS_STORAGE_CONF = store;
  const hadNamespaces = isMounted(NAMESPACES);
  const remove = () => {
    // podman mounts the folder of its layers onto itself, and that of its network namespaces, once and for all.
    for (const mount of mounts()) {
      const at = mount.split(' ')[1] ?? '';
      const isPodmans = at === NAMESPACES && !hadNamespaces && entriesOf(NAMESPACES).length === 0;
      if (isPodmans || at.startsWith(`${folder}/`)) spawnSync('umount', ['--lazy', at], { stdio: 'ignore' });
    }
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { folder, remove };
}

export function lookAround() {
  process.env[MARK] ??= randomUUID();
  return { files: new Set(files()), mounts: new Set(mounts()) };
}

/** A line for each thing that was not there before. What lies in the run’s own folder goes with it; what runs does not. */
export async function leftSince(before, own) {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const left = [
      ...files()
        .filter((path) => !before.files.has(path) && path !== own?.folder)
        .map((path) => `file ${path}`),
      ...processes().map((words) => `process ${words}`),
      ...mounts()
        .filter((mount) => !before.mounts.has(mount) && !mount.includes(` ${own?.folder}/containers/overlay `))
        .filter((mount) => !mount.includes(` ${NAMESPACES} `) || entriesOf(NAMESPACES).length > 0)
        .filter((mount) => isAlone() || mount.includes(projectDir) || (own !== undefined && mount.includes(own.folder)))
        .map((mount) => `mount ${mount}`),
      ...(await containers()).map((id) => `container ${id}`),
    ];
    if (left.length === 0 || Date.now() > until) return left;
    await delay(250);
  }
}

const files = () =>
  (isAlone() ? ['/', '/tmp', '/var/tmp', '/home', '/mnt', '/srv', homedir()] : ['/']).flatMap((place) =>
    entriesOf(place)
      .filter((name) => !NOT_LOOKED_AT.has(name))
      .map((name) => join(place, name)),
  );

/** But for this one and those that it hangs from. */
function processes() {
  const spared = new Set();
  for (let pid = process.pid; pid > 0; pid = parentOf(pid)) spared.add(String(pid));
  return entriesOf('/proc')
    .filter((pid) => /^\d+$/.test(pid) && !spared.has(pid) && isOurs(pid))
    .map((pid) => `${pid} ${textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200)}`);
}

function isOurs(pid) {
  // One that ended, and a kernel’s own, has no program.
  if (linkOf(`/proc/${pid}/exe`) === undefined) return false;
  return isAlone() || textOf(`/proc/${pid}/environ`).includes(`${MARK}=${process.env[MARK]}`);
}

const parentOf = (pid) => Number(/^PPid:\s*(\d+)/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0);
const isMounted = (place) => mounts().some((mount) => mount.includes(` ${place} `));
const mounts = () => textOf('/proc/self/mounts').split('\n');

/** In this run’s own store. */
async function containers() {
  if (process.env.CONTAINERS_STORAGE_CONF === undefined || !existsSync('/usr/bin/podman')) return [];
  const { code, output } = await run('/usr/bin/podman', ['ps', '--all', '--quiet'], { quiet: true });
  return code === 0 ? output.split('\n').filter((line) => line !== '') : [];
}

function entriesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
