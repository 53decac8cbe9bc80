import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Decision, RuleWanted } from '#contract/vocabulary/decisions.js';
import type { BridgeResult } from '#contract/window/result.js';
import { ask } from '../../../bridge/use-request.js';
import { type BegunSheets, changed, followed, nameOf } from './begun-sheets.js';
import { decideRequest } from './decide-request.js';
import { openSheet, type SheetState } from './sheet-state.js';

type SheetChange = SheetState | ((before: SheetState) => SheetState);

export interface Sheet {
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

/** What the person does on the sheet that is shown, kept in step with main's version of it; and what they began on others. */
export function useSheet(request: ApprovalRequest, waiting: readonly ApprovalRequest[]): Sheet {
  const [begun, setBegun] = useState<BegunSheets>(() => new Map());
  const [sent, setSent] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<{ readonly of: string; readonly words: string } | null>(null);
  const [ownEdit, setOwnEdit] = useState<string | null>(null);
  const name = nameOf(request);

  // Followed while rendering, so that no frame shows one version with the decisions of another.
  const now = followed(begun, waiting, request, ownEdit);
  if (now !== begun) {
    setBegun(now);
    if (begun.get(name)?.seen.digest !== request.digest) setOwnEdit(null);
  }
  const state = now.get(name)?.state ?? openSheet(request);
  const change = useCallback(
    (next: SheetChange) =>
      setBegun((all) => changed(all, name, (before) => (typeof next === 'function' ? next(before) : next))),
    [name],
  );
  const sending = sent === request.digest;

  const send = async (answer: Promise<BridgeResult<unknown>>) => {
    setSent(request.digest);
    setTrouble(null);
    const result = await answer;
    // What was answered is not answered again: the sheet goes, or comes anew.
    if (result.ok) return;
    setSent((digest) => (digest === request.digest ? null : digest));
    const words =
      result.error.code === 'stale'
        ? 'This changed while you were deciding, so nothing was decided. Look at it again, then answer.'
        : result.error.message;
    setTrouble({ of: name, words });
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
    change,
    sending,
    problem: trouble?.of === name ? trouble.words : null,
    decide: (decision, rule) => {
      if (!sending) void send(ask('approvals.decide', decideRequest(request, state, decision, rule)));
    },
    // One function for good: a sheet of a thousand calls is not drawn anew because one of them changed.
    denyOne: useCallback((callId: string) => latest.current(callId), []),
    showNew: () => void send(ask('approvals.show', { batchId: request.batchId })),
    willEdit: setOwnEdit,
  };
}
