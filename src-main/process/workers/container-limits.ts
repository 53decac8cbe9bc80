/** The limits that an engine really enforces on this machine, for a container and all in it. */
export interface EnforcedLimits {
  readonly memory: boolean;
  readonly processes: boolean;
  readonly cpus: boolean;
  /** Whether the users inside are none of this machine’s: then one that is a worker’s alone counts its processes. */
  readonly ownUsers: boolean;
  /** Whether a group of ours can be placed above its own. */
  readonly belowOthers: boolean;
}

export interface ContainerLimits {
  readonly memoryMb: number;
  readonly processes: number;
  readonly cpus: number;
}

/**
 * The arguments for the limits that the engine enforces, and of the rest those that the kernel enforces for each
 * process. An engine may take a word and do nothing.
 */
export function engineLimitArguments(limits: ContainerLimits, holds: EnforcedLimits): readonly string[] {
  const memory = `${limits.memoryMb}m`;
  const bytes = limits.memoryMb * 1024 * 1024;
  const { processes } = limits;
  return [
    // Nothing of it on a disk.
    ...(holds.memory ? ['--memory', memory, '--memory-swap', memory] : ['--ulimit', `data=${bytes}:${bytes}`]),
    ...(holds.processes ? ['--pids-limit', String(processes)] : []),
    ...(!holds.processes && holds.ownUsers ? ['--ulimit', `nproc=${processes}:${processes}`] : []),
    ...(holds.cpus ? ['--cpus', String(limits.cpus)] : []),
    '--shm-size',
    `${Math.min(64, Math.max(1, Math.floor(limits.memoryMb / 4)))}m`,
    '--tmpfs',
    `/tmp:rw,nosuid,nodev,size=${Math.max(1, Math.floor(limits.memoryMb / 2))}m,mode=1777`,
  ];
}

/** The limits that are not enforced, in words a person reads. */
export const describeNotEnforced = (by: string, holds: EnforcedLimits): readonly string[] => [
  ...(holds.memory ? [] : [`${by} can’t hold its memory as a whole here: each of its processes may have all of it.`]),
  ...(holds.processes || holds.ownUsers ? [] : [`${by} can’t limit its processes here.`]),
  ...(holds.cpus ? [] : [`${by} can’t limit its share of the processor here.`]),
];

/**
 * Reads what podman enforces. Without root that is nothing with cgroups of version 1, and with those of version 2 what
 * was handed on, which is in this list.
 */
export function readPodmanLimits(info: string): EnforcedLimits {
  const { controllers, rootless, manager } = read(info);
  const has = (name: string): boolean => controllers.includes(name);
  return {
    memory: has('memory'),
    processes: has('pids'),
    cpus: has('cpu'),
    ownUsers: rootless,
    belowOthers: manager === 'cgroupfs',
  };
}

export const PODMAN_FACTS =
  '{"controllers":{{json .Host.CgroupControllers}},"rootless":{{.Host.Security.Rootless}},"manager":{{json .Host.CgroupManager}}}';

interface PodmanFacts {
  readonly controllers: readonly unknown[];
  readonly rootless: boolean;
  readonly manager: unknown;
}

function read(info: string): PodmanFacts {
  try {
    const { controllers, rootless, manager } = JSON.parse(info) as Readonly<Record<keyof PodmanFacts, unknown>>;
    return { controllers: Array.isArray(controllers) ? controllers : [], rootless: rootless === true, manager };
  } catch {
    return { controllers: [], rootless: false, manager: null };
  }
}
