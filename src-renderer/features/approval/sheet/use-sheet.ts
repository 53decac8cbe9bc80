import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Decision } from '#contract/vocabulary/decisions.js';
import type { BridgeResult } from '#contract/vocabulary/result.js';
import { ask } from '../../../bridge/use-request.js';
import { decideRequest } from './decide-request.js';
import { openSheet, refreshSheet, type SheetState } from './sheet-state.js';

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
}

/** What the person does on one sheet, kept in step with main's version of it. */
export function useSheet(request: ApprovalRequest): Sheet {
  const [state, setState] = useState(() => openSheet(request));
  const [shown, setShown] = useState(request);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [ownEdit, setOwnEdit] = useState<string | null>(null);

  // Followed while rendering, so that no frame shows one version with the decisions of another.
  if (shown !== request) {
    setShown(request);
    const next = refreshSheet(state, shown, request, ownEdit);
    setState(next);
    if (shown.batchId !== request.batchId) setProblem(null);
    if (shown.digest !== request.digest) {
      setSending(false);
      setOwnEdit(null);
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
  };
}
