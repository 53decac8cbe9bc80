import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';

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
