import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest, Decision } from '../../../src-preload/contract/approvals.js';
import type { RequestOf } from '../../../src-preload/contract/channels.js';
import type { BridgeResult } from '../../../src-preload/contract/result.js';
import { ask } from '../../bridge/use-request.js';
import { commandOf, openSheet, refreshSheet, type SheetState } from './sheet-state.js';

export interface Sheet {
  readonly state: SheetState;
  readonly change: Dispatch<SetStateAction<SheetState>>;
  /** An answer is on its way. */
  readonly sending: boolean;
  readonly problem: string | null;
  readonly decide: (decision: Decision) => void;
  readonly denyOne: (callId: string) => void;
  readonly close: () => void;
  /** Tells the sheet that the next change of this call is the person's own. */
  readonly willEdit: (callId: string) => void;
  /** Counts the changes that came from elsewhere: each is something new to look at. */
  readonly foreignChanges: number;
}

/** What the person does on one sheet, kept in step with main's version of it. */
export function useSheet(request: ApprovalRequest): Sheet {
  const [state, setState] = useState(() => openSheet(request));
  const [shown, setShown] = useState(request);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [ownEdit, setOwnEdit] = useState<string | null>(null);
  const [foreignChanges, setForeignChanges] = useState(0);

  // Followed while rendering, so that no frame shows one version with the decisions of another.
  if (shown !== request) {
    setShown(request);
    const next = refreshSheet(state, shown, request, ownEdit);
    setState(next);
    if (shown.batchId !== request.batchId) setProblem(null);
    if (shown.digest !== request.digest) {
      setSending(false);
      setOwnEdit(null);
      if (next.note !== state.note) setForeignChanges(foreignChanges + 1);
    }
  }

  const send = async (answer: Promise<BridgeResult<unknown>>) => {
    setSending(true);
    setProblem(null);
    const result = await answer;
    setSending(false);
    if (result.ok) return;
    setProblem(
      result.error.code === 'stale'
        ? 'This changed while you were deciding, so nothing was decided. Look at it again, then answer.'
        : result.error.message,
    );
  };

  const denyOne = (callId: string) => {
    if (sending) return;
    const reason = (state.reasons.get(callId) ?? state.reason).trim();
    const { batchId, digest } = request;
    void send(ask('approvals.denyOne', { batchId, callId, digest, ...(reason === '' ? {} : { reason }) }));
  };
  const latest = useRef(denyOne);
  useEffect(() => {
    latest.current = denyOne;
  });

  return {
    state,
    change: setState,
    sending,
    problem,
    decide: (decision) => {
      if (!sending) void send(ask('approvals.decide', decideRequest(request, state, decision)));
    },
    // One function for good: a sheet of a thousand calls is not drawn anew because one of them changed.
    denyOne: useCallback((callId: string) => latest.current(callId), []),
    close: () => void send(ask('approvals.close', { batchId: request.batchId })),
    willEdit: setOwnEdit,
    foreignChanges,
  };
}

/** Ids, the digest and words only: what runs is what main planned, never what this window says. */
export function decideRequest(
  request: ApprovalRequest,
  state: SheetState,
  decision: Decision,
): RequestOf<'approvals.decide'> {
  const approved =
    decision.kind === 'approve-all'
      ? request.calls.map(({ callId }) => callId)
      : decision.kind === 'approve-selected'
        ? decision.callIds
        : [];
  const reason = state.reason.trim();
  const reasons = [...state.reasons]
    .filter(([callId, text]) => text.trim() !== '' && !approved.includes(callId))
    .map(([callId, text]) => ({ callId, reason: text.trim() }));
  const { scope, prefix } = state.remember;
  return {
    batchId: request.batchId,
    digest: request.digest,
    decision: decision.kind === 'approve-selected' ? { ...decision, callIds: [...decision.callIds] } : decision,
    ...(reason === '' ? {} : { reason }),
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(scope === 'once' || approved.length === 0
      ? {}
      : {
          remember: {
            callIds: [...approved],
            scope,
            ...(prefix === null || prefix.trim() === '' ? {} : { prefix: prefix.trim() }),
          },
        }),
  };
}

/** Why a rule can't be remembered as it stands; null when it can. */
export function rememberProblem(request: ApprovalRequest, state: SheetState): string | null {
  const { scope, prefix } = state.remember;
  if (scope === 'once' || prefix === null) return null;
  if (prefix.trim() === '') return 'Write the words that such commands begin with.';
  const other = request.calls.some((call) => {
    const command = state.selected.has(call.callId) ? commandOf(call) : null;
    return command !== null && command !== prefix.trim() && !command.startsWith(`${prefix.trim()} `);
  });
  return other ? 'A selected command does not begin with these words.' : null;
}
