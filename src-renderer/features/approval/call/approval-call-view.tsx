import { Pencil, X } from 'lucide-react';
import { memo } from 'react';
import type { ApprovalCall } from '#contract/window/approvals.js';
import { type AllowedNetwork, isNothingAllowed } from '#contract/vocabulary/network.js';
import { Button } from '../../../ui/form/button.js';
import { Checkbox } from '../../../ui/form/checkbox.js';
import { RiskMark } from '../../../ui/text/marks.js';
import { TextField } from '../../../ui/form/text-field.js';
import { joinClassNames } from '../../../ui/style/join-class-names.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import type { EditDraft } from './edit-draft.js';
import { EditArguments } from './edit-arguments.js';
import { EffectView, DrawnWhenNear } from './effect-view.js';
import { countDangers } from './finding-groups.js';
import { GitGrant } from './git-grant.js';
import { ReadGrant } from './read-grant.js';
import { NetworkChoice } from './network-choice.js';
import { TaintLine } from './taint-line.js';
import { RevealGrant } from './reveal-grant.js';
import { Terms } from './terms.js';
import { buildCallAttributes, CallName, ToolName } from '../../../calls/card/call-name.js';
import './approval-call.css';

export interface ApprovalCallViewProps {
  readonly call: ApprovalCall;
  readonly batchId: string;
  readonly workspace: string;
  /** Whether it has been unchanged for long enough: buttons that loosen may be pressed. */
  readonly stood: boolean;
  readonly digest: string;
  readonly selected: boolean;
  readonly network: AllowedNetwork;
  readonly writesGit: boolean;
  readonly reveals: boolean;
  /** The opened ones of its folded parts. */
  readonly opened: ReadonlySet<string>;
  readonly focused: boolean;
  /** The draft while it is edited; null while it is not. */
  readonly draft: EditDraft | null;
  /** Whether it is alone on the sheet: remarks on the sheet are about it. */
  readonly single: boolean;
  readonly drawn: boolean;
  readonly reason: string | null;
  readonly onToggle: (callId: string) => void;
  readonly onNetwork: (call: ApprovalCall, allowed: AllowedNetwork) => void;
  /** Hidden files that it may read, as far as it is granted now. */
  readonly reads: readonly string[];
  readonly onToggleGit: (callId: string) => void;
  readonly onToggleRead: (callId: string, path: string) => void;
  readonly onToggleReveal: (callId: string) => void;
  readonly onOpened: (callId: string, keys: readonly string[]) => void;
  readonly onEdit: (callId: string | null) => void;
  readonly onDraft: (draft: EditDraft) => void;
  readonly onWillEdit: (callId: string) => void;
  readonly onDeny: (callId: string) => void;
  readonly onReason: (callId: string, reason: string) => void;
}

/** A call on the sheet: why it asks, what it would do, and the ways to answer it. */
export const ApprovalCallView = memo(function ApprovalCallView(props: ApprovalCallViewProps) {
  const { call, selected, network, focused, draft, single } = props;
  const editing = draft !== null;
  const dangers = call.effect.kind === 'command' ? countDangers(call.effect.findings) : 0;
  const said = (
    <>
      <p className="gh-ask-why">
        <Visible text={call.why} />
      </p>
      {call.taint === undefined ? null : (
        <TaintLine
          taint={call.taint}
          workspace={props.workspace}
          said={call.why === call.taint.words}
          of={single ? undefined : call.summary}
          enabled={props.stood}
        />
      )}
    </>
  );
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset would bring its own layout rules
      role="group"
      aria-label={call.summary}
      className={joinClassNames('gh-ask', focused && 'gh-ask-focused', !props.drawn && 'gh-ask-far')}
      data-approval-call={call.callId}
      {...buildCallAttributes({ ...call, display: 'pending' })}
    >
      <header className="gh-ask-head">
        {single ? null : (
          <Checkbox checked={selected} ariaLabel="Approve this call" onChange={() => props.onToggle(call.callId)} />
        )}
        <h3 className="gh-ask-title">
          {call.effect.kind === 'command' ? (
            <ToolName tool={call.tool} />
          ) : (
            <CallName tool={call.tool} summary={call.summary} />
          )}
        </h3>
        {dangers === 0 ? null : <span className="gh-ask-dangers">{counted(dangers, 'danger')}</span>}
        <RiskMark risk={isNothingAllowed(network) ? call.risk : 'high'} />
      </header>
      {draft !== null ? (
        <>
          {said}
          <EditArguments
            call={call}
            draft={draft}
            onDraft={props.onDraft}
            batchId={props.batchId}
            digest={props.digest}
            onWillSave={props.onWillEdit}
            onClose={() => props.onEdit(null)}
          />
        </>
      ) : (
        <DrawnWhenNear always={props.drawn}>
          <EffectView call={call} workspace={props.workspace} opened={props.opened} onOpened={props.onOpened}>
            {said}
          </EffectView>
        </DrawnWhenNear>
      )}
      {call.originalArguments === null || editing ? null : (
        <p className="secondary">Edited by you. This version will run.</p>
      )}
      {/* What it failed for comes first. */}
      {call.mayRead === undefined || editing
        ? null
        : call.mayRead.map((path) => (
            <ReadGrant
              key={path}
              path={path}
              allowed={props.reads.includes(path)}
              onToggle={() => props.onToggleRead(call.callId, path)}
            />
          ))}
      {call.network === null || editing ? null : (
        <NetworkChoice offer={call.network} allowed={network} onChange={(allowed) => props.onNetwork(call, allowed)} />
      )}
      {call.offersGit === true && !editing ? (
        <GitGrant allowed={props.writesGit} onToggle={() => props.onToggleGit(call.callId)} />
      ) : null}
      {call.secrets === undefined || editing ? null : (
        <RevealGrant
          secrets={call.secrets}
          allowed={props.reveals}
          onToggle={() => props.onToggleReveal(call.callId)}
        />
      )}
      <footer className="gh-ask-foot">
        <Terms call={call} network={network} />
        {editing ? null : (
          <span className="gh-ask-actions">
            <Button size="small" icon={<Pencil aria-hidden />} onClick={() => props.onEdit(call.callId)}>
              Edit arguments
            </Button>
            {single ? null : (
              <Button size="small" icon={<X aria-hidden />} onClick={() => props.onDeny(call.callId)}>
                Deny
              </Button>
            )}
          </span>
        )}
      </footer>
      {!single && !selected && !editing && props.reason !== null ? (
        <TextField
          label="Why not this call"
          placeholder="Sent to the agent"
          value={props.reason}
          onChange={(event) => props.onReason(call.callId, event.target.value)}
        />
      ) : null}
    </div>
  );
});
