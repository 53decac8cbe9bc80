import { createHash } from 'node:crypto';
import { MARK_VARIABLE } from '../environment/environment.js';
import type { ProcessFacts } from './proc-table.js';
import { readTextOrNull } from '../environment/system-files.js';

/**
 * How the processes of a call are known wherever they went. Each inherits two marks: a variable, and a resource limit
 * whose value no other call has. A process can start others without its environment, in a session of their own, with
 * every descriptor closed and its parent gone; the limit comes along through all of that.
 *
 * It is the limit on how long a real-time process may run without a pause, far above what anybody could reach, so it
 * binds nobody. bash can set it since 5.1 (an older one leaves it, and there is the variable alone). To lose both, a
 * process has to clear its environment and lower that limit too, which nothing does by chance.
 */
export const markLimit = (mark: string): number =>
  LOWEST_LIMIT + createHash('sha256').update(mark).digest().readUIntBE(0, LIMIT_BYTES);

/** Microseconds: some 35 years. Numbers stay exact up to 2^53. */
const LOWEST_LIMIT = 2 ** 50;
const LIMIT_BYTES = 6;

interface ProcessMarks {
  readonly variable: string | null;
  readonly limit: number | null;
}

/**
 * The marks of processes seen before, so that looking again and again costs little: the marks that a process was born
 * with do not change.
 */
const known = new Map<string, ProcessMarks>();
const MAX_CACHED = 10_000;

export function carriesMark(facts: ProcessFacts, mark: string): boolean {
  const key = `${facts.pid}:${facts.startTicks}`;
  const marks = known.get(key) ?? readMarks(facts.pid);
  if (marks === null) return false;
  if (marks.variable !== '') {
    if (known.size >= MAX_CACHED) known.clear();
    known.set(key, marks);
  }
  return marks.variable === mark || marks.limit === markLimit(mark);
}

/** Reads the marks of one process; null when it is gone. The variable is empty where nothing can be said yet. */
function readMarks(pid: number): ProcessMarks | null {
  const limits = readTextOrNull(`/proc/${pid}/limits`, 'latin1');
  if (limits === null) return null;
  const [, limit] = /^Max realtime timeout +(\d+)/mu.exec(limits) ?? [];
  return { variable: variableOf(pid), limit: limit === undefined ? null : Number(limit) };
}

/** Null where there is none or it can't be read (another user's process); empty in the midst of an exec. */
function variableOf(pid: number): string | null {
  const environment = readTextOrNull(`/proc/${pid}/environ`, 'latin1');
  if (environment === null || environment === '') return environment;
  const prefix = `${MARK_VARIABLE}=`;
  return (
    environment
      .split('\0')
      .find((each) => each.startsWith(prefix))
      ?.slice(prefix.length) ?? null
  );
}
