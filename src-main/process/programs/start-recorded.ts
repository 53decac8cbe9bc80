import { randomUUID } from 'node:crypto';
import type { ProgramStarted } from '../../domain/call/program-facts.js';
import type { ProgramRecord } from '../../domain/ports/program-record.js';
import type { HeldProgram, HeldProgramEnd } from '../../domain/ports/sources/held-program.js';

/** Starts a program once that it is started is on record; its end is, too, where nobody asked for it. */
export async function startRecorded(
  record: ProgramRecord,
  facts: Omit<ProgramStarted, 'run'>,
  start: () => Promise<HeldProgram>,
): Promise<HeldProgram> {
  const run = randomUUID();
  const { of, name, domain } = facts;
  const over = (how: string): void => record.recordEnd({ run, of, name, domain, how });
  record.recordStart({ run, ...facts });
  let held: HeldProgram;
  try {
    held = await start();
  } catch (error) {
    over(`It could not be started: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  }
  let isAsked = false;
  void held.ended.then((end) => {
    if (!isAsked) over(howItEnded(end));
  });
  return {
    pid: held.pid,
    confinement: held.confinement,
    ...(held.network === undefined ? {} : { network: held.network }),
    write: (chunk) => held.write(chunk),
    endInput: () => held.endInput(),
    stdout: held.stdout,
    stderr: held.stderr,
    side: held.side,
    ended: held.ended,
    end: (graceMs) => {
      isAsked = true;
      return held.end(graceMs);
    },
  };
}

function howItEnded({ code, signal, limit, unstartable }: HeldProgramEnd): string {
  if (unstartable !== null) return unstartable;
  if (limit !== null) return `It ended at a limit (${limit}).`;
  return signal === null ? `It ended with exit code ${code}.` : `It ended by ${signal}.`;
}
