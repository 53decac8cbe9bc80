import type { WorkerPlan } from '../../domain/ports/sources/worker.js';
import { PLACEHOLDER } from './own-namespaces.js';

/** What a container runs, as its Containerfile says. */
export interface ContainerProcess {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
}

export interface BundleRequest {
  readonly root: string;
  readonly process: ContainerProcess;
  readonly user: number;
  readonly limits: WorkerPlan['limits'];
  readonly seccomp: object;
  /** Shown besides, read-only. */
  readonly reads?: readonly string[];
}

const MIB = 1024 * 1024;

/**
 * What runc is told (OCI runtime specification 1.0): as engines hold their containers, less what none of ours needs. The network is the
 * one in which runc itself is.
 */
export function bundleSpec({ root, process: run, user, limits, seccomp, reads = [] }: BundleRequest): string {
  const memory = limits.memoryMb * MIB;
  const limit = (type: string, most: number) => ({ type, hard: most, soft: most });
  const bounded = (destination: string, bytes: number) => ({
    destination,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'nodev', 'mode=1777', `size=${Math.max(65_536, Math.floor(bytes))}`],
  });
  return JSON.stringify({
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: user, gid: user },
      // Before what may hold the same word: the first is where the variables come to stand.
      env: [...Object.entries(run.environment).map(([name, value]) => `${name}=${value}`), PLACEHOLDER],
      args: run.args,
      cwd: run.folder,
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: true,
      rlimits: [
        limit('RLIMIT_CORE', 0),
        limit('RLIMIT_DATA', memory),
        limit('RLIMIT_FSIZE', memory),
        // Far above what is allowed: who passes that is ended by the watch, with its name.
        limit('RLIMIT_NPROC', 2 * limits.processes + 64),
      ],
    },
    root: { path: root, readonly: true },
    hostname: 'worker',
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'strictatime', 'mode=755', 'size=65536'],
      },
      bounded('/dev/shm', Math.min(64 * MIB, memory / 4)),
      bounded('/tmp', memory / 2),
      ...reads.map((path) => ({
        destination: path,
        type: 'bind',
        source: path,
        options: ['rbind', 'ro', 'nosuid', 'nodev'],
      })),
    ],
    linux: {
      namespaces: [{ type: 'pid' }, { type: 'ipc' }, { type: 'uts' }, { type: 'mount' }, { type: 'cgroup' }],
      seccomp,
      maskedPaths: MASKED,
      readonlyPaths: READ_ONLY,
    },
  });
}

/** What of `/proc` says more of the machine than a worker has to know. */
const MASKED = [
  'acpi',
  'asound',
  'interrupts',
  'kcore',
  'keys',
  'key-users',
  'kmsg',
  'latency_stats',
  'sched_debug',
  'scsi',
]
  .concat('timer_list', 'timer_stats', 'vmallocinfo')
  .map((name) => `/proc/${name}`);

/** To the kernel root is root even without capabilities, and some of its settings run programs for everybody. */
const READ_ONLY = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);
