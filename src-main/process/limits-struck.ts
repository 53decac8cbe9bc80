import { constants } from 'node:os';
import type { CommandStatus } from './pty-session.js';

/** A setting of `[tools.run_command]` that ended a command. */
export type StruckLimit =
  | 'max_cpu_seconds'
  | 'max_memory_bytes'
  | 'max_open_files'
  | 'max_file_bytes'
  | 'max_processes'
  | 'max_output_file_bytes';

/** The system's own words for a refused resource, as they stand at the end of what a command complained about. */
const COMPLAINTS: readonly (readonly [StruckLimit, RegExp])[] = [
  ['max_memory_bytes', /cannot allocate memory|memoryerror|std::bad_alloc|virtual memory exhausted|out of memory/iu],
  ['max_open_files', /too many open files/iu],
  ['max_file_bytes', /file too large|file size limit exceeded/iu],
  ['max_processes', /cannot fork|can't fork|fork: (?:retry: )?resource temporarily unavailable/iu],
];

/** Which limit ended the command: by the signal that belongs to it, or by the last words of a command that failed. */
export function struckLimit(status: CommandStatus, lastWords: string): StruckLimit | null {
  if (status.signal === constants.signals.SIGXCPU) return 'max_cpu_seconds';
  if (status.signal === constants.signals.SIGXFSZ) return 'max_file_bytes';
  if (status.exitCode === 0) return null;
  const lastLines = lastWords.trimEnd().split('\n').slice(-2).join('\n');
  return COMPLAINTS.find(([, pattern]) => pattern.test(lastLines))?.[0] ?? null;
}

export function signalName(signal: number): string {
  return Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`;
}
