import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CgroupPlace, findCgroupPlace } from './cgroup-place.js';
import { isWritable, textOf } from '../environment/system-files.js';

/**
 * The kernel counts threads, and the limit is one of processes: a build with many threads must not meet it. So the watch
 * holds the limit, and this only what is faster than the watch. The supervisor and what confines the command are in it too.
 */
const capFor = (maxProcesses: number): number => 2 * maxProcesses + 64;
/** What the supervisor and the confinement need themselves. */
const OF_OURS_BYTES = 64 * 1024 * 1024;
const PREFIX = 'gatehouse-';

export interface Bounds {
  readonly processes: number;
  /** Of all of them together, as the kernel counts: with what it keeps of their files in memory, which it gives back first. */
  readonly memoryBytes: number;
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
  /** Whether the kernel has refused a process: then the limit was reached, whatever is left alive. */
  struck(): boolean;
  /** Whether the kernel has ended a process because together they had too much memory. */
  outOfMemory(): boolean;
  members(): number[];
  /** All at once, where the kernel does that (cgroup v2, Linux 5.14); elsewhere nothing happens. */
  kill(): void;
}

/** Null where no group is to be had. */
export function openCommandGroup(
  pid: number,
  max: Bounds,
  name: string,
  place: CgroupPlace | null = ourPlace(),
): CommandGroup | null {
  if (place === null) return null;
  const path = join(place.path, `${PREFIX}${name}`);
  try {
    mkdirSync(path);
    if (place.caps) writeFileSync(join(path, 'pids.max'), String(capFor(max.processes)));
    if (place.boundsMemory) writeFileSync(join(path, 'memory.max'), String(max.memoryBytes + OF_OURS_BYTES));
    writeFileSync(join(path, 'cgroup.procs'), String(pid));
  } catch {
    remove(path);
    return null;
  }
  return groupAt(path);
}

/** One that an app which is gone has made. */
export function findCommandGroup(name: string, place: CgroupPlace | null = ourPlace()): CommandGroup | null {
  const path = place === null ? null : join(place.path, `${PREFIX}${name}`);
  return path !== null && existsSync(path) ? groupAt(path) : null;
}

const groupAt = (path: string): CommandGroup => ({
  capped: existsSync(join(path, 'pids.max')),
  boundsMemory: existsSync(join(path, 'memory.max')),
  struck: () => /^max [1-9]/mu.test(textOf(join(path, 'pids.events')) ?? ''),
  outOfMemory: () => /^oom_kill [1-9]/mu.test(textOf(join(path, 'memory.events')) ?? ''),
  // 0 stands for a process that our own pid namespace does not show.
  members: () => (textOf(join(path, 'cgroup.procs'))?.match(/^[1-9]\d*$/gmu) ?? []).map(Number),
  kill() {
    try {
      writeFileSync(join(path, 'cgroup.kill'), '1', { flag: 'r+' });
    } catch {
      // An older kernel: its processes are ended one by one.
    }
  },
  [Symbol.dispose]: () => remove(path),
});

let found: CgroupPlace | null | undefined;

function ourPlace(): CgroupPlace | null {
  if (found !== undefined) return found;
  found = findCgroupPlace({
    mounts: textOf('/proc/self/mountinfo') ?? '',
    ownGroups: textOf('/proc/self/cgroup') ?? '',
    read: (path) => textOf(path) ?? '',
    mayWrite: isWritable,
  });
  return found;
}

/** At start: what a killed app left. Only groups without processes can be removed, so no running one is touched. */
export function clearCommandGroups(): void {
  const place = ourPlace();
  if (place === null) return;
  for (const name of namesIn(place.path)) {
    const path = join(place.path, name);
    if (name.startsWith(PREFIX) && isOld(path)) remove(path);
  }
}

/** Another app's that was just made has no process in it yet. */
const isOld = (path: string): boolean =>
  Date.now() - (statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Infinity) > 60_000;

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Not there, or a process of it is still on its way out: the next start removes it.
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
