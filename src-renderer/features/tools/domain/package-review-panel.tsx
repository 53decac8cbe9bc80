import { useEffect, useRef, useState } from 'react';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { visibleText } from '#contract/vocabulary/text/visible-text.js';
import type { DomainFileChange, DomainReview, DomainToolChange } from '#contract/window/domain.js';
import { useAct } from '../../../bridge/use-act.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { AnswerButton } from '../../../ui/form/answer-button.js';
import { Button } from '../../../ui/form/button.js';
import { useStood } from '../../../ui/form/use-stood.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { changedFields } from '../review/changed-fields.js';
import { reviewWords, TOOL_FIELDS } from './domain-words.js';
import '../review/review.css';

/** The package that waits, beside the one that was accepted. */
export function PackageReviewPanel({ onClose }: { readonly onClose: () => void }) {
  const { act, problem } = useAct();
  const [review, setReview] = useState<DomainReview | null>(null);
  const look = (): void => {
    setReview(null);
    void act('domain.review', {}).then((answer) => {
      if (answer.ok) setReview(answer.value);
    });
  };
  const begin = useRef(look);
  useEffect(() => begin.current(), []);
  if (review === null && problem === null) return <Skeleton label="Reading the package" lines={4} />;
  if (review === null)
    return (
      <p className="gh-field-error" role="alert">
        <Visible text={problem ?? ''} />{' '}
        <Button size="small" onClick={onClose}>
          Close
        </Button>
      </p>
    );
  return <Reviewed key={review.digest} review={review} onAgain={look} onClose={onClose} />;
}

interface ReviewedProps {
  readonly review: DomainReview;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Reviewed({ review, onAgain, onClose }: ReviewedProps) {
  const { digest, tools, files, reach, packageDigest } = review;
  const { act, acting, problem } = useAct();
  const stood = useStood(`domain ${digest}`);
  const accept = (): void => {
    void act('domain.accept', { digest }).then((answer) => {
      if (answer.ok) onClose();
    });
  };
  return (
    <div className="gh-review">
      <p className="gh-review-words">
        <Visible text={reviewWords(review)} />
      </p>
      <ul className="gh-review-tools" aria-label="What the package changes">
        {tools.map((change) => (
          <li key={change.id} aria-label={visibleText(change.id)}>
            <ToolDifference change={change} />
          </li>
        ))}
      </ul>
      {reach === null ? null : (
        <DiffView
          noun="list"
          label="What its policies let workers reach"
          files={[{ path: 'policies.yaml: egress_allowlist', change: 'modified', ...reach, note: null }]}
        />
      )}
      <DiffView noun="file" label="What changed of its files" files={files.map(fileDifference)} />
      <p className="secondary">
        All of it together: <Mono>{packageDigest}</Mono>
      </p>
      {problem === null ? null : (
        <p className="gh-field-error" role="alert">
          <Visible text={problem} />{' '}
          <Button size="small" onClick={onAgain}>
            Review again
          </Button>
        </p>
      )}
      <footer className="gh-review-foot">
        <Button onClick={onClose}>Not now</Button>
        <AnswerButton tone="primary" enabled={stood && !acting} onClick={accept}>
          Accept
        </AnswerButton>
      </footer>
    </div>
  );
}

const CHANGE_WORDS = { new: 'New', changed: 'Changed', gone: 'Gone' } as const;

function ToolDifference({ change: { id, change, accepted, offered } }: { readonly change: DomainToolChange }) {
  return (
    <div className="gh-review-tool" data-change={change}>
      <p>
        <Mono>
          <Visible text={id} />
        </Mono>{' '}
        <span className={`gh-tool-state gh-tool-state-${change}`}>{CHANGE_WORDS[change]}</span>
      </p>
      {offered === null ? (
        <p className="secondary">It can’t be called any more. Rules for it end.</p>
      ) : (
        <Fields id={id} accepted={accepted} offered={offered} />
      )}
    </div>
  );
}

interface FieldsProps {
  readonly id: string;
  readonly accepted: JsonObject | null;
  readonly offered: JsonObject;
}

function Fields({ id, accepted, offered }: FieldsProps) {
  const fields = changedFields(accepted, offered);
  if (fields.length === 0)
    return <p className="secondary">It says the same; files that its worker may load changed.</p>;
  return (
    <DiffView
      noun="field"
      label={`What ${accepted === null ? 'comes with' : 'changed in'} ${id}`}
      files={fields.map(({ field, before, after }) => ({
        path: TOOL_FIELDS[field] ?? field,
        change: before === null ? 'created' : after === null ? 'deleted' : 'modified',
        before,
        after,
        note: null,
      }))}
    />
  );
}

const fileDifference = ({ path, before, after }: DomainFileChange) => ({
  path,
  change: before === null ? ('created' as const) : after === null ? ('deleted' as const) : ('modified' as const),
  before,
  after,
  note: null,
});
