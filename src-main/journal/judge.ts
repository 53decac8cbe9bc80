import type { AuditVerdict } from '../../src-preload/contract/telemetry.js';
import type { ChainCheck } from './queries/verify.js';
import type { SignedHead } from './signed-head.js';

/** Holds the chain that was found against the head that was signed. */
export function judge(check: ChainCheck, head: SignedHead | 'forged' | 'unavailable' | null): AuditVerdict {
  const { chain, altered } = check;
  if (!chain.ok) return chain;
  return (
    judgeHead(check, chain.events, head) ?? altered ?? { ...chain, signed: typeof head === 'object' && head !== null }
  );
}

function judgeHead(
  check: ChainCheck,
  events: number,
  head: SignedHead | 'forged' | 'unavailable' | null,
): AuditVerdict | null {
  const after = events + 1;
  if (head === 'unavailable') return null;
  if (head === 'forged') return bad(after, 'The signed head (audit-head.json) was not signed by this Gatehouse.');
  if (head === null) {
    return check.wasSigned
      ? bad(after, 'The signed head (audit-head.json) is missing: whether events were cut off the end can’t be told.')
      : null;
  }
  if (head.seq > events) {
    return bad(after, `Events ${after} to ${head.seq} are missing: ${head.seq} were signed for.`);
  }
  return check.at === head.hash ? null : bad(head.seq, `Event ${head.seq} is not the one that was signed for.`);
}

function bad(firstBad: number, reason: string): AuditVerdict {
  return { ok: false, firstBad, reason };
}
