import type { AppEvent } from '#contract/window/app-events.js';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { DecisionMessage, DeskAnswer } from '../../domain/ports/gate/approval-desk.js';

export interface DecidingParts {
  readonly onEvent: (listener: (event: AppEvent) => void) => () => void;
  readonly approvals: () => readonly ApprovalRequest[];
  readonly decide: (message: DecisionMessage) => Promise<DeskAnswer>;
  readonly after: (ms: number, run: () => void) => void;
}

/** A little more than a sheet has to stand before it may be answered. */
const STOOD_MS = 550;

/** The scripted decisions of the demo, where no person sees its sheets: each is approved once it stood for as long as any must. */
export function approveAll({ onEvent, approvals, decide, after }: DecidingParts): () => void {
  const waits = new Set<string>();
  const soon = (batchId: string): void => {
    if (waits.has(batchId)) return;
    waits.add(batchId);
    after(STOOD_MS, () => {
      waits.delete(batchId);
      const sheet = approvals().find((each) => each.batchId === batchId);
      if (sheet === undefined) return;
      // Refused where it changed meanwhile: then as it is now, later.
      void decide(approval(sheet)).then(({ ok }) => {
        if (!ok) soon(batchId);
      });
    });
  };
  return onEvent((event) => {
    if (event.type === 'approval') soon(event.approval.batchId);
  });
}

const approval = ({ batchId, digest, calls }: ApprovalRequest): DecisionMessage => ({
  batchId,
  digest,
  decision: { kind: 'approve-all' },
  highRisk: new Set(calls.filter(({ risk }) => risk === 'high').map(({ callId }) => callId)),
  folded: new Set(calls.map(({ callId }) => callId)),
  reason: null,
  reasons: new Map(),
  network: new Map(),
});
