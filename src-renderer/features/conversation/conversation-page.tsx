import { PanelLeft } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { ConversationMessage, ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { ModelOffers } from '#contract/window/conversation/conversation.js';
import { useAct } from '../../bridge/use-act.js';
import { useAppShallow, useWorkspace } from '../../store/app.js';
import { showConversation, useConversations, useShownConversation, useWorking } from '../../store/conversations.js';
import { useCurrent } from '../../store/use-current.js';
import { Button } from '../../ui/form/button.js';
import { Page } from '../../ui/layout/page.js';
import { ErrorBoundary } from '../../ui/notice/error-boundary.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { Visible } from '../../ui/text/visible.js';
import { Composer } from './composer/composer.js';
import { findAnsweringModel } from './composer/model-choice.js';
import { ConversationList, getTitle } from './list/conversation-list.js';
import { ConversationMenu } from './list/conversation-menu.js';
import { LinkConfirmation } from './markdown/link-dialog.js';
import { MessageRow } from './message/message-row.js';
import { EmptyConversation } from './empty-conversation.js';
import { ThreadView } from './thread/thread-view.js';
import { useThread } from './thread/use-thread.js';
import { WaitingResults } from './waiting-results.js';
import './conversation.css';

/**
 * Talking to a model: what it says, what it asks for, and what became of it. `instructions`: those of the folder that are
 * to be reviewed.
 */
export function ConversationPage({ instructions }: { readonly instructions: ReactNode }) {
  const folder = useWorkspace()?.path ?? '';
  const { all, error, reload } = useConversations(folder);
  const conversation = useShownConversation(folder);
  const offered = useCurrent('conversations.models', {}).value;
  const [listOpen, setListOpen] = useState(false);
  const [told, setTold] = useState<ConversationNotice | null>(null);
  const waiting = useAppShallow(({ app }) =>
    app.calls.filter((call) => call.awaiting === 'result').map((call) => call.callId),
  );
  const model = findAnsweringModel(offered, conversation?.model ?? null)?.model ?? null;
  return (
    <Page
      title="Conversation"
      fill
      actions={
        <>
          <span className="gh-conversation-toggle">
            <Button icon={<PanelLeft aria-hidden />} aria-expanded={listOpen} onClick={() => setListOpen(!listOpen)}>
              Conversations
            </Button>
          </span>
          {conversation === null ? null : (
            <ConversationMenu
              conversation={conversation}
              onDeleted={() => setTold({ kind: 'deleted', conversation })}
              onTold={(text) => setTold({ kind: 'told', text })}
              onProblem={(text) => setTold({ kind: 'problem', text })}
            />
          )}
        </>
      }
      about={conversation === null ? undefined : <Title conversation={conversation} />}
    >
      <LinkConfirmation>
        <div className={listOpen ? 'gh-conversation gh-conversation-listed' : 'gh-conversation'}>
          <ConversationList
            folder={folder}
            all={all ?? []}
            shown={conversation?.id ?? null}
            onChoose={() => setListOpen(false)}
          />
          <div className="gh-conversation-main">
            {error === null ? null : <Problem title="The conversations can’t be read" error={error} onRetry={reload} />}
            {instructions}
            {told === null ? null : <ConversationNoticeBox told={told} folder={folder} onDone={() => setTold(null)} />}
            {conversation === null ? (
              <div className="gh-thread-none" role="log" aria-label="Conversation">
                {all === null && error === null ? null : <EmptyConversation offered={offered} model={model} />}
              </div>
            ) : (
              <Thread key={conversation.id} conversation={conversation} offered={offered} model={model} />
            )}
            {waiting.length > 0 ? <WaitingResults callIds={waiting} /> : null}
            <Composer folder={folder} conversation={conversation} offered={offered} />
          </div>
        </div>
      </LinkConfirmation>
    </Page>
  );
}

function Title({ conversation }: { readonly conversation: ConversationSummary }) {
  return (
    <>
      {conversation.demo ? <span className="gh-demo">Demo</span> : null} <Visible text={getTitle(conversation)} />
    </>
  );
}

interface ThreadProps {
  readonly conversation: ConversationSummary;
  readonly offered: ModelOffers | null;
  readonly model: string | null;
}

function Thread({ conversation, offered, model }: ThreadProps) {
  const [state, thread] = useThread(conversation.id);
  const { doing } = useWorking(conversation.id);
  const busy = doing.kind !== 'idle';
  const [onChanged] = useState(() => () => void thread.reload());
  const draw = (message: ConversationMessage, before: ConversationMessage | null, isLast: boolean) => (
    <ErrorBoundary what="This message">
      <MessageRow
        message={message}
        goesOn={before?.role === message.role}
        isLast={isLast}
        busy={busy}
        demo={conversation.demo}
        onChanged={onChanged}
      />
    </ErrorBoundary>
  );
  return (
    <ThreadView
      state={state}
      thread={thread}
      busy={doing.kind === 'streaming'}
      draw={draw}
      empty={<EmptyConversation offered={offered} model={model} />}
    />
  );
}

type ConversationNotice =
  | { readonly kind: 'deleted'; readonly conversation: ConversationSummary }
  | { readonly kind: 'told' | 'problem'; readonly text: string };

/** A notice of an action on a conversation, with the way back. */
function ConversationNoticeBox({
  told,
  folder,
  onDone,
}: {
  readonly told: ConversationNotice;
  readonly folder: string;
  readonly onDone: () => void;
}) {
  const { act, acting, problem } = useAct();
  if (told.kind !== 'deleted')
    return (
      <NoticeBox
        severity={told.kind === 'told' ? 'info' : 'error'}
        title={told.kind === 'told' ? 'Exported' : 'That didn’t work'}
        onDismiss={onDone}
      >
        <Visible text={told.text} />
      </NoticeBox>
    );
  const { id, title } = told.conversation;
  const undo = async () => {
    const answer = await act('conversations.undoDelete', { id });
    if (!answer.ok) return;
    showConversation(folder, id);
    onDone();
  };
  return (
    <NoticeBox
      severity={problem === null ? 'info' : 'error'}
      title="Conversation deleted"
      onDismiss={onDone}
      actions={
        <Button size="small" disabled={acting} onClick={() => void undo()}>
          Undo
        </Button>
      }
    >
      <Visible text={problem ?? title} />
    </NoticeBox>
  );
}
