import { useMemo, useState } from 'react';
import type { SourceReview, SourceToolChange } from '#contract/window/tools/sources.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import { useAct } from '../../../bridge/use-act.js';
import { useUnchanged } from '../../../ui/form/use-unchanged.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { counted } from '../../../ui/text/format.js';
import { ReviewDialog, ReviewFoot } from './review-dialog.js';
import { findChangedFields } from './changed-fields.js';
import { findInstructionMarks, collectTexts } from './instruction-marks.js';
import { ServerChange } from './server-change.js';
import { ToolChange } from './tool-change.js';

export interface ReviewPanelProps {
  readonly name: string;
  readonly otherNames: readonly string[];
  readonly onClose: () => void;
}

/** The source is started where that takes it. */
export function ReviewPanel({ name, otherNames, onClose }: ReviewPanelProps) {
  return (
    <ReviewDialog
      ask="sources.review"
      request={{ name }}
      what={name}
      reading={`Asking ${name} what it offers`}
      onClose={onClose}
    >
      {(review, onAgain) => {
        const shown = { review, onAgain, onClose };
        return review.isStarted ? (
          <SourceReviewView key={review.digest} {...shown} otherNames={otherNames} />
        ) : (
          <UnstartedReview key={review.digest} {...shown} />
        );
      }}
    </ReviewDialog>
  );
}

/** The review of a fetched package: which one it is is shown here before anything of it runs. */
function UnstartedReview({ review, onAgain, onClose }: Omit<SourceReviewViewProps, 'otherNames'>) {
  const { name, digest, server } = review;
  const { act, acting, problem } = useAct();
  const stood = useUnchanged(`${name} ${digest}`);
  const start = () => void act('sources.startSeen', { name, digest }).then(({ ok }) => (ok ? onAgain() : undefined));
  return (
    <div className="gh-review">
      <p className="gh-review-words">
        {server.accepted === null
          ? `${name} was fetched, and nothing of it was started. Look at what it is; started, it says what tools it has.`
          : `Another version of ${name} was fetched, and nothing of it was started. Look at what changed; started, without its keys and without a network, it says what tools it has.`}
      </p>
      <ServerChange name={name} server={server} />
      <ReviewFoot
        problem={problem}
        answer={acting ? 'Asking for its tools…' : 'Start and show its tools'}
        enabled={stood && !acting}
        onAnswer={start}
        onAgain={onAgain}
        onClose={onClose}
      />
    </div>
  );
}

interface SourceReviewViewProps {
  readonly review: SourceReview;
  readonly otherNames: readonly string[];
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function SourceReviewView({ review, otherNames, onAgain, onClose }: SourceReviewViewProps) {
  const { name, digest, server, tools } = review;
  const { act, acting, problem } = useAct();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const stood = useUnchanged(`${name} ${digest}`);
  const offered = tools.filter(({ change }) => change !== 'gone');
  const taken = offered.filter(({ toolId }) => !left.has(toolId));
  const toggle = (toolId: string, on: boolean) => {
    const next = new Set(left);
    if (on) next.delete(toolId);
    else next.add(toolId);
    setLeft(next);
  };
  const accept = () => {
    const some = left.size === 0 ? {} : { tools: taken.map(({ toolId }) => toolId) };
    void act('sources.accept', { name, digest, ...some }).then((answer) => {
      if (answer.ok) onClose();
    });
  };
  const strange = useMemo(() => review.tools.filter((change) => isStrange(change, otherNames)), [review, otherNames]);
  const nothing = offered.length > 0 && taken.length === 0;
  return (
    <div className="gh-review">
      <p className="gh-review-words">{summary(review)}</p>
      {strange.length === 0 ? null : (
        <NoticeBox severity="warning" title={`${counted(strange.length, 'description')} to read closely`} news={false}>
          Marked below: words that speak to a model, name keys or other tools, or can’t be seen. A tool’s description is
          read by every model that may call it.
        </NoticeBox>
      )}
      <ServerChange name={name} server={server} />
      <ul className="gh-review-tools" aria-label={`What ${name} offers`}>
        {tools.map((change) => (
          <li key={`${change.toolId} ${change.version}`} aria-label={toVisibleText(change.name ?? change.operation)}>
            <ToolChange
              change={change}
              otherNames={otherNames}
              few={tools.length <= FEW}
              taken={!left.has(change.toolId)}
              onTaken={offered.length > 1 ? (on) => toggle(change.toolId, on) : null}
            />
          </li>
        ))}
      </ul>
      <ReviewFoot
        problem={problem}
        answer={left.size === 0 ? 'Accept' : `Accept ${taken.length} of ${offered.length}`}
        enabled={stood && !acting && !nothing}
        onAnswer={accept}
        onAgain={onAgain}
        onClose={onClose}
      />
    </div>
  );
}

/** So many are open at once; of more, each opens when it is asked. */
const FEW = 6;

function summary({ name, server, tools }: SourceReview): string {
  const of = (what: SourceToolChange['change']) => tools.filter(({ change }) => change === what).length;
  const [added, changed, gone] = [of('new'), of('changed'), of('gone')];
  const words = [
    ...(added === 0 ? [] : [counted(added, 'new tool')]),
    ...(changed === 0 ? [] : [counted(changed, 'changed tool')]),
    ...(gone === 0 ? [] : [`${counted(gone, 'tool')} that it no longer offers`]),
  ].join(', ');
  const what = words === '' ? 'no new tools' : words;
  if (server.accepted === null)
    return `${name} is new here: ${what}. Nothing of it can be called before you accept it.`;
  if (findChangedFields(server.accepted, server.offered).length > 0) {
    return `${name} itself changed, so all of its tools stopped: ${what}. They run again when you accept it.`;
  }
  return `Since you accepted ${name}: ${what}. What changed is stopped until you accept it.`;
}

const isStrange = ({ offered, change }: SourceToolChange, otherNames: readonly string[]): boolean =>
  change !== 'gone' && offered !== null && findInstructionMarks(collectTexts(offered), otherNames).length > 0;
