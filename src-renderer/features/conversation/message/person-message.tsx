import { toVisibleLine, toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { FileText, Pencil, Plug } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import type { ConversationMessage, MessageBlock } from '#contract/vocabulary/conversation/conversation.js';
import { PICTURE_TYPES } from '#contract/window/conversation/conversation.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button, IconButton } from '../../../ui/form/button.js';
import { TextArea } from '../../../ui/form/text-field.js';
import { Fold } from '../../../ui/layout/fold.js';
import { CodeBlock } from '../../../ui/text/code-block.js';
import { CopyButton } from '../../../ui/text/copy-button.js';
import { formatBytes } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { Branches } from './branches.js';
import { Refusal } from '../../../ui/notice/refusal.js';

export interface PersonMessageProps {
  readonly message: ConversationMessage;
  /** Whether the conversation works: a message that is sent now waits, and nothing branches. */
  readonly busy: boolean;
  readonly onChanged: () => void;
}

/** The person's message, as they wrote it. */
export function PersonMessage({ message, busy, onChanged }: PersonMessageProps) {
  const [editing, setEditing] = useState(false);
  const { act, problem } = useAct();
  const text = joinText(message);
  const showBranch = async (messageId: string) => {
    const answer = await act('conversations.showBranch', { id: message.conversationId, messageId });
    if (answer.ok) onChanged();
  };
  return (
    <div className="gh-said">
      {editing ? (
        <EditMessage
          message={message}
          text={text}
          onClose={(sent) => {
            setEditing(false);
            if (sent) onChanged();
          }}
        />
      ) : (
        <>
          {message.blocks.map((block, at) => (
            <Part key={at} block={block} />
          ))}
          <div className="gh-said-foot">
            <Branches branch={message.branch} onShow={(id) => void showBranch(id)} />
            <CopyButton text={text} label="Copy message" iconOnly />
            <IconButton label="Edit message" size="small" disabled={busy} onClick={() => setEditing(true)}>
              <Pencil aria-hidden />
            </IconButton>
          </div>
        </>
      )}
      <Refusal text={problem} />
    </div>
  );
}

const joinText = ({ blocks }: ConversationMessage): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');

function Part({ block }: { readonly block: MessageBlock }) {
  switch (block.kind) {
    case 'text':
      return (
        <p className="gh-said-text">
          <Visible text={block.text} />
        </p>
      );
    case 'file':
      return (
        <Fold
          title={
            <>
              <FileText aria-hidden className="gh-said-icon" /> <Visible text={block.path} />{' '}
              <span className="secondary">{formatBytes(block.text.length)}</span>
            </>
          }
        >
          <CodeBlock text={toVisibleText(block.text)} label={`Text of ${toVisibleLine(block.path)}`} />
        </Fold>
      );
    case 'resource': {
      const { source, uri, name, text, pictures } = block;
      return (
        <Fold
          title={
            <>
              <Plug aria-hidden className="gh-said-icon" /> <span className="secondary">{source}: </span>
              <Visible text={name} /> <span className="secondary">{formatBytes(text.length)}</span>
            </>
          }
        >
          <p className="secondary">
            <Visible text={uri} />
          </p>
          {text === '' ? null : <CodeBlock text={toVisibleText(text)} label={`Text of ${toVisibleLine(name)}`} />}
          {pictures.map((picture, at) => (
            <Picture key={at} picture={picture} alt={`Picture ${at + 1} of ${toVisibleLine(name)}`} />
          ))}
        </Fold>
      );
    }
    case 'picture':
      return <Picture picture={block} alt="Attached by you" />;
    case 'reasoning':
    case 'call':
      return null;
  }
}

function Picture({
  picture: { mediaType, base64 },
  alt,
}: {
  readonly picture: { readonly mediaType: string; readonly base64: string };
  readonly alt: string;
}) {
  return isPicture(mediaType) ? (
    <img className="gh-said-picture" src={`data:${mediaType};base64,${base64}`} alt={alt} />
  ) : (
    <p className="secondary">A picture that can’t be shown</p>
  );
}
const isPicture = (type: string): type is (typeof PICTURE_TYPES)[number] =>
  PICTURE_TYPES.some((known) => known === type);

interface EditMessageProps {
  readonly message: ConversationMessage;
  readonly text: string;
  readonly onClose: (sent: boolean) => void;
}

/** A new branch from here: the earlier messages stay, as a branch beside it. */
function EditMessage({ message, text, onClose }: EditMessageProps) {
  const [written, setWritten] = useState(text);
  const { act, acting, problem } = useAct();
  const send = async () => {
    if (written.trim() === '' || acting) return;
    const { blocks, conversationId, id } = message;
    const answer = await act('conversations.send', {
      id: conversationId,
      text: written,
      files: blocks.flatMap((block) => (block.kind === 'file' ? [block.path] : [])),
      pictures: blocks.flatMap((block) =>
        block.kind === 'picture' && isPicture(block.mediaType)
          ? [{ mediaType: block.mediaType, base64: block.base64 }]
          : [],
      ),
      resources: blocks.flatMap((block) =>
        block.kind === 'resource' ? [{ source: block.source, uri: block.uri, name: block.name }] : [],
      ),
      insteadOf: id,
    });
    if (answer.ok) onClose(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.preventDefault();
      onClose(false);
    }
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className="gh-said-edit">
      <TextArea
        label="Edit message"
        labelHidden
        rows={3}
        // The person has just pressed “Edit message”.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        value={written}
        onChange={(event) => setWritten(event.target.value)}
        onKeyDown={onKeyDown}
        error={problem}
      />
      <div className="gh-said-foot">
        <Button size="small" onClick={() => onClose(false)}>
          Cancel
        </Button>
        <Button size="small" tone="primary" disabled={acting || written.trim() === ''} onClick={() => void send()}>
          Send
        </Button>
      </div>
    </div>
  );
}
