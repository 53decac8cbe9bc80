import { type ReactNode, type RefObject, useCallback, useId, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import { type AllowedNetwork, NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { useApp } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { FOCUSABLE } from '../../../ui/style/focusable.js';
import { joinClassNames } from '../../../ui/style/join-class-names.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { ApprovalCallView } from '../call/approval-call-view.js';
import { NOTHING_OPENED } from '../call/folded-in-call.js';
import { FIRST_RULE, RulePanel } from '../rule/rule-panel.js';
import type { SheetAction } from './approval-keys.js';
import { describeSecondApproval } from './describe-second-approval.js';
import { ApprovalList } from './approval-list.js';
import { SheetFoot } from './sheet-foot.js';
import { createDraft, type EditDraft } from '../call/edit-draft.js';
import { allowNetwork, moveFocus, openFolded, toggle, toggleGit, toggleRead, toggleReveal } from './sheet-state.js';
import { useAnswers } from './use-answers.js';
import { useAsker } from './use-asker.js';
import type { SheetProgressHandle } from './use-sheet-progress.js';
import { useSheet } from './use-sheet.js';
import { useSheetKeys } from './use-sheet-keys.js';
import './approval.css';

/** The number of calls past which effects are drawn as they come near. */
const NOTHING_READ: readonly string[] = [];
const DRAW_ALL_CALLS = 12;

export interface ApprovalSheetProps {
  readonly request: ApprovalRequest;
  readonly begun: SheetProgressHandle;
  /** The whole of it, and the list of its calls: where the keys are. */
  readonly whole: RefObject<HTMLElement | null>;
  readonly list: RefObject<HTMLElement | null>;
  /** The list of waiting requests, to choose from. */
  readonly waiting: ReactNode;
  /** Whether it takes no key and no press: another sheet was here a moment ago. */
  readonly isQuiet: boolean;
  readonly onDenied: () => void;
  /** Called when it goes while the focus is on it; `typing`: in a text that is under way. */
  readonly onLeave: (typing: boolean) => void;
}

const TYPING = 'input:not([type="checkbox"]):not([type="radio"]), textarea, [contenteditable]';

/**
 * The approval sheet: what one asker wants of the person. Nothing else decides, and while anything on it can be decided
 * it stays.
 */
export function ApprovalSheet({ request, begun, whole, list, waiting, ...props }: ApprovalSheetProps) {
  const sheet = useSheet(request, begun, props.onDenied);
  const { state, change } = sheet;
  const { edit: draft, rule } = state;
  const many = request.calls.length > 1;
  const [only] = request.calls;
  const wanted = !many && only?.rule.impossible === null ? rule : null;
  const answers = useAnswers(request, sheet, { isEditing: draft !== null, isMakingRule: wanted !== null });
  const pages = useRef<HTMLElement>(null);
  const title = useId();
  const { onLeave } = props;
  const isAnswered = useRef(false);
  useLayoutEffect(() => {
    isAnswered.current = sheet.sending;
  });
  useLayoutEffect(() => {
    const element = whole.current;
    return () => {
      // While it still stands: the focus goes with it.
      const { activeElement } = document;
      if (activeElement === null || element?.contains(activeElement) !== true) return;
      // A person who sent the answer has said what they wanted to say.
      onLeave(!isAnswered.current && activeElement.matches(TYPING));
    };
  }, [whole, onLeave]);

  const edit = useCallback(
    (callId: string | null) => {
      const call = request.calls.find((each) => each.callId === callId);
      change((current) => ({ ...current, edit: call === undefined ? null : createDraft(call) }));
      if (callId === null) list.current?.focus();
      else requestAnimationFrame(() => show(pages.current, callId));
    },
    [list, change, request],
  );
  const onDraft = useCallback((typed: EditDraft) => change((current) => ({ ...current, edit: typed })), [change]);
  const onToggle = useCallback(
    (callId: string) => change((current) => toggle({ ...current, focused: callId }, callId)),
    [change],
  );
  const onNetwork = useCallback(
    (call: ApprovalCall, allowed: AllowedNetwork) =>
      change((current) => allowNetwork({ ...current, focused: call.callId }, call, allowed)),
    [change],
  );
  const onToggleRead = useCallback(
    (callId: string, path: string) => change((current) => toggleRead({ ...current, focused: callId }, callId, path)),
    [change],
  );
  const onToggleGit = useCallback(
    (callId: string) => change((current) => toggleGit({ ...current, focused: callId }, callId)),
    [change],
  );
  const onToggleReveal = useCallback(
    (callId: string) => change((current) => toggleReveal({ ...current, focused: callId }, callId)),
    [change],
  );
  const onOpened = useCallback(
    (callId: string, keys: readonly string[]) => change((current) => openFolded(current, callId, keys)),
    [change],
  );
  const onReason = useCallback(
    (callId: string, reason: string) =>
      change((current) => ({ ...current, reasons: new Map(current.reasons).set(callId, reason) })),
    [change],
  );
  const focusOn = (callId: string) => {
    change({ ...state, focused: callId });
    show(pages.current, callId);
  };

  const makeRule = (): boolean => {
    if (many || only?.rule.impossible !== null) return false;
    change({ ...state, rule: { ...FIRST_RULE, readable: state.reads.get(only.callId) ?? [] } });
    pages.current?.scrollTo({ top: 0 });
    return true;
  };
  const closeRule = () => {
    change({ ...state, rule: null });
    answers.back();
    list.current?.focus();
  };

  const act = (action: SheetAction): boolean => {
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
        const next = moveFocus(state, request, action);
        change(next);
        if (next.focused !== null) show(pages.current, next.focused);
        break;
      }
      case 'toggle':
        if (focused !== null && many) change(toggle(state, focused));
        break;
      case 'edit':
        edit(focused);
        break;
      case 'reason':
        // The second question stands in its place.
        flushSync(() => void answers.back());
        getReason(whole.current)?.focus();
        break;
      case 'deny-with-reason':
        answers.denyAll();
        break;
      case 'approve':
        if (many) answers.approveSelected();
        else answers.approveAll();
        break;
      case 'make-rule':
        return makeRule();
      case 'dismiss':
        if (draft !== null) edit(null);
        else if (document.activeElement !== null && document.activeElement === getReason(whole.current))
          list.current?.focus();
        else if (answers.back()) break;
        else if (wanted === null) return false;
        else closeRule();
    }
    return true;
  };
  useSheetKeys(whole, { counts: answers.stood, isEditing: draft !== null, onAction: act });

  const asker = useAsker(request).whole;
  const behind = request.behind.length;
  const several = useApp(({ app }) => app.workspaces.length > 1);
  return (
    <section
      ref={whole}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a dialog element would be modal, or take no part in the layout
      role="dialog"
      aria-labelledby={title}
      aria-keyshortcuts="Control+J"
      className={joinClassNames('gh-sheet', many && 'gh-sheet-many')}
      tabIndex={-1}
      data-approvable={answers.mayApprove}
      data-answerable={!props.isQuiet}
    >
      <header className="gh-sheet-head">
        <h2 id={title} className="gh-sheet-title">
          Approve tool calls
        </h2>
        <span className="gh-sheet-about">
          <Visible text={asker} /> · {counted(request.calls.length, 'call')}
          {several ? (
            <span title={request.workspace}>
              {' · in '}
              <Visible text={request.workspace} />
            </span>
          ) : null}
        </span>
        {behind === 0 ? null : (
          <Button size="small" onClick={sheet.showNew}>
            {counted(behind, 'new call')} · Show
          </Button>
        )}
      </header>
      {waiting}
      <div className="gh-sheet-body">
        {request.callerGone ? (
          <NoticeBox severity="info" title={`${request.agent ?? request.client ?? 'The client'} disconnected`}>
            You can still run this; the result will be in History.
          </NoticeBox>
        ) : null}
        {request.roots.length === 0 ? null : (
          <NoticeBox severity="warning" title="Tools can use other folders">
            They can use only: <Visible text={request.roots.join(', ')} />
          </NoticeBox>
        )}
        {state.note === null ? null : (
          <NoticeBox severity="warning" title="Changed" onDismiss={() => change({ ...state, note: null })}>
            {state.note}
          </NoticeBox>
        )}
        {sheet.problem === null ? null : (
          <NoticeBox severity="error" title="That didn’t work">
            {sheet.problem}
          </NoticeBox>
        )}
      </div>
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
          {...FOCUSABLE}
        >
          {wanted === null || only === undefined ? null : (
            <RulePanel
              request={request}
              call={only}
              wanted={wanted}
              mayApprove={answers.mayApprove}
              askedAgain={answers.askedAgain?.about === 'rule' ? describeSecondApproval(answers.askedAgain) : null}
              onChange={(next) => {
                answers.back();
                change({ ...state, rule: next });
              }}
              onMake={() => answers.approveWithRule(wanted)}
              onClose={closeRule}
            />
          )}
          {request.calls.map((call) => (
            <ApprovalCallView
              key={call.callId}
              call={call}
              batchId={request.batchId}
              workspace={request.workspace}
              stood={answers.mayApprove}
              digest={request.digest}
              single={!many}
              selected={state.selected.has(call.callId)}
              network={state.network.get(call.callId) ?? NOTHING_ALLOWED}
              writesGit={state.writesGit.has(call.callId)}
              reveals={state.reveals.has(call.callId)}
              reads={state.reads.get(call.callId) ?? NOTHING_READ}
              opened={state.opened.get(call.callId) ?? NOTHING_OPENED}
              focused={many && state.focused === call.callId}
              draft={draft?.callId === call.callId ? draft : null}
              drawn={request.calls.length <= DRAW_ALL_CALLS}
              reason={many ? (state.reasons.get(call.callId) ?? '') : null}
              onToggle={onToggle}
              onNetwork={onNetwork}
              onToggleGit={onToggleGit}
              onToggleReveal={onToggleReveal}
              onToggleRead={onToggleRead}
              onOpened={onOpened}
              onEdit={edit}
              onDraft={onDraft}
              onWillEdit={sheet.willEdit}
              onDeny={sheet.denyOne}
              onReason={onReason}
            />
          ))}
        </section>
      </div>
      <SheetFoot
        request={request}
        sheet={sheet}
        answers={answers}
        isMakingRule={wanted !== null}
        onMakeRule={makeRule}
      />
    </section>
  );
}

const getReason = (sheet: HTMLElement | null): HTMLElement | null =>
  sheet?.querySelector<HTMLElement>('[data-approval-reason]') ?? null;

function show(pages: HTMLElement | null, callId: string): void {
  pages?.querySelector(`[data-approval-call="${CSS.escape(callId)}"]`)?.scrollIntoView({ block: 'start' });
}
