import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { ConversationMessage, MessageBlock } from '#contract/vocabulary/conversation/conversation.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { CallCard } from '../../../calls/card/call-card.js';
import { ToolName } from '../../../calls/card/call-name.js';
import { showSheet, useCall } from '../../../store/app.js';
import { Button } from '../../../ui/form/button.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { StatusMark } from '../../../ui/text/marks.js';
import { Refusal } from '../../../ui/notice/refusal.js';

type AnswerCallBlock = Extract<MessageBlock, { readonly kind: 'call' }>;

const BROKE_OFF = 'not run: the message broke off';
const NOT_WHOLE: ReadonlySet<ConversationMessage['state']> = new Set([
  'broke-off',
  'length',
  'refused',
  'failed',
  'stopped',
]);

export interface AnswerCallProps {
  readonly block: AnswerCallBlock;
  readonly message: Pick<ConversationMessage, 'conversationId' | 'state'>;
}

/** A call where the model asked for it: the same as everywhere, with what can be done about it. */
export function AnswerCall({ block, message }: AnswerCallProps) {
  if (block.callId === null) return <UnreceivedCall tool={block.tool} state={message.state} />;
  return <ReceivedCall callId={block.callId} block={block} message={message} />;
}

function UnreceivedCall({ tool, state }: { readonly tool: string; readonly state: ConversationMessage['state'] }) {
  const brokeOff = NOT_WHOLE.has(state);
  return (
    <p className="gh-answer-unreceived">
      <StatusMark state={brokeOff ? 'cancelled' : 'pending'} />
      <ToolName tool={tool} />
      <span className="secondary">{brokeOff ? BROKE_OFF : 'is being written'}</span>
    </p>
  );
}

interface ReceivedProps extends AnswerCallProps {
  readonly callId: string;
}

function ReceivedCall({ callId, block, message }: ReceivedProps) {
  const live = useCall(callId);
  // A call that is long over is not in the live list.
  const recorded = useRequest('calls.get', live === null ? { callId } : null);
  const call = live ?? recorded.value;
  if (call === null) {
    return recorded.error === null ? (
      <Skeleton label="Reading the call" lines={1} />
    ) : (
      <Problem title="The call can’t be read" error={recorded.error} onRetry={recorded.reload} />
    );
  }
  const waits = call.awaiting === 'decision';
  return (
    <CallCard call={call}>
      {waits || block.folded || isBrokenOff(call, message.state) ? (
        <div className="gh-answer-about">
          {waits ? (
            <Button size="small" tone="primary" onClick={() => showSheet(call.batchId)}>
              Review
            </Button>
          ) : null}
          {isBrokenOff(call, message.state) ? <span className="secondary">{BROKE_OFF}</span> : null}
          {block.folded ? <FoldedResult conversationId={message.conversationId} callId={callId} /> : null}
        </div>
      ) : null}
    </CallCard>
  );
}

const isBrokenOff = (call: CallSummary, state: ConversationMessage['state']): boolean =>
  NOT_WHOLE.has(state) && call.executingSince === null && call.outcome !== null && call.outcome !== 'success';

function FoldedResult({ conversationId, callId }: { readonly conversationId: string; readonly callId: string }) {
  const { act, acting, problem } = useAct();
  return (
    <>
      <span className="secondary">The model gets one line instead of this result, to save room.</span>
      <Button
        size="small"
        tone="quiet"
        disabled={acting}
        onClick={() => void act('conversations.unfold', { id: conversationId, callId })}
      >
        Send it whole
      </Button>
      <Refusal inline text={problem} />
    </>
  );
}
