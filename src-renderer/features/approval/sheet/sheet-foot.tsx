import { useId } from 'react';
import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import { TextField } from '../../../ui/form/text-field.js';
import { Visible } from '../../../ui/text/visible.js';
import { AnswerButton } from '../../../ui/form/answer-button.js';
import { currentRisk } from './sheet-state.js';
import { describeSecondApproval } from './describe-second-approval.js';
import type { SheetAnswers } from './use-answers.js';
import type { SheetHandle } from './use-sheet.js';

export interface SheetFootProps {
  readonly request: ApprovalRequest;
  readonly sheet: SheetHandle;
  readonly answers: SheetAnswers;
  readonly isMakingRule: boolean;
  readonly onMakeRule: () => void;
}

/** The answers to a sheet, in three places that never move. */
export function SheetFoot({ request, sheet, answers, isMakingRule, onMakeRule }: SheetFootProps) {
  const { state, change, sending } = sheet;
  const { mayApprove } = answers;
  // The rule's own button asks in its own place.
  const askedAgain = answers.askedAgain?.about === 'rule' ? null : answers.askedAgain;
  const ofSelected = askedAgain?.about === 'selected';
  const ofAll = askedAgain?.about === 'all';
  const againWords = askedAgain === null ? '' : describeSecondApproval(askedAgain);
  const names = useId();
  const why = useId();
  const all = request.calls.length;
  const chosen = state.selected.size;
  const one = all === 1;
  const impossible = one ? (request.calls[0]?.rule.impossible ?? null) : null;
  const high = request.calls.some((call) => currentRisk(state, call) === 'high');
  return (
    <footer className="gh-sheet-foot">
      {askedAgain === null ? (
        <TextField
          className="gh-sheet-reason"
          label="Reason"
          placeholder="Tell the agent why (optional)"
          aria-keyshortcuts="D"
          hint={
            <>
              <kbd className="gh-sheet-reason-key">D</kbd>
              <span className="gh-sheet-reason-keys">{`Enter denies${one ? '' : ' all'} · Esc goes back`}</span>
            </>
          }
          value={state.reason}
          data-approval-reason=""
          onChange={(event) => change({ ...state, reason: event.target.value })}
        />
      ) : (
        <output id={names} className="gh-sheet-again">
          <Named label="High risk" calls={askedAgain.high} />
          <Named label="Not all shown" calls={askedAgain.folded} />
        </output>
      )}
      {impossible === null ? null : (
        <span id={why} className="sr-only">
          No rule can cover this. <Visible text={impossible} />
        </span>
      )}
      <div className="gh-sheet-answers">
        <AnswerButton
          tone={ofAll ? 'danger' : one ? 'primary' : 'plain'}
          enabled={mayApprove}
          onClick={answers.approveAll}
          aria-describedby={ofAll ? names : undefined}
          {...(one ? { shortcut: 'Ctrl+Enter', showsKey: !ofAll } : {})}
        >
          {ofAll ? againWords : one ? 'Approve' : `Approve all (${all})${high ? '…' : ''}`}
        </AnswerButton>
        {one ? (
          <AnswerButton
            enabled={impossible === null && !sending}
            aria-expanded={isMakingRule}
            aria-describedby={impossible === null ? undefined : why}
            title={impossible ?? undefined}
            onClick={onMakeRule}
            shortcut="A"
          >
            Approve and always…
          </AnswerButton>
        ) : (
          <AnswerButton
            tone={ofSelected ? 'danger' : 'primary'}
            enabled={mayApprove && chosen > 0}
            onClick={answers.approveSelected}
            aria-describedby={ofSelected ? names : undefined}
            shortcut="Ctrl+Enter"
            showsKey={false}
            title="Ctrl+Enter"
          >
            {ofSelected ? againWords : `Approve selected (${chosen})${chosen === all ? '' : `, deny ${all - chosen}`}`}
          </AnswerButton>
        )}
        <AnswerButton enabled={!sending} onClick={answers.denyAll}>
          {one ? 'Deny' : 'Deny all'}
        </AnswerButton>
      </div>
    </footer>
  );
}

function Named({ label, calls }: { readonly label: string; readonly calls: readonly ApprovalCall[] }) {
  if (calls.length === 0) return null;
  return (
    <span className="gh-sheet-again-named">
      {label}:{' '}
      {calls.map(({ callId, summary }, at) => (
        <span key={callId}>
          {at === 0 ? null : ', '}
          <Visible text={summary} />
        </span>
      ))}{' '}
    </span>
  );
}
