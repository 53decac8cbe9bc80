import { SendHorizontal, Square } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useRef } from 'react';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { ModelOffers, UnsentMessage } from '#contract/window/conversation/conversation.js';
import type { FoundResource } from '#contract/window/conversation/offered-texts.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { useApp } from '../../../store/app.js';
import { useWorking } from '../../../store/conversations.js';
import { Button } from '../../../ui/form/button.js';
import { TextArea } from '../../../ui/form/text-field.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { Attachments } from './attachments.js';
import { insertPrompt, useDraft } from './drafts.js';
import { ChoiceList } from './choice-list.js';
import { findAnsweringModel } from './model-choice.js';
import { ConversationActivity } from './conversation-activity.js';
import { hasPictures, readPictures, appendPictures } from './pictures.js';
import { PromptForm } from './prompt-form.js';
import { SettingsRow } from './settings-row.js';
import { type TypedWord, replaceTypedWord } from './typed-word.js';
import { isEmpty, addResources } from './unsent.js';
import { type ComposerOption, useChoice } from './use-choice.js';
import { usePrompt } from './use-prompt.js';
import { useSending } from './use-sending.js';
import './composer.css';

export interface ComposerProps {
  readonly folder: string;
  /** Null: the first message begins one. */
  readonly conversation: ConversationSummary | null;
  readonly offered: ModelOffers | null;
}

export function Composer({ folder, conversation, offered }: ComposerProps) {
  const working = useWorking(conversation?.id ?? null);
  const busy = working.doing.kind !== 'idle';
  const drafting = useDraft(conversation, folder);
  const { draft, change, putBack } = drafting;
  const { sending, said, tell, wrong, dismiss, send, stop } = useSending(folder, conversation, drafting);
  const field = useRef<HTMLTextAreaElement>(null);
  const parseOnly = useApp((state) => state.app.status.mode === 'parse_only');
  const sendAndStay = async () => {
    await send();
    field.current?.focus();
  };

  const takes = findAnsweringModel(offered, conversation?.model ?? null)?.takesPictures !== false;
  const addPictures = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (!hasPictures(data)) return;
    event.preventDefault();
    if (!takes) return wrong('Not attached', 'This model takes no pictures. Choose another one to send it.');
    void readPictures(data).then((added) =>
      change(({ pictures }) => {
        const all = appendPictures(pictures, added);
        if ('problem' in all) wrong('Not attached', all.problem);
        return 'problem' in all ? {} : all;
      }),
    );
  };
  // Once the field has the text.
  const typeOnAt = (caret: number) =>
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(caret, caret);
    });
  const prompts = usePrompt(folder, conversation, (id, { text, pictures, hidden, left }, { source }) => {
    insertPrompt(id, { text, pictures });
    const hiddenWords = hidden === 0 ? [] : [`${counted(hidden, 'hidden character')} made visible.`];
    tell(id, {
      severity: 'info',
      title: `${source} wrote this text. Read it before you send it.`,
      text: [...hiddenWords, ...left].join(' '),
    });
    typeOnAt(text.length);
  });
  const choose = (word: TypedWord, option: ComposerOption) => {
    if (option.kind === 'prompt') return prompts.choose(option.prompt);
    const name =
      option.kind === 'file' ? option.path : `${option.resource.source}:${toVisibleLine(option.resource.name)}`;
    const { text, caret } = replaceTypedWord(draft.text, word, `@${name}`);
    change((now) => ({
      text,
      ...(option.kind === 'file'
        ? { files: [...new Set([...now.files, option.path])] }
        : { resources: addResources(now.resources ?? [], [toResourceRef(option.resource)]) }),
    }));
    typeOnAt(caret);
  };
  const files = useChoice(folder, choose);
  const onKeyDown = (event: KeyboardEvent) => {
    if (files.onKey(event)) return;
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void sendAndStay();
  };

  return (
    <div className="gh-composer">
      {conversation === null ? null : (
        <ConversationActivity id={conversation.id} working={working} onTakenBack={putBack} />
      )}
      {said === null ? null : (
        <NoticeBox severity={said.severity} title={said.title} onDismiss={dismiss}>
          <Visible text={said.text} />
        </NoticeBox>
      )}
      {prompts.prompt === null ? null : (
        <PromptForm
          key={`${prompts.prompt.source} ${prompts.prompt.name}`}
          prompt={prompts.prompt}
          busy={prompts.busy}
          problem={prompts.problem}
          onUse={(args) => void (prompts.prompt === null ? null : prompts.use(prompts.prompt, args))}
          onCancel={prompts.cancel}
        />
      )}
      <Attachments draft={draft} onChange={change} />
      <div className="gh-composer-row">
        <ChoiceList
          choice={files}
          onChoose={(option) => {
            if (files.word !== null) choose(files.word, option);
            files.close();
          }}
        />
        <TextArea
          ref={field}
          label="Message"
          labelHidden
          className="gh-composer-field"
          rows={2}
          placeholder={
            parseOnly ? 'Message, or /tool <call id> <result>' : 'Message · @ attaches a file, / takes a prompt'
          }
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
            // Copied text comes with a picture of itself from some programs.
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

const toResourceRef = ({ source, uri, name }: FoundResource): NonNullable<UnsentMessage['resources']>[number] => ({
  source,
  uri,
  name,
});
