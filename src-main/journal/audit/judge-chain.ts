import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import { buildEventPayload, type HeadSigner, type SignedHead } from './head-signing.js';
import type { ExternalHeadState } from './external-head.js';
import type { ChainCheck, SignatureCheck } from '../reading/queries/verify.js';

/** The evidence that the chain is checked against: read before the chain was verified. */
export interface AuditEvidence {
  readonly signer: HeadSigner;
  readonly head: SignedHead | 'forged' | 'unavailable' | null;
  readonly kept: ExternalHeadState;
}

/** Signatures are looked at on the main thread, which has the key: in steps that nobody feels. */
const SIGNATURES_AT_ONCE = 500;

/** The places in the chain whose hashes are needed. */
export function listCheckedSeqs({ head, kept }: AuditEvidence): readonly number[] {
  return [
    ...(typeof head === 'object' && head !== null ? [head.seq] : []),
    ...(kept.is !== 'unknown' && kept.number !== null ? [kept.number.seq] : []),
  ];
}

/** Holds the chain that was found against the head that was signed, and against what the system's own store knows. */
export async function judgeChain(check: ChainCheck, proofs: AuditEvidence): Promise<AuditVerdict> {
  const { chain, altered, unsigned } = check;
  const { head, kept } = proofs;
  if (!chain.ok) return chain;
  const wrong =
    judgeHead(check, chain.events, head) ??
    judgeKept(check, chain.events, kept) ??
    (await judgeSignatures(check, proofs)) ??
    judgeFrozen(check, chain.events, proofs) ??
    altered;
  if (wrong !== null) return wrong;
  const signed = typeof head === 'object' && head !== null;
  return { ...chain, signed, ...(unsigned.length === 0 ? {} : { unsigned }), olderCopy: describeOlderCopyCheck(kept) };
}

function judgeHead({ at, wasSigned }: ChainCheck, events: number, head: AuditEvidence['head']): AuditVerdict | null {
  const after = events + 1;
  if (head === 'unavailable') return null;
  if (head === 'forged') {
    return acceptableBreak(after, 'The signed head (audit-head.json) was not signed by this Gatehouse.');
  }
  if (head === null) {
    const reason = 'The signed head (audit-head.json) is missing: whether events were cut off the end can’t be told.';
    return wasSigned ? acceptableBreak(after, reason) : null;
  }
  if (head.seq > events) {
    return acceptableBreak(after, `Events ${after} to ${head.seq} are missing: ${head.seq} were signed for.`);
  }
  if (at.get(head.seq) === head.hash) return null;
  return acceptableBreak(head.seq, `Event ${head.seq} is not the one that was signed for.`);
}

function judgeKept({ at }: ChainCheck, events: number, kept: ExternalHeadState): AuditVerdict | null {
  if (kept.is === 'unknown') return null;
  const { number } = kept;
  if (number === null) {
    return acceptableBreak(
      1,
      'Another history was kept in this folder, as the system’s own key store knows, and this is not it.',
    );
  }
  const from = 'The system’s own key store knows of this history';
  if (number.seq > events) {
    const missing = `Events ${events + 1} to ${number.seq} are missing`;
    return acceptableBreak(
      events + 1,
      `${missing}. ${from} up to event ${number.seq}: an older copy was put in its place, its end was cut off, or it was begun anew.`,
    );
  }
  if (kept.is === 'kept' && at.get(number.seq) === number.hash) return null;
  return acceptableBreak(
    number.seq,
    `Event ${number.seq} is not the one that was recorded. ${from} up to that event, and here it is another: an older copy was put in its place and went on, or it was begun anew.`,
  );
}

const UNSIGNED_WORDS: Readonly<Record<SignatureCheck['what'], string>> = {
  end: 'is the last one and carries no signature of this Gatehouse: it was added by somebody else.',
  retention: 'erases calls and carries no signature of this Gatehouse: they were erased by somebody else.',
  'unsigned-range': 'speaks for others and carries no signature of this Gatehouse: it was added by somebody else.',
  accepted: 'speaks for others and carries no signature of this Gatehouse: it was added by somebody else.',
};

/** Judges a frozen history. Foreign events may be gone again: that they were there is for the person to know. */
function judgeFrozen({ isFrozen }: ChainCheck, events: number, { kept }: AuditEvidence): AuditVerdict | null {
  const knownOutside = kept.is === 'kept' && kept.number.frozen === true;
  if (!isFrozen && !knownOutside) return null;
  const after = knownOutside ? Math.min(kept.number.seq + 1, events + 1) : events + 1;
  return acceptableBreak(
    after,
    'At an earlier start the end of this history was not what Gatehouse had written. Nothing was signed since.',
  );
}

async function judgeSignatures(
  { toBeSigned, signatures: { seqs, hashes, macs } }: ChainCheck,
  { signer, head, kept }: AuditEvidence,
): Promise<AuditVerdict | null> {
  const known = [
    typeof head === 'object' ? head?.signedFrom : null,
    kept.is === 'kept' ? kept.number.signedFrom : null,
  ].filter((seq) => typeof seq === 'number');
  if (!signer.available || known.length === 0) return null;
  const signedFrom = Math.min(...known);
  for (const [index, event] of toBeSigned.entries()) {
    if (event.seq < signedFrom) continue;
    if (event.mac === null || !signer.verify(buildEventPayload(event), event.mac)) {
      return acceptableBreak(event.seq, `Event ${event.seq} ${UNSIGNED_WORDS[event.what]}`);
    }
    if (index % SIGNATURES_AT_ONCE === SIGNATURES_AT_ONCE - 1) await new Promise(setImmediate);
  }
  for (const [index, seq] of seqs.entries()) {
    if (seq < signedFrom) continue;
    const at = (of: Uint8Array): Uint8Array => of.subarray(index * 32, index * 32 + 32);
    if (!signer.verify(buildEventPayload({ seq, hash: at(hashes) }), at(macs)))
      return acceptableBreak(
        seq,
        `Event ${seq} carries a signature that is none of this Gatehouse: it was added by somebody else.`,
      );
    if (index % SIGNATURES_AT_ONCE === SIGNATURES_AT_ONCE - 1) await new Promise(setImmediate);
  }
  return null;
}

function describeOlderCopyCheck(
  kept: ExternalHeadState,
): NonNullable<Extract<AuditVerdict, { ok: true }>['olderCopy']> {
  if (kept.is !== 'kept') {
    const why = kept.is === 'unknown' ? kept.why : '';
    return {
      told: false,
      words: `An older copy of the whole data folder, put back, can’t be told from this one. ${why}`.trim(),
    };
  }
  const { since, sinceSeq, seq } = kept.number;
  const known = { told: true, since, sinceEvent: sinceSeq, upToEvent: seq };
  if (kept.behind === null) {
    return {
      ...known,
      words: 'The system’s own key store knows how far this history reaches: an older copy would be told.',
    };
  }
  return {
    ...known,
    words: `The system’s own key store knows this history up to event ${seq} only: a copy of after that can’t be told. ${kept.behind}`,
  };
}

/** Broken, and yet the person may know why, and go on with it: a folder that they put back themselves. */
function acceptableBreak(firstBad: number, reason: string): AuditVerdict {
  return { ok: false, firstBad, reason, acceptable: true };
}
