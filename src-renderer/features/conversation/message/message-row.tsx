import { memo } from 'react';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import { formatFull, formatWhen } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { Answer } from './answer.js';
import { PersonMessage } from './person-message.js';
import './message.css';

export interface MessageRowProps {
  readonly message: ConversationMessage;
  /** The one before it is of the same: who speaks is said once. */
  readonly goesOn: boolean;
  readonly isLast: boolean;
  readonly busy: boolean;
  readonly demo: boolean;
  /** Called when another branch is shown. */
  readonly onChanged: () => void;
}

export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { message, goesOn, isLast, busy, demo, onChanged } = props;
  const mine = message.role === 'person';
  const who = mine ? 'You' : demo ? 'Demo' : (message.foot?.model ?? 'Model');
  return (
    <article className={mine ? 'gh-message gh-message-mine' : 'gh-message'} aria-label={mine ? 'You' : 'Answer'}>
      {goesOn ? null : (
        <header className="gh-message-head">
          <strong>
            <Visible text={who} />
          </strong>
          <time className="secondary" dateTime={new Date(message.at).toISOString()} title={formatFull(message.at)}>
            {formatWhen(message.at)}
          </time>
        </header>
      )}
      {mine ? (
        <PersonMessage message={message} busy={busy} onChanged={onChanged} />
      ) : (
        <Answer message={message} busy={busy} isLast={isLast} onChanged={onChanged} />
      )}
    </article>
  );
});
