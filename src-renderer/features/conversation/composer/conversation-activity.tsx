import { Play, Undo2 } from 'lucide-react';
import type { UnsentMessage, WorkingConversation } from '#contract/window/conversation/conversation.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { Refusal } from '../../../ui/notice/refusal.js';

export interface ConversationActivityProps {
  readonly id: string;
  readonly working: Omit<WorkingConversation, 'id'>;
  readonly onTakenBack: (unsent: UnsentMessage) => void;
}

/** The conversation's activity now, what comes next, and how to go on. */
export function ConversationActivity({
  id,
  working: { doing, next, canContinue },
  onTakenBack,
}: ConversationActivityProps) {
  const { act, acting, problem } = useAct();
  const takeBack = async () => {
    const answer = await act('conversations.takeBack', { id });
    if (answer.ok && answer.value.unsent !== null) onTakenBack(answer.value.unsent);
  };
  return (
    <div className="gh-now">
      <output className="secondary">{describeActivity(doing)}</output>
      {next === null ? null : (
        <p className="gh-now-next">
          <span>Next: {toVisibleLine(next.text === '' ? 'what you attached' : next.text)}</span>
          <Button
            size="small"
            tone="quiet"
            icon={<Undo2 aria-hidden />}
            disabled={acting}
            onClick={() => void takeBack()}
          >
            Take back
          </Button>
        </p>
      )}
      {canContinue && doing.kind === 'idle' ? (
        <Button
          size="small"
          icon={<Play aria-hidden />}
          disabled={acting}
          onClick={() => void act('conversations.continue', { id })}
        >
          Continue
        </Button>
      ) : null}
      <Refusal text={problem} />
    </div>
  );
}

function describeActivity(doing: WorkingConversation['doing']): string {
  switch (doing.kind) {
    case 'idle':
      return '';
    case 'asking':
      return 'Waiting for the model…';
    case 'streaming':
      return 'Answering…';
    case 'calls':
      return 'Its calls are running or waiting for you';
    case 'waiting':
      return `Waiting ${doing.seconds} s: ${doing.why === 'rate-limit' ? 'too many requests' : 'the model is overloaded'}`;
  }
}
