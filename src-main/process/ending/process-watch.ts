import { findCallProcesses, type ProcessesOfCall } from './call-processes.js';
import {
  isAlive,
  MS_PER_TICK,
  ownBytes,
  PAGE_BYTES,
  peakBytes,
  processFacts,
  processTree,
  readsTerminal,
  pauseAfterLook,
} from './proc-table.js';

/** Looks at a running command now and then: what it uses, whether a limit is passed, whether it waits for input. */
export interface ProcessWatch extends Disposable {
  /** The processor time as seen: what a process used between the last look and its end is not in it. */
  readonly cpuMs: number;
  /** The largest sum that was seen at once, or the largest peak of a single process where that is more. */
  readonly peakMemoryBytes: number;
  /** Output came: it does not seem to wait. */
  sawOutput(): void;
}

export interface WatchOptions {
  readonly call: ProcessesOfCall;
  readonly maxProcesses: number;
  /** Whether the kernel refused the command a process. */
  readonly refused: () => boolean;
  /** Whether the kernel ended a process of the command for want of memory. */
  readonly outOfMemory: () => boolean;
  readonly maxMemoryBytes: number;
  readonly maxCpuMs: number;
  /** The longest time between two looks; for what runs for days, where the kernel holds the limits. */
  readonly restMs?: number;
  readonly onLimit: (limit: 'max_processes' | 'max_cpu_seconds' | 'max_memory_bytes') => void;
  /** Called at each look at which no process of the command is alive. */
  readonly onNothingLeft: () => void;
  readonly onWaiting: (waiting: boolean) => void;
}

/** Soon, so that something is known of short commands too. The first looks are the cheap ones. */
const FIRST_LOOK_MS = 5;
/** The time after which orphans are sought as well, which means looking at every process there is. */
const SEEK_AFTER_MS = 50;
const MAX_INTERVAL_MS = 200;
const IDLE_MS = 700;

/**
 * Whether they hold more memory than allowed, with shared memory counted once. It takes the kernel long to say, so it
 * is asked only in doubt. A process that has just ended holds nothing, and what it shared is somebody else's: so the
 * whole is asked for a second time before it counts.
 */
const usesMoreThan = (most: number, tree: readonly { readonly pid: number }[]): boolean => {
  const now = (): number =>
    tree.reduce((sum, { pid }) => sum + (ownBytes(pid) ?? (processFacts(pid)?.residentPages ?? 0) * PAGE_BYTES), 0);
  return now() > most && now() > most;
};

export function watchProcesses(options: WatchOptions): ProcessWatch {
  let cpuMs = 0;
  let peakMemoryBytes = 0;
  let waiting = false;
  let lastOutput = performance.now();
  let interval = FIRST_LOOK_MS;
  let timer: NodeJS.Timeout | null = setTimeout(look, interval);

  function setWaiting(now: boolean): void {
    if (now === waiting) return;
    waiting = now;
    options.onWaiting(now);
  }

  function look(): void {
    const began = performance.now();
    // Confined, even orphans stay below the leader; otherwise they go to the system's first process.
    const isCheap = options.call.confined || interval < SEEK_AFTER_MS;
    const tree = isCheap
      ? processTree(options.call.leader).filter(({ pid }) => pid !== options.call.leader)
      : findCallProcesses(options.call).command;
    cpuMs = Math.max(
      cpuMs,
      tree.reduce((sum, { cpuTicks }) => sum + cpuTicks * MS_PER_TICK, 0),
    );
    const resident = tree.reduce((sum, { residentPages }) => sum + residentPages * PAGE_BYTES, 0);
    peakMemoryBytes = Math.max(peakMemoryBytes, resident, ...tree.map(({ pid }) => peakBytes(pid)));
    const alive = tree.filter(isAlive);
    const idle = performance.now() - lastOutput > IDLE_MS;
    setWaiting(idle && alive.some(({ pid, state }) => state === 'S' && readsTerminal(pid)));
    if (alive.length > options.maxProcesses || options.refused()) options.onLimit('max_processes');
    else if (cpuMs > options.maxCpuMs) options.onLimit('max_cpu_seconds');
    else if (
      options.outOfMemory() ||
      (resident > options.maxMemoryBytes && usesMoreThan(options.maxMemoryBytes, tree))
    ) {
      options.onLimit('max_memory_bytes');
    }
    if (alive.length === 0) options.onNothingLeft();
    interval = Math.min(interval * 2, options.restMs ?? MAX_INTERVAL_MS);
    const rest = interval < SEEK_AFTER_MS ? 0 : pauseAfterLook(began);
    if (timer !== null) timer = setTimeout(look, Math.max(interval, rest));
  }

  return {
    get cpuMs() {
      return cpuMs;
    },
    get peakMemoryBytes() {
      return peakMemoryBytes;
    },
    sawOutput() {
      lastOutput = performance.now();
      setWaiting(false);
    },
    [Symbol.dispose]() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
