import { useRef } from 'react';
import type { Question } from '#contract/window/app-events.js';
import { ask } from '../../bridge/use-request.js';
import { useApp } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { counted } from '../../ui/text/format.js';

const answer = (yes: boolean): void => void ask('app.answer', { yes });

/** What main asks, one at a time. Escape and the first focus mean: leave things as they are. */
export function QuestionDialog() {
  const question = useApp((state) => state.app.question);
  const safe = useRef<HTMLButtonElement>(null);
  if (question === null) return null;
  const words = wordsOf(question);
  return (
    <Dialog
      open
      title={words.title}
      description={words.text}
      onDismiss={() => answer(false)}
      initialFocus={safe}
      foot={
        <>
          <Button ref={safe} onClick={() => answer(false)}>
            {words.no}
          </Button>
          <Button tone={words.tone} onClick={() => answer(true)}>
            {words.yes}
          </Button>
        </>
      }
    />
  );
}

function wordsOf(question: Question) {
  switch (question.kind) {
    case 'switch-workspace':
      return {
        title: 'Switch workspace?',
        text: (
          <>
            The window will work in <Mono>{question.path}</Mono> instead. What is here stays as it is, and so does its
            history.
          </>
        ),
        yes: 'Switch',
        no: 'Stay',
        tone: 'primary',
      } as const;
    case 'quit':
      return {
        title: 'Quit while calls are running?',
        text: `${counted(question.running, 'call')} will be stopped, and the running commands ended. Changes that are not finished are taken back.`,
        yes: 'Quit',
        no: 'Keep running',
        tone: 'danger',
      } as const;
  }
}
