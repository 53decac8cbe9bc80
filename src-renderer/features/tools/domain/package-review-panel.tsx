import type { JsonObject } from '#contract/vocabulary/json.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import type { DomainFileChange, DomainReview, DomainToolChange } from '#contract/window/tools/domain.js';
import { useAct } from '../../../bridge/use-act.js';
import { DiffView } from '../../../calls/diff/diff-view.js';
import { useUnchanged } from '../../../ui/form/use-unchanged.js';
import { Mono } from '../../../ui/text/code-block.js';
import { Visible } from '../../../ui/text/visible.js';
import { ReviewDialog, ReviewFoot } from '../review/review-dialog.js';
import { findChangedFields } from '../review/changed-fields.js';
import { describeReview, TOOL_FIELDS } from './domain-labels.js';

/** The package that waits, beside the one that was accepted. */
export function PackageReviewPanel({ onClose }: { readonly onClose: () => void }) {
  return (
    <ReviewDialog ask="domain.review" request={{}} what="The package" reading="Reading the package" onClose={onClose}>
      {(review, onAgain) => (
        <PackageReviewView key={review.digest} review={review} onAgain={onAgain} onClose={onClose} />
      )}
    </ReviewDialog>
  );
}

interface PackageReviewProps {
  readonly review: DomainReview;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function PackageReviewView({ review, onAgain, onClose }: PackageReviewProps) {
  const { digest, tools, files, reach, packageDigest } = review;
  const { act, acting, problem } = useAct();
  const stood = useUnchanged(`domain ${digest}`);
  const accept = (): void => {
    void act('domain.accept', { digest }).then((answer) => {
      if (answer.ok) onClose();
    });
  };
  return (
    <div className="gh-review">
      <p className="gh-review-words">
        <Visible text={describeReview(review)} />
      </p>
      <ul className="gh-review-tools" aria-label="What the package changes">
        {tools.map((change) => (
          <li key={change.id} aria-label={toVisibleText(change.id)}>
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
      <DiffView noun="file" label="What changed of its files" files={files.map(describeFileChange)} />
      <p className="secondary">
        All of it together: <Mono>{packageDigest}</Mono>
      </p>
      <ReviewFoot
        problem={problem}
        answer="Accept"
        enabled={stood && !acting}
        onAnswer={accept}
        onAgain={onAgain}
        onClose={onClose}
      />
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
  const fields = findChangedFields(accepted, offered);
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

const describeFileChange = ({ path, before, after }: DomainFileChange) => ({
  path,
  change: before === null ? ('created' as const) : after === null ? ('deleted' as const) : ('modified' as const),
  before,
  after,
  note: null,
});
