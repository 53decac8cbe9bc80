import type { ApprovalRequest } from '#contract/window/approvals.js';
import { Button } from '../../../ui/form/button.js';
import { TextField } from '../../../ui/form/text-field.js';
import { RememberMenu } from './remember-menu.js';
import { rememberProblem } from './decide-request.js';
import type { Sheet } from './use-sheet.js';

export interface SheetFootProps {
  readonly request: ApprovalRequest;
  readonly sheet: Sheet;
  /** Arguments are being edited: what would run is not decided yet. */
  readonly editing: boolean;
  readonly onApproveSelected: () => void;
}

export function SheetFoot({ request, sheet, editing, onApproveSelected }: SheetFootProps) {
  const { state, change, sending } = sheet;
  if (request.over) {
    return <Button onClick={sheet.close}>Close</Button>;
  }
  const blocked = sending || editing || rememberProblem(request, state) !== null;
  return (
    <div className="gh-sheet-foot">
      <TextField
        className="gh-sheet-reason"
        label="Reason"
        placeholder="Why not: told to whoever asked, for each call you deny"
        value={state.reason}
        onChange={(event) => change({ ...state, reason: event.target.value })}
      />
      <div className="gh-sheet-answers">
        <Button disabled={sending} onClick={() => sheet.decide({ kind: 'deny-all' })}>
          Deny all
        </Button>
        <span className="gh-sheet-gap" />
        <RememberMenu request={request} state={state} onChange={change} />
        <Button disabled={blocked} title="Ctrl+Shift+Enter" onClick={() => sheet.decide({ kind: 'approve-all' })}>
          Approve all ({request.calls.length})
        </Button>
        <Button
          disabled={blocked || state.selected.size === 0}
          tone="primary"
          title="Ctrl+Enter. The others are denied."
          onClick={onApproveSelected}
        >
          Approve selected ({state.selected.size})
        </Button>
      </div>
    </div>
  );
}
