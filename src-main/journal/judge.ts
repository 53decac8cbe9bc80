import type { AuditVerdict } from '../../src-preload/contract/telemetry.js';
import type { ChainCheck } from './queries/verify.js';
import type { SignedHead } from './signed-head.js';

/** Holds the chain that was found against the head that was signed. */
export function judge(check: ChainCheck, head: SignedHead | 'forged' | 'unavailable' | null): AuditVerdict {
  const { verdict } = check;
  if (!verdict.ok) return verdict;
  if (head === 'unavailable') return { ...verdict, signed: false };
  const after = verdict.events + 1;
  if (head === 'forged') return bad(after, 'The signed head (audit-head.json) was not signed by this Gatehouse.');
  if (head === null) {
    return check.wasSigned
      ? bad(after, 'The signed head (audit-head.json) is missing: whether events were cut off the end can’t be told.')
      : { ...verdict, signed: false };
  }
  if (head.seq > verdict.events) {
    return bad(after, `Events ${after} to ${head.seq} are missing: ${head.seq} were signed for.`);
  }
  if (check.at !== head.hash) return bad(head.seq, `Event ${head.seq} is not the one that was signed for.`);
  return { ...verdict, signed: true };
}

function bad(firstBad: number, reason: string): AuditVerdict {
  return { ok: false, firstBad, reason };
}
