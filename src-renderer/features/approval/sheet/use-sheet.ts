import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Decision, RuleWanted } from '#contract/vocabulary/decisions.js';
import type { BridgeResult } from '#contract/window/result.js';
import { ask } from '../../../bridge/use-request.js';
import { nameSheet } from './sheet-progress.js';
import { buildDecision } from './decide-request.js';
import { openSheet, type SheetState } from './sheet-state.js';
import type { SheetProgressHandle } from './use-sheet-progress.js';

type SheetChange = SheetState | ((before: SheetState) => SheetState);

export interface SheetHandle {
  readonly state: SheetState;
  readonly change: (next: SheetChange) => void;
  /** An answer is on its way. */
  readonly sending: boolean;
  readonly problem: string | null;
  readonly decide: (decision: Decision, rule?: RuleWanted) => void;
  readonly denyOne: (callId: string) => void;
  /** Brings what came later onto the sheet. */
  readonly showNew: () => void;
  /** Tells the sheet that the next change of this call is the person's own. */
  readonly willEdit: (callId: string) => void;
}

/** The person's actions on the sheet that is shown. `onDenied`: it was denied, as they said. */
export function useSheet(request: ApprovalRequest, begun: SheetProgressHandle, onDenied: () => void): SheetHandle {
  const [sent, setSent] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const name = nameSheet(request);
  const state = begun.sheets.get(name)?.state ?? openSheet(request);
  const { change: changeOf } = begun;
  const change = useCallback(
    (next: SheetChange) => changeOf(name, (before) => (typeof next === 'function' ? next(before) : next)),
    [changeOf, name],
  );
  const sending = sent === request.digest;

  const send = async (asked: Promise<BridgeResult<unknown>>, isDenial: boolean) => {
    setSent(request.digest);
    setProblem(null);
    begun.answer(name);
    const result = await asked;
    // An answered sheet is not answered again: it goes, or comes anew.
    if (result.ok) {
      if (isDenial) onDenied();
      return;
    }
    setSent((digest) => (digest === request.digest ? null : digest));
    const callIds = request.calls.map(({ callId }) => callId);
    begun.fail({ name, state, callIds }, result.error.message);
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
    void send(ask('approvals.denyOne', { batchId, callId, digest, ...(reason === '' ? {} : { reason }) }), true);
  };
  const latest = useRef(denyOne);
  useEffect(() => {
    latest.current = denyOne;
  });

  return {
    state,
    change,
    sending,
    problem,
    decide: (decision, rule) => {
      if (!sending)
        void send(ask('approvals.decide', buildDecision(request, state, decision, rule)), decision.kind === 'deny-all');
    },
    // A stable function: a sheet of a thousand calls is not drawn anew because one of them changed.
    denyOne: useCallback((callId: string) => latest.current(callId), []),
    showNew: () =>
      void ask('approvals.show', { batchId: request.batchId }).then((shown) => {
        setProblem(shown.ok ? null : shown.error.message);
      }),
    willEdit: begun.willEdit,
  };
}
