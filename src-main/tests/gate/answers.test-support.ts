import type { AppEventBody } from '#contract/window/app-events.js';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';

/** The sheets that the window shows, by the events that it hears. */
export function followSheets() {
  const shown = new Map<string, ApprovalRequest>();
  return {
    hear: (event: AppEventBody): void => {
      if (event.type === 'approval') shown.set(event.approval.batchId, event.approval);
      if (event.type === 'approval-gone') shown.delete(event.batchId);
    },
    sheets: (): readonly ApprovalRequest[] => [...shown.values()],
  };
}

/** The person’s answer to a sheet as it is: what is of High risk they were asked about again. */
export const answerTo = (
  request: ApprovalRequest | undefined,
  kind: 'approve-all' | 'deny-all',
  more: Partial<DecisionMessage> = {},
): DecisionMessage => ({
  batchId: request?.batchId ?? '',
  digest: request?.digest ?? '',
  decision: { kind },
  highRisk: new Set(
    request?.calls.flatMap(({ callId, risk }) =>
      risk === 'high' || more.network?.has(callId) === true ? [callId] : [],
    ),
  ),
  folded: new Set(request?.calls.map(({ callId }) => callId)),
  reason: null,
  reasons: new Map(),
  network: new Map(),
  ...more,
});
