import { SendHorizontal, Square } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useRef } from 'react';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { ModelsOffered } from '#contract/window/conversation/conversation.js';
import { useApp } from '../../../store/app.js';
import { useWorking } from '../../../store/conversations.js';
import { Button } from '../../../ui/form/button.js';
import { TextArea } from '../../../ui/form/text-field.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { Visible } from '../../../ui/text/visible.js';
import { Attachments } from './attachments.js';
import { useDraft } from './drafts.js';
import { FileList } from './file-list.js';
import { type FileWord, withFile } from './file-word.js';
import { answering } from './model-choice.js';
import { Now } from './now.js';
import { holdsPictures, picturesIn, withPictures } from './pictures.js';
import { SettingsRow } from './settings-row.js';
import { isEmpty } from './unsent.js';
import { useFileChoice } from './use-file-choice.js';
import { useSending } from './use-sending.js';
import './composer.css';

export interface ComposerProps {
  readonly folder: string;
  /** Null: the first message begins one. */
  readonly conversation: ConversationSummary | null;
  readonly offered: ModelsOffered | null;
}

export function Composer({ folder, conversation, offered }: ComposerProps) {
  const working = useWorking(conversation?.id ?? null);
  const busy = working.doing.kind !== 'idle';
  const drafting = useDraft(conversation, folder);
  const { draft, change, putBack } = drafting;
  const { sending, said, wrong, dismiss, send, stop } = useSending(folder, conversation, drafting);
  const field = useRef<HTMLTextAreaElement>(null);
  const parseOnly = useApp((state) => state.app.status.mode === 'parse_only');
  const sendAndStay = async () => {
    await send();
    field.current?.focus();
  };

  const takes = answering(offered, conversation?.model ?? null)?.takesPictures !== false;
  const addPictures = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (!holdsPictures(data)) return;
    event.preventDefault();
    if (!takes) return wrong('Not attached', 'This model takes no pictures. Choose another one to send it.');
    void picturesIn(data).then((added) =>
      change(({ pictures }) => {
        const all = withPictures(pictures, added);
        if ('problem' in all) wrong('Not attached', all.problem);
        return 'problem' in all ? {} : all;
      }),
    );
  };
  const attach = (word: FileWord, path: string) => {
    const { text, caret } = withFile(draft.text, word, path);
    change((now) => ({ text, files: [...new Set([...now.files, path])] }));
    // Once the field has the text.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  };
  const files = useFileChoice(folder, attach);
  const onKeyDown = (event: KeyboardEvent) => {
    if (files.onKey(event)) return;
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void sendAndStay();
  };

  return (
    <div className="gh-composer">
      {conversation === null ? null : <Now id={conversation.id} working={working} onTakenBack={putBack} />}
      {said === null ? null : (
        <NoticeBox severity={said.severity} title={said.title} onDismiss={dismiss}>
          <Visible text={said.text} />
        </NoticeBox>
      )}
      <Attachments draft={draft} onChange={change} />
      <div className="gh-composer-row">
        <FileList
          choice={files}
          onChoose={(path) => {
            if (files.word !== null) attach(files.word, path);
            files.close();
          }}
        />
        <TextArea
          ref={field}
          label="Message"
          labelHidden
          className="gh-composer-field"
          rows={2}
          placeholder={parseOnly ? 'Message, or /tool <call id> <result>' : 'Message · @ attaches a file'}
          value={draft.text}
          aria-autocomplete="list"
          {...(files.word === null || files.found.length === 0
            ? {}
            : { 'aria-controls': files.listId, 'aria-activedescendant': `${files.listId}-${files.chosen}` })}
          onChange={(event) => {
            change({ text: event.target.value });
            files.onCaret(event.target.value, event.target.selectionStart);
          }}
          onBlur={files.close}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            // What is copied as text comes with a picture of itself from some programs.
            if (event.clipboardData.getData('text/plain') === '') addPictures(event, event.clipboardData);
          }}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => addPictures(event, event.dataTransfer)}
        />
        <span className="gh-composer-buttons">
          <Button
            tone="primary"
            icon={<SendHorizontal aria-hidden />}
            disabled={sending || isEmpty(draft)}
            onClick={() => void sendAndStay()}
          >
            Send
          </Button>
          <Button icon={<Square aria-hidden />} disabled={!busy} onClick={() => void stop()}>
            Stop
          </Button>
        </span>
      </div>
      {conversation === null ? null : (
        <SettingsRow conversation={conversation} offered={offered} context={working.context} />
      )}
    </div>
  );
}
