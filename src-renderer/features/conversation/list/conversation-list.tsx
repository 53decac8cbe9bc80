import { MessageSquarePlus } from 'lucide-react';
import { useState } from 'react';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import { usePausedRequest } from '../../../bridge/use-paused-request.js';
import { useApp } from '../../../store/app.js';
import { showConversation } from '../../../store/conversations.js';
import { Button } from '../../../ui/form/button.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Visible } from '../../../ui/text/visible.js';
import { When } from '../../../ui/text/when.js';
import './list.css';

export interface ConversationListProps {
  readonly folder: string;
  readonly all: readonly ConversationSummary[];
  readonly shown: string | null;
  /** Something was chosen. */
  readonly onChoose: () => void;
}

/** The conversations about a folder: the one that changed last is first. */
export function ConversationList({ folder, all, shown, onChoose }: ConversationListProps) {
  const [query, setQuery] = useState('');
  const words = query.trim();
  const found = usePausedRequest('conversations.list', words === '' ? null : { workspace: folder, query: words });
  const list = words === '' ? all : (found.value ?? []);
  const choose = (id: string | null) => {
    showConversation(folder, id);
    onChoose();
  };
  return (
    <div className="gh-conversations">
      <Button icon={<MessageSquarePlus aria-hidden />} onClick={() => choose(null)}>
        New conversation
      </Button>
      <input
        type="search"
        className="gh-input"
        aria-label="Search conversations"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {words === '' || found.error === null ? null : (
        <Problem title="The search failed" error={found.error} onRetry={found.reload} />
      )}
      <ul className="gh-conversations-list" aria-label="Conversations">
        {list.map((each) => (
          <li key={each.id}>
            <Entry conversation={each} current={each.id === shown} onChoose={() => choose(each.id)} />
          </li>
        ))}
      </ul>
      <output className={words === '' ? 'sr-only' : 'secondary'}>
        {words === '' || found.loading
          ? ''
          : list.length === 0
            ? 'No conversation has these words.'
            : `${list.length} found`}
      </output>
    </div>
  );
}

interface EntryProps {
  readonly conversation: ConversationSummary;
  readonly current: boolean;
  readonly onChoose: () => void;
}

function Entry({ conversation, current, onChoose }: EntryProps) {
  const works = useApp(({ app }) =>
    app.working.some(({ id, doing }) => id === conversation.id && doing.kind !== 'idle'),
  );
  return (
    <button
      type="button"
      className="gh-conversations-one"
      {...(current ? { 'aria-current': 'true' as const } : {})}
      onClick={onChoose}
    >
      <span className="gh-conversations-title">
        <Visible text={getTitle(conversation)} />
      </span>
      {conversation.summary === '' ? null : (
        <span className="gh-conversations-summary secondary">
          <Visible text={conversation.summary} />
        </span>
      )}
      <span className="secondary">
        {conversation.demo ? 'Demo · ' : ''}
        {works ? 'working' : <When at={conversation.changedAt} />}
      </span>
    </button>
  );
}

export const getTitle = ({ title }: ConversationSummary): string => (title.trim() === '' ? 'New conversation' : title);
