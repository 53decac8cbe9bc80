import { existsSync, mkdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { type CgroupPlace, findCgroupPlace } from './cgroup-place.js';
import { isWritable, readTextOrNull } from '../environment/system-files.js';
import { listNames } from '../../platform/files/resolve-path.js';

/**
 * The kernel counts threads, and the limit is one of processes: a build with many threads must not meet it. So the watch
 * holds the limit, and this only what is faster than the watch. The supervisor and what confines the command are in it too.
 */
const capFor = (maxProcesses: number): number => 2 * maxProcesses + 64;
/** The memory that the supervisor and the confinement need themselves. */
const OF_OURS_BYTES = 64 * 1024 * 1024;
const PREFIX = 'gatehouse-';

export interface GroupBounds {
  readonly processes: number;
  /**
   * The memory of all its processes together, as the kernel counts: with what it caches of their files, which it gives
   * back first.
   */
  readonly memoryBytes: number;
  /** How many processors’ worth of time; who has such a share is held by what older kernels keep beside the list, too. */
  readonly cpus?: number;
}

/**
 * A control group of the kernel for one command, where we may make one. It caps how many processes the command may have:
 * the watch ends what passes the limit, but it only looks now and then, and a fork bomb is faster; RLIMIT_NPROC does not
 * bind root. And it lists them exactly, whatever they did, short of a process that moves itself out (as root it can).
 */
export interface CommandGroup extends Disposable {
  /** Whether the kernel holds the number of processes down; if not, the watch alone does. */
  readonly capped: boolean;
  /** Whether it holds their memory down. */
  readonly boundsMemory: boolean;
  readonly sharesCpu: boolean;
  /** Whether the kernel has refused a process: then the limit was reached, whatever is left alive. */
  struck(): boolean;
  /** Whether the kernel has ended a process because together they had too much memory. */
  outOfMemory(): boolean;
  members(): number[];
  /** Kills all processes at once, where the kernel does that (cgroup v2, Linux 5.14); elsewhere nothing happens. */
  kill(): void;
}

/** Null where no group is to be had. */
export function openCommandGroup(
  pid: number,
  max: GroupBounds,
  name: string,
  place: CgroupPlace | null = findOurPlace(),
): CommandGroup | null {
  if (place === null) return null;
  const group = groupIn(place, name, max.cpus !== undefined);
  try {
    for (const path of group.paths) mkdirSync(path);
    const write = (folder: string | null, file: string, value: number | string): void => {
      if (folder !== null) writeFileSync(join(folder, file), String(value));
    };
    const bytes = max.memoryBytes + OF_OURS_BYTES;
    const quota = Math.max(1000, Math.round((max.cpus ?? 0) * CPU_PERIOD_US));
    write(place.caps ? group.path : null, 'pids.max', capFor(max.processes));
    write(place.boundsMemory ? group.path : null, 'memory.max', bytes);
    if (max.cpus !== undefined) {
      write(place.sharesCpu ? group.path : null, 'cpu.max', `${quota} ${CPU_PERIOD_US}`);
      write(group.memory, 'memory.limit_in_bytes', bytes);
      write(group.cpu, 'cpu.cfs_period_us', CPU_PERIOD_US);
      write(group.cpu, 'cpu.cfs_quota_us', quota);
    }
    for (const path of group.paths) write(path, 'cgroup.procs', pid);
  } catch {
    group.paths.forEach(remove);
    return null;
  }
  return groupAt(group);
}

const CPU_PERIOD_US = 100_000;

interface GroupPaths {
  readonly path: string;
  readonly memory: string | null;
  readonly cpu: string | null;
  /** The folders without duplicates: some systems keep several controllers in one tree. */
  readonly paths: readonly string[];
}

function groupIn(place: CgroupPlace, name: string, withBeside: boolean): GroupPaths {
  const below = (folder: string | null): string | null =>
    folder === null || !withBeside ? null : join(folder, `${PREFIX}${name}`);
  const path = join(place.path, `${PREFIX}${name}`);
  const [memory, cpu] = [below(place.beside.memory), below(place.beside.cpu)];
  return { path, memory, cpu, paths: [...new Set([path, memory, cpu])].filter((each) => each !== null) };
}

export interface ParentGroup extends Disposable {
  /** The group as engines take it: from the top of the tree. */
  readonly parent: string;
}

/**
 * Opens a group that is empty itself: an engine puts its own below, and the kernel counts all of these. Null where none
 * is to be had.
 */
export function openParentGroup(processes: number, name: string): ParentGroup | null {
  const place = findOurPlace();
  if (place === null || !place.caps) return null;
  const { path } = groupIn(place, name, false);
  try {
    mkdirSync(path);
    writeFileSync(join(path, 'pids.max'), String(processes));
  } catch {
    remove(path);
    return null;
  }
  return { parent: posix.join(place.fromTop, basename(path)), [Symbol.dispose]: () => remove(path) };
}

/**
 * The limits that the kernel would enforce on a worker of ours on this machine, as far as it can be told beforehand.
 */
export function enforceableLimits(): Readonly<Record<'processes' | 'memory' | 'cpus', boolean>> {
  const place = findOurPlace();
  return {
    processes: place?.caps === true,
    memory: place !== null && (place.boundsMemory || place.beside.memory !== null),
    cpus: place !== null && (place.sharesCpu || place.beside.cpu !== null),
  };
}

/** Finds a group that was made by an app which is gone. */
export function findCommandGroup(name: string): CommandGroup | null {
  const place = findOurPlace();
  const group = place === null ? null : groupIn(place, name, true);
  return group !== null && existsSync(group.path) ? groupAt(group) : null;
}

const groupAt = ({ path, memory, cpu, paths }: GroupPaths): CommandGroup => ({
  capped: existsSync(join(path, 'pids.max')),
  boundsMemory: memory !== null || existsSync(join(path, 'memory.max')),
  sharesCpu: cpu !== null || existsSync(join(path, 'cpu.max')),
  struck: () => /^max [1-9]/mu.test(readTextOrNull(join(path, 'pids.events')) ?? ''),
  outOfMemory: () =>
    /^oom_kill [1-9]/mu.test(
      (memory === null
        ? readTextOrNull(join(path, 'memory.events'))
        : readTextOrNull(join(memory, 'memory.oom_control'))) ?? '',
    ),
  // 0 stands for a process that our own pid namespace does not show.
  members: () => (readTextOrNull(join(path, 'cgroup.procs'))?.match(/^[1-9]\d*$/gmu) ?? []).map(Number),
  kill() {
    try {
      writeFileSync(join(path, 'cgroup.kill'), '1', { flag: 'r+' });
    } catch {
      // An older kernel: its processes are ended one by one.
    }
  },
  [Symbol.dispose]: () => paths.forEach(remove),
});

let cachedPlace: CgroupPlace | null | undefined;

function findOurPlace(): CgroupPlace | null {
  if (cachedPlace !== undefined) return cachedPlace;
  cachedPlace = findCgroupPlace({
    mounts: readTextOrNull('/proc/self/mountinfo') ?? '',
    ownGroups: readTextOrNull('/proc/self/cgroup') ?? '',
    read: (path) => readTextOrNull(path) ?? '',
    mayWrite: isWritable,
  });
  return cachedPlace;
}

/**
 * Removes at start the groups that a killed app left. Only groups without processes can be removed, so no running one
 * is touched.
 */
export function clearCommandGroups(): void {
  const place = findOurPlace();
  if (place === null) return;
  const folders = [...new Set([place.path, place.beside.memory, place.beside.cpu])].filter((each) => each !== null);
  for (const path of folders.flatMap((folder) => listNames(folder).map((name) => join(folder, name)))) {
    if (basename(path).startsWith(PREFIX) && isOld(path)) remove(path);
  }
}

/** Whether the group is old enough to be removed: another app's that was just made has no process in it yet. */
const isOld = (path: string): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Infinity) > 60_000;

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Not there, or a process of it is still on its way out: the next start removes it.
  }
}
