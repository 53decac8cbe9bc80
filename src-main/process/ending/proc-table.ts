import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { readTextOrNull } from '../environment/system-files.js';
import { listNames } from '../../platform/files/resolve-path.js';

/** Linux's facts on a process. Elsewhere there is no /proc, and every list is empty. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly state: string;
  /** The start time. With the pid, it names one process for good. */
  readonly startTicks: string;
  readonly cpuTicks: number;
  readonly residentPages: number;
}

/** The most memory the process ever had in use at once since its program began; what of it is gone is in it. */
export function peakBytes(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/mu.exec(readTextOrNull(`/proc/${pid}/status`, 'latin1') ?? '') ?? [];
  return Number(kilobytes ?? 0) * 1024;
}

/** The memory it has in use, of what is shared with others its part; null where that is not told. */
export function ownBytes(pid: number): number | null {
  const [, kilobytes] = /^Pss:\s+(\d+) kB$/mu.exec(readTextOrNull(`/proc/${pid}/smaps_rollup`, 'latin1') ?? '') ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

export function processFacts(pid: number): ProcessFacts | null {
  const stat = readTextOrNull(`/proc/${pid}/stat`, 'latin1');
  if (stat === null) return null;
  // The name may hold anything, parentheses too; what follows the last one is numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (index: number): number => Number(fields[index] ?? 0);
  return {
    pid,
    state: fields[0] ?? '?',
    parent: number(1),
    group: number(2),
    session: number(3),
    cpuTicks: number(11) + number(12) + number(13) + number(14),
    startTicks: fields[19] ?? '0',
    residentPages: number(21),
  };
}

export interface ProcessSearch {
  /** Told of each while it is certainly there: what has to be asked of it or done to it at once. */
  readonly atSight?: (facts: ProcessFacts) => void;
  /** The time before which started processes are left out, in the system's ticks; but for `except`. */
  readonly since?: number;
  readonly except?: ReadonlySet<number>;
}

/**
 * Lists all processes. While one is looked at, another may start a third and end before its turn comes, so the list is
 * read again until it holds nothing new: otherwise a process that hands itself on at the right moment would be missed.
 */
export function listProcesses({ atSight, since = 0, except }: ProcessSearch = {}): ProcessFacts[] {
  const seen = new Set<number>();
  const found: ProcessFacts[] = [];
  for (let round = 0; round < MAX_LISTINGS; round += 1) {
    const fresh = listPids().filter((pid) => !seen.has(pid));
    if (fresh.length === 0) break;
    // The newest first: they are the ones that may be gone in a moment.
    for (const pid of fresh.toReversed()) {
      seen.add(pid);
      const isKept = since === 0 || except?.has(pid) === true;
      if (!isKept && wasStartedBefore(pid, since)) continue;
      const facts = processFacts(pid);
      if (facts === null || (!isKept && Number(facts.startTicks) < since)) continue;
      atSight?.(facts);
      found.push(facts);
    }
  }
  return found;
}

/** The limit of listings: where somebody starts processes without end, the search has to end all the same. */
const MAX_LISTINGS = 100;

/**
 * When each process was started, by its number and by the folder that the system made for it: whoever gets the number next
 * gets another folder. To ask for the folder costs a tenth of reading when a process was started, which on a machine with
 * thousands of them is the difference between a look and a pause.
 */
const births = new Map<number, { readonly folder: string; readonly ticks: number }>();
const MAX_BIRTHS = 50_000;

function wasStartedBefore(pid: number, since: number): boolean {
  const folder = folderOf(pid);
  const known = births.get(pid);
  if (known !== undefined && known.folder === folder) return known.ticks < since;
  const ticks = Number(processFacts(pid)?.startTicks ?? NaN);
  if (folder === null || Number.isNaN(ticks)) return false;
  if (births.size >= MAX_BIRTHS) births.clear();
  births.set(pid, { folder, ticks });
  return ticks < since;
}

function folderOf(pid: number): string | null {
  try {
    const { ino, ctimeMs } = lstatSync(`/proc/${pid}`);
    return `${ino} ${ctimeMs}`;
  } catch {
    return null;
  }
}

const listPids = (): number[] => listNames('/proc').map(Number).filter(Number.isInteger);

/** The process and all that descend from it, by what each says of its children: cheap, but orphans are not in it. */
export function processTree(root: number): ProcessFacts[] {
  const found: ProcessFacts[] = [];
  const seen = new Set<number>();
  const waiting = [root];
  while (waiting.length > 0) {
    const pid = waiting.pop();
    if (pid === undefined || seen.has(pid)) continue;
    seen.add(pid);
    const facts = processFacts(pid);
    if (facts === null) continue;
    found.push(facts);
    waiting.push(...childrenOf(pid));
  }
  return found;
}

function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) =>
    (readTextOrNull(`/proc/${pid}/task/${thread}/children`, 'latin1') ?? '')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
}

export const isAlive = (facts: ProcessFacts | null): boolean =>
  facts !== null && facts.state !== 'Z' && facts.state !== 'X';

/** Whether the process sleeps in a read of a terminal. */
export function readsTerminal(pid: number): boolean {
  const [call, descriptor] = (readTextOrNull(`/proc/${pid}/syscall`, 'latin1') ?? '').split(' ');
  if (call !== READ_CALL || descriptor === undefined) return false;
  try {
    const target = readlinkSync(`/proc/${pid}/fd/${Number(descriptor)}`);
    return target.startsWith('/dev/pts/') || target === '/dev/tty' || target === '/dev/console';
  } catch {
    return false;
  }
}

const READ_CALL = process.arch === 'arm64' ? '63' : '0';

/** Bytes a page has; 4096 everywhere but on some ARM machines, where the sum is then too small, never too big. */
export const PAGE_BYTES = 4096;
/** Linux has reported times in hundredths of a second for decades, whatever its own clock does. */
export const MS_PER_TICK = 10;

/**
 * A look takes time from the window. Where there are many processes, who looks again and again rests for longer; but what
 * a command may not pass must not go unseen for too long.
 */
export const pauseAfterLook = (beganAt: number): number =>
  Math.min(REST_FOR_EACH_LOOK * (performance.now() - beganAt), MAX_REST_MS);
const REST_FOR_EACH_LOOK = 10;
const MAX_REST_MS = 2000;
