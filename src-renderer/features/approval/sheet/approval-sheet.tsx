import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import { useApp } from '../../../store/app.js';
import { Dialog } from '../../../ui/overlay/dialog.js';
import { counted, formatWhen } from '../../../ui/text/format.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { REACHABLE } from '../../../ui/style/reachable.js';
import { askerWords } from '#contract/vocabulary/call-words.js';
import { Visible } from '../../../ui/text/visible.js';
import { ApprovalCallView } from '../call/approval-call-view.js';
import type { SheetAction } from './approval-keys.js';
import { ApprovalList } from './approval-list.js';
import { SheetFoot } from './sheet-foot.js';
import { move, toggle, toggleGit, toggleNetwork } from './sheet-state.js';
import { useSheet } from './use-sheet.js';
import { useSheetKeys } from './use-sheet-keys.js';
import './approval.css';

/** In a larger sheet, effects are drawn as they come near. */
const DRAW_ALL_CALLS = 12;

/** The first batch that waits for the person. Nothing else decides, and it never closes by itself. */
export function ApprovalSheet() {
  const request = useApp((state) => state.app.approvals[0] ?? null);
  const waiting = useApp((state) => state.app.approvals.length);
  // What is unfinished comes before anything new, and a question of the app lies above the sheet.
  const hidden = useApp((state) => state.app.recovery !== null);
  const covered = useApp((state) => state.app.question !== null);
  if (request === null || hidden) return null;
  return <OpenSheet request={request} behind={waiting - 1} covered={covered} />;
}

interface OpenSheetProps {
  readonly request: ApprovalRequest;
  readonly behind: number;
  readonly covered: boolean;
}

function OpenSheet({ request, behind, covered }: OpenSheetProps) {
  const sheet = useSheet(request);
  const { state, change } = sheet;
  const [edited, setEdited] = useState<{ readonly batchId: string; readonly callId: string } | null>(null);
  const editing = edited !== null && edited.batchId === request.batchId ? edited.callId : null;
  const list = useRef<HTMLElement>(null);
  const pages = useRef<HTMLElement>(null);
  const many = request.calls.length > 1;

  const { batchId } = request;
  const edit = useCallback(
    (callId: string | null) => {
      setEdited(callId === null ? null : { batchId, callId });
      if (callId === null) list.current?.focus();
      else requestAnimationFrame(() => show(pages.current, callId));
    },
    [batchId],
  );
  const onToggle = useCallback(
    (callId: string) => change((current) => toggle({ ...current, focused: callId }, callId)),
    [change],
  );
  const onToggleNetwork = useCallback(
    (callId: string) => change((current) => toggleNetwork({ ...current, focused: callId }, callId)),
    [change],
  );
  const onToggleGit = useCallback(
    (callId: string) => change((current) => toggleGit({ ...current, focused: callId }, callId)),
    [change],
  );
  const onReason = useCallback(
    (callId: string, reason: string) =>
      change((current) => ({ ...current, reasons: new Map(current.reasons).set(callId, reason) })),
    [change],
  );
  const approveSelected = () => {
    if (state.selected.size > 0) sheet.decide({ kind: 'approve-selected', callIds: [...state.selected] });
  };
  const focusOn = (callId: string) => {
    change({ ...state, focused: callId });
    show(pages.current, callId);
  };

  const act = (action: SheetAction) => {
    const { focused } = state;
    switch (action) {
      case 'next':
      case 'previous':
      case 'first':
      case 'last': {
        if (!many) {
          pages.current?.scrollBy({ top: action === 'next' || action === 'last' ? 80 : -80 });
          break;
        }
        const next = move(state, request, action);
        change(next);
        if (next.focused !== null) show(pages.current, next.focused);
        break;
      }
      case 'toggle':
        if (focused !== null) change(toggle(state, focused));
        break;
      case 'edit':
        edit(focused);
        break;
      case 'deny-one':
        if (focused !== null) sheet.denyOne(focused);
        break;
      case 'approve-selected':
        approveSelected();
        break;
      case 'approve-all':
        sheet.decide({ kind: 'approve-all' });
        break;
      case 'dismiss':
        edit(null);
        break;
    }
  };
  const appearance = `${request.batchId} ${state.foreignChanges}`;
  useSheetKeys(appearance, act, request.over || covered ? 'covered' : editing === null ? 'deciding' : 'editing');

  useEffect(() => {
    list.current?.focus();
    // Each batch begins at the list.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [request.batchId]);

  const asker = askerWords(request.door, request.client, request.agent);
  return (
    <Dialog
      open
      title="Approve tool calls"
      size="large"
      className={many ? 'gh-sheet' : 'gh-sheet gh-sheet-single'}
      initialFocus={list}
      description={
        <span className="gh-sheet-about">
          <span>
            <Visible text={asker} /> asks for {counted(request.calls.length, 'call')} · {formatWhen(request.since)}
          </span>
          {behind > 0 ? (
            <span className="gh-sheet-queue">{counted(behind, 'more batch', 'more batches')} after this</span>
          ) : null}
        </span>
      }
      foot={
        <SheetFoot request={request} sheet={sheet} editing={editing !== null} onApproveSelected={approveSelected} />
      }
    >
      {request.over ? (
        <NoticeBox severity="info" title="Nothing is left to decide">
          The caller took these calls back. Nothing was run.
        </NoticeBox>
      ) : request.callerGone ? (
        <NoticeBox severity="info" title="Whoever asked has left">
          Nobody waits for the answer. You can still decide; what comes of it is found in History.
        </NoticeBox>
      ) : null}
      {request.roots.length === 0 ? null : (
        <NoticeBox severity="warning" title="Tools reach other folders than the workspace">
          They may touch only: <Visible text={request.roots.join(', ')} />
        </NoticeBox>
      )}
      {state.note === null ? null : (
        <NoticeBox severity="warning" title="Look again" onDismiss={() => change({ ...state, note: null })}>
          {state.note}
        </NoticeBox>
      )}
      {sheet.problem === null ? null : (
        <NoticeBox severity="error" title="That could not be done">
          {sheet.problem}
        </NoticeBox>
      )}
      <div className="gh-sheet-main">
        {many ? <ApprovalList ref={list} request={request} state={state} onFocus={focusOn} /> : null}
        <section
          ref={(element) => {
            pages.current = element;
            // A single call needs no list: what it would do has the keys.
            if (!many) list.current = element;
          }}
          className="gh-sheet-pages"
          aria-label="What would happen"
          {...(many ? {} : { 'data-approval-list': '' })}
          {...REACHABLE}
        >
          {request.calls.map((call) => (
            <ApprovalCallView
              key={call.callId}
              call={call}
              batchId={request.batchId}
              digest={request.digest}
              selected={state.selected.has(call.callId)}
              network={state.network.has(call.callId)}
              writesGit={state.writesGit.has(call.callId)}
              focused={many && state.focused === call.callId}
              editing={editing === call.callId}
              decidable={!request.over}
              drawn={request.calls.length <= DRAW_ALL_CALLS}
              reason={many ? (state.reasons.get(call.callId) ?? '') : null}
              onToggle={onToggle}
              onToggleNetwork={onToggleNetwork}
              onToggleGit={onToggleGit}
              onEdit={edit}
              onWillEdit={sheet.willEdit}
              onDeny={sheet.denyOne}
              onReason={onReason}
            />
          ))}
        </section>
      </div>
    </Dialog>
  );
}

function show(pages: HTMLElement | null, callId: string): void {
  pages?.querySelector(`[data-approval-call="${CSS.escape(callId)}"]`)?.scrollIntoView({ block: 'start' });
}
