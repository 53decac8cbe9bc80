import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import type { SealedCall } from '../reading/queries/sealed-arguments.js';
import { hashWithheldArguments, type KeyedDigest } from '../writing/keyed-digests.js';
import { openWholeArguments } from '../writing/sealed-arguments.js';
import { hashArguments } from './chain.js';

/** Holds sealed arguments against the digests in the chain: null where they are what was asked, or nobody can tell. */
export function judgeSealed(call: SealedCall, sealer: Sealer, digest: KeyedDigest): AuditVerdict | null {
  const { callId, sealed, seq, received, last, inputHash } = call;
  // Nothing was withheld, as far as the chain knows.
  if (!sealer.available || received === null) return null;
  const whole = openWholeArguments({ arguments: '', originalArguments: null, sealed }, callId, sealer);
  if (whole === null) return breakAt(seq, `The sealed arguments of call ${callId} are not what was sealed.`);
  const { arguments: now, originalArguments: before } = whole;
  const isNow =
    last === null ? hashArguments(JSON.stringify(now)) === inputHash : hashWithheldArguments(now, digest) === last;
  const isBefore = (before ?? null) === null || hashWithheldArguments(before, digest) === received;
  return isNow && isBefore
    ? null
    : breakAt(seq, `The sealed arguments of call ${callId} are not those that were recorded.`);
}

const breakAt = (firstBad: number, reason: string): AuditVerdict => ({ ok: false, firstBad, reason });
