import type { ApprovalCall } from '#contract/window/approvals.js';
import { useAct } from '../../../bridge/use-act.js';
import { ForgetGiven } from '../../../calls/given/forget-given.js';
import { Button } from '../../../ui/form/button.js';
import { Visible } from '../../../ui/text/visible.js';
import { Refusal } from '../../../ui/notice/refusal.js';

export interface TaintLineProps {
  readonly taint: NonNullable<ApprovalCall['taint']>;
  readonly workspace: string;
  /** The call, where there are several. */
  readonly of: string | undefined;
  /** Whether it was said already, as what makes the call ask. */
  readonly said: boolean;
  /** Whether the sheet has been unchanged for long enough that a press means what is on it. */
  readonly enabled: boolean;
}

/** The taint against this call by what its model has read, and the ways to say that it does not count. */
export function TaintLine({ taint: { words, to, trustWouldDo }, workspace, of, said, enabled }: TaintLineProps) {
  const { act, acting, problem } = useAct();
  return (
    <div className="gh-ask-network">
      {said ? null : (
        <p>
          <Visible text={words} />
        </p>
      )}
      {trustWouldDo ? (
        <Button
          size="small"
          disabled={acting || !enabled}
          title="Files here that Git ignores, and what commands print, still count."
          onClick={() => void act('given.trustFolder', { workspace, trusted: true })}
        >
          I trust what is written in this folder
        </Button>
      ) : null}
      <ForgetGiven to={to} workspace={workspace} enabled={enabled} {...(of === undefined ? {} : { of })} />
      <Refusal inline text={problem} />
    </div>
  );
}
