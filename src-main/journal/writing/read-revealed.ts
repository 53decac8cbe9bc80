import type { Database } from 'better-sqlite3';
import type { RevealedCall } from '#contract/vocabulary/calls.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import type { BodyRow } from './call-row.js';
import { openWholeArguments, openWholeResult } from './sealed-arguments.js';
import { readRevealedOutput } from '../outputs/revealed-output.js';

interface RevealSource {
  readonly db: Database;
  readonly dataDir: string;
  readonly sealer: Sealer;
}

/** Reads what was redacted from a call, as far as it is kept and opens. Null where there is no such call. */
export async function readRevealed(
  callId: string,
  { db, dataDir, sealer }: RevealSource,
): Promise<RevealedCall | null> {
  const row = db
    .prepare<[string], BodyRow>('SELECT d.* FROM calls c JOIN bodies d ON d.call = c.id WHERE c.callId = ?')
    .get(callId);
  if (row === undefined) return null;
  const args = row.sealed === null ? null : openWholeArguments(row, callId, sealer);
  const result = openWholeResult(row.sealedResult, callId, sealer);
  const streams = await Promise.all(
    (['stdout', 'stderr'] as const).map((stream) => readRevealedOutput({ dataDir, callId, stream, sealer })),
  );
  return {
    arguments: args?.arguments ?? null,
    originalArguments: args?.originalArguments ?? null,
    result: result?.content ?? null,
    structured: result?.structured ?? null,
    outputs: streams.filter((each) => each !== null),
  };
}
