import { constants } from 'node:os';
import type { CommandStatus } from '../start/pty-session.js';

/** A setting of `[tools.run_command]` that ended a command, or what stands for one. */
export type StruckLimit =
  | 'max_cpu_seconds'
  | 'max_memory_bytes'
  | 'max_open_files'
  | 'max_file_bytes'
  | 'max_processes'
  | 'max_output_file_bytes'
  /** No setting: what is left of the disk. */
  | 'disk_free';

/** The system's own words for a refused resource, as they are at the end of what a command complained about. */
const COMPLAINTS: readonly (readonly [StruckLimit, RegExp])[] = [
  ['max_memory_bytes', /cannot allocate memory|memoryerror|std::bad_alloc|virtual memory exhausted|out of memory/iu],
  ['max_open_files', /too many open files/iu],
  ['max_file_bytes', /file too large|file size limit exceeded/iu],
  ['max_processes', /cannot fork|can't fork|fork: (?:retry: )?resource temporarily unavailable/iu],
];

export interface CpuTime {
  readonly usedMs: number;
  /** The time by the clock. */
  readonly ranMs: number;
  readonly maxMs: number;
}

export interface LimitHit {
  readonly limit: StruckLimit;
  /** The exit code where the command ended by itself, and only its last words name the limit. */
  readonly code: number | null;
}

/**
 * The limit that ended the command: by the signal that belongs to it, or by the last words of a command that failed.
 */
export function findStruckLimit(
  { signal, exitCode }: Pick<CommandStatus, 'signal' | 'exitCode'>,
  cpu: CpuTime,
  lastWords: string,
): LimitHit | null {
  // A program may exit with the code that stands for the signal; then it had not the time to use up. What it used is known
  // only as well as we looked, and the system counts by ticks: what was struck at one second may be told as 0.8.
  const hadTheTime = cpu.ranMs >= cpu.maxMs || cpu.usedMs >= cpu.maxMs / 2;
  if (signal === constants.signals.SIGXCPU && hadTheTime) {
    return { limit: 'max_cpu_seconds', code: null };
  }
  if (signal === constants.signals.SIGXFSZ) return { limit: 'max_file_bytes', code: null };
  if (exitCode === 0) return null;
  const lastLines = lastWords.trimEnd().split('\n').slice(-2).join('\n');
  const complaint = COMPLAINTS.find(([, pattern]) => pattern.test(lastLines));
  return complaint === undefined ? null : { limit: complaint[0], code: exitCode };
}

export function signalName(signal: number): string {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
}
