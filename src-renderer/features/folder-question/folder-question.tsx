import { useEffect, useId, useRef } from 'react';
import {
  type FolderAnswer,
  type FolderQuestion as Asked,
  describeFolderAsker,
} from '#contract/window/folder-questions.js';
import { useAct } from '../../bridge/use-act.js';
import { useApp } from '../../store/app.js';
import { AnswerButton } from '../../ui/form/answer-button.js';
import { useUnchanged } from '../../ui/form/use-unchanged.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Mono } from '../../ui/text/code-block.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import './folder-question.css';

/** An agent was started in a folder that isn’t open. One question after the other, in the place of the sheet, which waits beneath. */
export function FolderQuestion() {
  const first = useApp((state) => state.app.folderQuestions[0] ?? null);
  return first === null ? null : <Question key={first.id} question={first} />;
}

/** Keys that are on their way to somewhere else stay there. */
const AT_WORK =
  'input, textarea, select, [contenteditable], form, [role="dialog"], [role="alertdialog"], [role="menu"], [role="combobox"]';

function Question({ question }: { readonly question: Asked }) {
  const { id, folder, waiting, refused } = question;
  const { act, acting, problem } = useAct();
  const stood = useUnchanged(id);
  const whole = useRef<HTMLElement>(null);
  const [title, about] = [useId(), useId()];
  const mayAnswer = stood && !acting;
  const answer = (what: FolderAnswer) => void act('folders.answer', { id, answer: what });
  useEffect(() => {
    const before = document.activeElement;
    if ((before?.closest(AT_WORK) ?? null) === null) whole.current?.focus();
  }, []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      if (mayAnswer) void act('folders.answer', { id, answer: 'not-now' });
    };
    const element = whole.current;
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  });
  const name = folder.split(/[/\\]/).findLast((part) => part !== '') ?? folder;
  return (
    <section
      ref={whole}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a dialog element would be modal, or take no part in the layout
      role="alertdialog"
      aria-modal="false"
      aria-labelledby={title}
      aria-describedby={about}
      className="gh-folder-question"
      tabIndex={-1}
    >
      <h2 id={title} className="gh-folder-question-title">
        <Visible text={describeFolderAsker(question)} /> was started in{' '}
        <Mono>
          <Visible text={name} />
        </Mono>
        . Open it here?
      </h2>
      <div id={about}>
        <p className="gh-folder-question-path">
          <Mono>
            <Visible text={folder} />
          </Mono>
        </p>
        <p className="gh-folder-question-about">
          {counted(waiting, 'call')} {waiting === 1 ? 'waits' : 'wait'} for your answer. Your settings decide what it
          may do there.
          {refused === 0
            ? null
            : ` It asks again: you said “Not now” ${refused === 1 ? 'before' : `${refused} times`}.`}
        </p>
      </div>
      {problem === null ? null : (
        <NoticeBox severity="error" title="That didn’t work">
          {problem}
        </NoticeBox>
      )}
      <div className="gh-folder-question-foot">
        <AnswerButton tone="primary" enabled={mayAnswer} onClick={() => answer('open')}>
          Open
        </AnswerButton>
        <AnswerButton enabled={mayAnswer} shortcut="Esc" onClick={() => answer('not-now')}>
          Not now
        </AnswerButton>
        {refused === 0 ? null : (
          <AnswerButton tone="quiet" enabled={mayAnswer} onClick={() => answer('never')}>
            Don’t ask for this folder
          </AnswerButton>
        )}
      </div>
    </section>
  );
}
