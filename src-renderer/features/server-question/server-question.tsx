import { useEffect, useRef, useState } from 'react';
import { readFormDefaults } from '#contract/vocabulary/tools/form-defaults.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ServerAsks, ServerQuestionView } from '#contract/window/tools/sources.js';
import { useAct } from '../../bridge/use-act.js';
import { SchemaForm } from '../../calls/arguments/schema-form.js';
import { live } from '../../store/app.js';
import { useCurrent } from '../../store/use-current.js';
import { AnswerButton } from '../../ui/form/answer-button.js';
import { Button } from '../../ui/form/button.js';
import { useUnchanged } from '../../ui/form/use-unchanged.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Visible } from '../../ui/text/visible.js';
import { ServerRequest } from './server-request.js';
import { Refusal } from '../../ui/notice/refusal.js';
import './server-question.css';

/** A server's question in the midst of a call: one after the other. Escape and the first focus mean no answer. */
export function ServerQuestion() {
  const { value, reload } = useCurrent('sources.question', {});
  useEffect(() => live.on('sources-changed', reload), [reload]);
  if (value === null) return null;
  return <Question key={`${value.id} ${value.step}`} question={value} onStale={reload} />;
}

const NO_ANSWER: Readonly<Record<ServerAsks['kind'], string>> = {
  form: 'No answer',
  page: 'No answer',
  model: 'Not now',
  'model-writes': 'Stop',
  'model-answer': 'Keep it back',
};

interface ServerQuestionProps {
  readonly question: ServerQuestionView;
  readonly onStale: () => void;
}

function Question({ question, onStale }: ServerQuestionProps) {
  const { id, step, source, calls, asks, behind } = question;
  const { act, acting, problem } = useAct();
  const [content, setContent] = useState<JsonObject>(() => (asks.kind === 'form' ? readFormDefaults(asks.schema) : {}));
  const stood = useUnchanged(`${id} ${step}`);
  const safe = useRef<HTMLButtonElement>(null);
  const answer = (action: 'accept' | 'decline' | 'cancel') =>
    void act('sources.answer', {
      id,
      step,
      action,
      ...(action === 'accept' && asks.kind === 'form' ? { content: JSON.stringify(content) } : {}),
    }).then(({ ok }) => {
      if (ok) onStale();
    });
  const open = () => {
    if (asks.kind !== 'page') return;
    void act('app.openLink', { url: asks.url }).then(({ ok }) => {
      if (ok) answer('accept');
    });
  };
  const yes = YES[asks.kind];
  return (
    <Dialog
      open
      title={buildTitle(asks, source)}
      size="medium"
      className="gh-server-question"
      initialFocus={safe}
      description={<QuestionCalls calls={calls} source={source} behind={behind} />}
      onDismiss={() => answer('cancel')}
      foot={
        <>
          <Button ref={safe} disabled={acting} onClick={() => answer('cancel')}>
            {NO_ANSWER[asks.kind]}
          </Button>
          {asks.kind === 'form' || asks.kind === 'page' ? (
            <Button disabled={acting} onClick={() => answer('decline')}>
              Decline
            </Button>
          ) : null}
          {yes === null ? null : (
            <AnswerButton
              tone="primary"
              enabled={stood && !acting}
              onClick={() => (asks.kind === 'page' ? open() : answer('accept'))}
            >
              {yes}
            </AnswerButton>
          )}
        </>
      }
    >
      <ServerRequest source={source} asks={asks} />
      {asks.kind === 'form' ? (
        <>
          <SchemaForm schema={asks.schema} value={content} label={`What ${source} asks`} onChange={setContent} />
          <NoticeBox
            severity={asks.secretFields.length === 0 ? 'info' : 'warning'}
            title="No passwords or keys"
            news={false}
          >
            {asks.secretFields.length === 0 ? null : (
              <>
                It asks for “<Visible text={asks.secretFields.join('”, “')} />
                ”.{' '}
              </>
            )}
            {source} gets what you fill in, as it stands. It never needs a password or a key this way.
          </NoticeBox>
        </>
      ) : null}
      <Refusal text={problem} />
    </Dialog>
  );
}

const YES: Readonly<Record<ServerAsks['kind'], string | null>> = {
  form: 'Send answer',
  page: 'Open in browser',
  model: 'Ask the model',
  'model-writes': null,
  'model-answer': 'Give back',
};

function buildTitle(asks: ServerAsks, source: string): string {
  switch (asks.kind) {
    case 'form':
      return `${source} asks you`;
    case 'page':
      return `${source} wants to open a page`;
    case 'model':
      return `${source} wants to ask your model`;
    case 'model-writes':
      return `${asks.model} answers ${source}`;
    case 'model-answer':
      return `Give this answer to ${source}?`;
  }
}

function QuestionCalls({ calls, source, behind }: Pick<ServerQuestionView, 'calls' | 'source' | 'behind'>) {
  const names = [...new Set(calls.map(({ operation }) => operation))].join(', ');
  return (
    <>
      {calls.length === 1 ? 'For its call ' : 'For one of its calls '}
      <Visible text={names} />, which waits. {source} is not Gatehouse: what it says here is its own.
      {behind === 0 ? null : ` ${behind} more ${behind === 1 ? 'waits' : 'wait'} behind it.`}
    </>
  );
}
