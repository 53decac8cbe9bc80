import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import { usePausedRequest } from '../../../bridge/use-paused-request.js';
import { RuleCoverage, RuleFields } from '../../../calls/rule/rule-fields.js';
import { Button } from '../../../ui/form/button.js';
import { AnswerButton } from '../../../ui/form/answer-button.js';
import './rule-panel.css';

/** Narrow at first: what is wanted is more, the person says. */
export const FIRST_RULE: RuleWanted = { what: 'whole', who: 'asker', where: 'here', until: 'quit' };

export interface RulePanelProps {
  readonly request: ApprovalRequest;
  readonly call: ApprovalCall;
  readonly wanted: RuleWanted;
  readonly mayApprove: boolean;
  /** The second question about calls of High risk, or that were not drawn, in place of the button. */
  readonly askedAgain: string | null;
  readonly onChange: (wanted: RuleWanted) => void;
  readonly onMake: () => void;
  readonly onClose: () => void;
}

/** A rule made of this call: what it is for, who it lets in, where, and until when. */
export function RulePanel(props: RulePanelProps) {
  const { request, call, wanted, onChange } = props;
  const { batchId, digest, agent, hasToken } = request;
  const preview = usePausedRequest('rules.preview', { batchId, digest, rule: wanted });
  return (
    <section className="gh-rule" aria-label="Rule">
      <RuleFields
        tool={call.tool}
        possible={call.rule}
        owner={agent === null || !hasToken ? { kind: 'session' } : { kind: 'agent', name: agent }}
        wanted={wanted}
        onChange={onChange}
      />
      <RuleCoverage preview={preview} />
      <div className="gh-rule-foot">
        <Button onClick={props.onClose}>Cancel</Button>
        <AnswerButton
          tone={props.askedAgain === null ? 'primary' : 'danger'}
          enabled={props.mayApprove}
          onClick={props.onMake}
        >
          {props.askedAgain ?? 'Approve and make rule'}
        </AnswerButton>
      </div>
    </section>
  );
}
