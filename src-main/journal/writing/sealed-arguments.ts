import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import type { UnredactedResult } from '../../domain/call/journal-events.js';
import type { BodyRow } from './call-row.js';

/** The arguments of a call, and those before the person edited it. */
export interface WholeArguments {
  readonly arguments: JsonObject;
  readonly originalArguments?: JsonObject | null;
}

export const argumentsSealPurpose = (callId: string): string => `arguments of call ${callId}`;

/** The arguments as they came; null where secrets were taken out of them and they can't be opened any more. */
export function openWholeArguments(
  row: Pick<BodyRow, 'arguments' | 'originalArguments' | 'sealed'>,
  callId: string,
  sealer: Sealer,
): WholeArguments | null {
  if (row.sealed === null) {
    const originally = row.originalArguments;
    return {
      arguments: JSON.parse(row.arguments) as JsonObject,
      originalArguments: originally === null ? null : (JSON.parse(originally) as JsonObject),
    };
  }
  const opened = sealer.open(row.sealed, argumentsSealPurpose(callId));
  return opened === null ? null : (JSON.parse(Buffer.from(opened).toString()) as WholeArguments);
}

export const resultSealPurpose = (callId: string): string => `result of call ${callId}`;

export type WholeResult = Pick<UnredactedResult, 'content' | 'structured'>;

/** Null where nothing was taken out of it, or it can't be opened. */
export function openWholeResult(sealed: Uint8Array | null, callId: string, sealer: Sealer): WholeResult | null {
  const opened = sealed === null ? null : sealer.open(sealed, resultSealPurpose(callId));
  return opened === null ? null : (JSON.parse(Buffer.from(opened).toString()) as WholeResult);
}
