import { Pencil, TriangleAlert, X } from 'lucide-react';
import { memo } from 'react';
import type { ApprovalCall } from '#contract/window/approvals.js';
import { Button } from '../../../ui/form/button.js';
import { Checkbox } from '../../../ui/form/checkbox.js';
import { RiskMark } from '../../../ui/text/marks.js';
import { TextField } from '../../../ui/form/text-field.js';
import { formatLimit } from '../../../calls/card/elapsed.js';
import { Visible } from '../../../ui/text/visible.js';
import { EditArguments } from './edit-arguments.js';
import { EffectView, WhenNear } from './effect-view.js';
import { GitGrant } from './git-grant.js';
import { NetworkGrant } from './network-grant.js';
import { callAttributes, CallName } from '../../../calls/card/call-name.js';
import './approval-call.css';

export interface ApprovalCallViewProps {
  readonly call: ApprovalCall;
  readonly batchId: string;
  readonly digest: string;
  readonly selected: boolean;
  readonly network: boolean;
  readonly writesGit: boolean;
  readonly focused: boolean;
  readonly editing: boolean;
  readonly decidable: boolean;
  readonly drawn: boolean;
  readonly reason: string | null;
  readonly onToggle: (callId: string) => void;
  readonly onToggleNetwork: (callId: string) => void;
  readonly onToggleGit: (callId: string) => void;
  readonly onEdit: (callId: string | null) => void;
  readonly onWillEdit: (callId: string) => void;
  readonly onDeny: (callId: string) => void;
  readonly onReason: (callId: string, reason: string) => void;
}

/** One call on the sheet: why it asks, what it would do, and what can be said to it. */
export const ApprovalCallView = memo(function ApprovalCallView(props: ApprovalCallViewProps) {
  const { call, selected, network, focused, editing, decidable } = props;
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset would bring its own layout rules
      role="group"
      aria-label={call.summary}
      className={focused ? 'gh-ask gh-ask-focused' : 'gh-ask'}
      data-approval-call={call.callId}
      {...callAttributes({ ...call, display: 'pending' })}
    >
      <header className="gh-ask-head">
        {decidable ? (
          <Checkbox checked={selected} ariaLabel="Approve this call" onChange={() => props.onToggle(call.callId)} />
        ) : null}
        <h3 className="gh-ask-title">
          <CallName tool={call.tool} summary={call.summary} />
        </h3>
        <RiskMark risk={call.risk} />
      </header>
      {call.risk === 'high' ? (
        <p className="gh-ask-banner">
          <TriangleAlert aria-hidden />
          This can do lasting harm. Read it before you approve it; it is not selected for you.
        </p>
      ) : null}
      <p className="gh-ask-why">
        <Visible text={call.why} />
      </p>
      {editing ? (
        <EditArguments
          call={call}
          batchId={props.batchId}
          digest={props.digest}
          onWillSave={props.onWillEdit}
          onClose={() => props.onEdit(null)}
        />
      ) : (
        <WhenNear always={props.drawn}>
          <EffectView call={call} />
        </WhenNear>
      )}
      {call.originalArguments === null || editing ? null : (
        <p className="secondary">You edited the arguments. This is what would run.</p>
      )}
      {call.confinementWithNetwork === null || !decidable || editing ? null : (
        <NetworkGrant allowed={network} onToggle={() => props.onToggleNetwork(call.callId)} />
      )}
      {call.offersGit === true && decidable && !editing ? (
        <GitGrant allowed={props.writesGit} onToggle={() => props.onToggleGit(call.callId)} />
      ) : null}
      <footer className="gh-ask-foot">
        <span className="secondary gh-ask-facts">
          {[
            call.undo,
            network ? call.confinementWithNetwork : call.confinement,
            `stops after ${formatLimit(call.timeoutMs)}`,
          ]
            .filter((fact) => fact !== null && fact !== '')
            .join(' · ')}
        </span>
        {decidable && !editing ? (
          <span className="gh-ask-actions">
            <Button size="small" icon={<Pencil aria-hidden />} onClick={() => props.onEdit(call.callId)}>
              Edit arguments
            </Button>
            <Button size="small" icon={<X aria-hidden />} onClick={() => props.onDeny(call.callId)}>
              Deny this one
            </Button>
          </span>
        ) : null}
      </footer>
      {decidable && !selected && !editing && props.reason !== null ? (
        <TextField
          label="Why not, for this call"
          placeholder="Told to whoever asked"
          value={props.reason}
          onChange={(event) => props.onReason(call.callId, event.target.value)}
        />
      ) : null}
    </div>
  );
});
