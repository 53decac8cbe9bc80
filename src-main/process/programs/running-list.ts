import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reapProcess } from '../ending/reaper.js';
import { listNames } from '../../platform/files/resolve-path.js';

/** The running programs, on disk: after a crash they are found there and ended. */
export interface RunningList {
  /** Notes a program before it does anything. */
  note(program: NotedProgram): void;
  forget(mark: string): void;
}

interface NotedProgram {
  readonly pid: number;
  readonly startTicks: string;
  readonly mark: string;
}

export function openRunningList(folder: string): RunningList {
  return {
    note(program) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(fileOf(folder, program.mark), JSON.stringify(program), { mode: 0o600 });
    },
    forget: (mark) => rmSync(fileOf(folder, mark), { force: true }),
  };
}

/** Ends at start what an app that is gone had started. Programs that can't be ended stay in the list. */
export async function reapPrograms(folder: string, log: (message: string) => void): Promise<void> {
  const marks = listNames(folder).flatMap((name) => /^([0-9a-f]{32})\.json$/u.exec(name)?.[1] ?? []);
  await Promise.all(
    marks.map(async (mark) => {
      const program = readNoted(fileOf(folder, mark), mark);
      const fate = program === null ? 'gone' : await reapProcess(program);
      if (fate === 'alive') log(`A program that ran before could not be ended (marked GATEHOUSE_CALL=${mark}).`);
      else rmSync(fileOf(folder, mark), { force: true });
    }),
  );
}

const fileOf = (folder: string, mark: string): string => join(folder, `${mark}.json`);

/** Null where a crash cut it: then the program had not begun. */
function readNoted(path: string, mark: string): NotedProgram | null {
  try {
    const read = JSON.parse(readFileSync(path, 'utf8')) as Partial<NotedProgram>;
    const { pid, startTicks } = read;
    return typeof pid === 'number' && typeof startTicks === 'string' ? { pid, startTicks, mark } : null;
  } catch {
    return null;
  }
}
