import { useRef } from 'react';
import { describeAsker } from '#contract/vocabulary/call-labels.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { Question } from '#contract/window/app-events.js';
import { ask } from '../../bridge/use-request.js';
import { useApp, useAppShallow } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';

const answer = (yes: boolean): void => void ask('app.answer', { yes });

/** A question of main, one at a time. Escape and the first focus mean: leave things as they are. */
export function QuestionDialog() {
  const question = useApp((state) => state.app.question);
  const running = useAppShallow((state) => state.app.calls.filter(({ display }) => display === 'executing'));
  const safe = useRef<HTMLButtonElement>(null);
  if (question === null) return null;
  const words = describeQuestion(question, running);
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

const MAX_NAMED_CALLS = 3;

/** The running calls that would be stopped, by name as far as they are known here, and by asker. */
function StoppedCalls({ running, calls }: { readonly running: number; readonly calls: readonly CallSummary[] }) {
  const named = calls.slice(0, Math.min(MAX_NAMED_CALLS, running));
  if (named.length === 0) return counted(running, 'call');
  const more = running - named.length;
  return (
    <>
      {named.map(({ callId, summary, door, client, agent, tenant, user }, at) => (
        <span key={callId}>
          {at === 0 ? null : ', '}
          <Mono>
            <Visible text={summary} />
          </Mono>{' '}
          (<Visible text={describeAsker(door, agent === null ? client : null, agent, { tenant, user })} />)
        </span>
      ))}
      {more > 0 ? ` and ${counted(more, 'more call')}` : null}
    </>
  );
}

function describeQuestion(question: Question, running: readonly CallSummary[]) {
  switch (question.kind) {
    case 'close-workspace':
      return {
        title: 'Close this folder?',
        text: (
          <>
            {counted(question.calls, 'call')} {question.calls === 1 ? 'is' : 'are'} waiting or running in{' '}
            <Mono>{question.path}</Mono>. Closing it stops {question.calls === 1 ? 'it' : 'them'}. Its agents get no
            further until you open it again.
          </>
        ),
        yes: question.calls === 1 ? 'Stop it and close' : 'Stop them and close',
        no: 'Keep open',
        tone: 'danger',
      } as const;
    case 'quit':
      return {
        title: 'Quit while calls are running?',
        text: (
          <>
            <StoppedCalls running={question.running} calls={running} /> will be stopped. What{' '}
            {question.running === 1 ? 'it' : 'they'} already changed stays.
          </>
        ),
        yes: 'Quit',
        no: 'Keep running',
        tone: 'danger',
      } as const;
  }
}
