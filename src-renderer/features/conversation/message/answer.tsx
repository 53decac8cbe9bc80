import { RotateCcw, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ConversationMessage, MessageBlock } from '#contract/vocabulary/conversation/conversation.js';
import { useAct } from '../../../bridge/use-act.js';
import { goTo } from '../../../store/app.js';
import { Button, IconButton } from '../../../ui/form/button.js';
import { Fold } from '../../../ui/layout/fold.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { Visible } from '../../../ui/text/visible.js';
import { Markdown } from '../markdown/markdown.js';
import { AnswerCall } from './answer-call.js';
import { TryDemo } from '../try-demo.js';
import { Branches } from './branches.js';
import { describeFailure } from './describe-failure.js';
import { describeUsage } from './describe-usage.js';
import { Refusal } from '../../../ui/notice/refusal.js';

export interface AnswerProps {
  readonly message: ConversationMessage;
  readonly busy: boolean;
  /** Whether it is the last: a failure is news only as long as nothing came after it. */
  readonly isLast: boolean;
  readonly onChanged: () => void;
}

/** A model's answer and the calls that it asked for, as they come. */
export function Answer({ message, busy, isLast, onChanged }: AnswerProps) {
  const { act, acting, problem } = useAct();
  const { conversationId: id, blocks, state, foot } = message;
  const streaming = state === 'streaming';
  const change = async (asked: 'conversations.retry' | 'conversations.showBranch', messageId: string) => {
    const answer = await act(asked, { id, messageId });
    if (answer.ok) onChanged();
  };
  return (
    <div className="gh-answer">
      {blocks.map((block, at) => (
        <Block key={at} block={block} open={streaming && at === blocks.length - 1} message={message} />
      ))}
      {state === 'stopped' ? <p className="secondary">Stopped by you</p> : null}
      <AnswerFailure message={message} isLast={isLast} />
      {streaming ? null : (
        <div className="gh-answer-foot">
          <span className="secondary gh-answer-took">
            {foot === null ? null : (
              <>
                <Visible text={foot.model} /> · {describeUsage(foot)}
              </>
            )}
          </span>
          <Branches
            branch={message.branch}
            onShow={(messageId) => void change('conversations.showBranch', messageId)}
          />
          <CopyButton text={() => joinWrittenText(blocks)} label="Copy answer" iconOnly />
          <IconButton
            label="Retry"
            size="small"
            disabled={busy || acting}
            onClick={() => void change('conversations.retry', message.id)}
          >
            <RotateCcw aria-hidden />
          </IconButton>
        </div>
      )}
      <Refusal text={problem} />
    </div>
  );
}

const joinWrittenText = (blocks: readonly MessageBlock[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n');

interface BlockProps {
  readonly block: MessageBlock;
  readonly open: boolean;
  readonly message: ConversationMessage;
}

function Block({ block, open, message }: BlockProps): ReactNode {
  switch (block.kind) {
    case 'text':
      return <Markdown text={block.text} open={open} />;
    case 'reasoning':
      return (
        <Fold title={open ? 'Thinking…' : 'Reasoning'}>
          <div className="gh-answer-reasoning">
            <Markdown text={block.text} open={open} />
          </div>
        </Fold>
      );
    case 'call':
      return <AnswerCall block={block} message={message} />;
    case 'file':
    case 'resource':
    case 'picture':
      return null;
  }
}

function AnswerFailure({ message, isLast }: { readonly message: ConversationMessage; readonly isLast: boolean }) {
  const words = describeFailure(message);
  if (words === null) return null;
  return (
    <NoticeBox
      severity="error"
      news={isLast}
      title={words.title}
      actions={
        words.leadsToSettings ? (
          <>
            <Button size="small" icon={<Settings aria-hidden />} onClick={() => goTo('settings', 'model')}>
              Open model settings
            </Button>
            {words.offersDemo ? <TryDemo size="small" /> : null}
          </>
        ) : undefined
      }
    >
      <Visible text={words.text} />
    </NoticeBox>
  );
}
