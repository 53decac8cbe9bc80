import { useEffect, useMemo, useRef, useState } from 'react';
import type { SourceReview, SourceToolChange } from '#contract/window/sources.js';
import { visibleText } from '#contract/vocabulary/text/visible-text.js';
import { useAct } from '../../../bridge/use-act.js';
import { AnswerButton } from '../../../ui/form/answer-button.js';
import { Button } from '../../../ui/form/button.js';
import { useStood } from '../../../ui/form/use-stood.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { counted } from '../../../ui/text/format.js';
import { Visible } from '../../../ui/text/visible.js';
import { changedFields } from './changed-fields.js';
import { instructionMarks, textsIn } from './instruction-marks.js';
import { ServerChange } from './server-change.js';
import { ToolChange } from './tool-change.js';
import './review.css';

export interface ReviewPanelProps {
  readonly name: string;
  readonly otherNames: readonly string[];
  readonly onClose: () => void;
}

/** Asked for by the press that opened it: the source is started where that takes it. */
export function ReviewPanel({ name, otherNames, onClose }: ReviewPanelProps) {
  const { act, acting, problem } = useAct();
  const [review, setReview] = useState<SourceReview | null>(null);
  const look = () => {
    setReview(null);
    void act('sources.review', { name }).then((answer) => {
      if (answer.ok) setReview(answer.value);
    });
  };
  const begin = useRef(look);
  useEffect(() => begin.current(), []);
  if (review === null && problem === null) return <Skeleton label={`Asking ${name} what it offers`} lines={4} />;
  if (review === null) {
    return (
      <NoticeBox
        severity="error"
        title={`${name} can’t be reviewed`}
        actions={
          <>
            <Button size="small" onClick={onClose}>
              Close
            </Button>
            <Button size="small" disabled={acting} onClick={look}>
              Try again
            </Button>
          </>
        }
      >
        <Visible text={problem ?? ''} />
      </NoticeBox>
    );
  }
  if (!review.isStarted) return <Unstarted key={review.digest} review={review} onAgain={look} onClose={onClose} />;
  return <Reviewed key={review.digest} review={review} otherNames={otherNames} onAgain={look} onClose={onClose} />;
}

/** Its package is fetched: which one it is stands here before anything of it runs. */
function Unstarted({ review, onAgain, onClose }: Omit<ReviewedProps, 'otherNames'>) {
  const { name, digest, server } = review;
  const { act, acting, problem } = useAct();
  const stood = useStood(`${name} ${digest}`);
  const start = () => void act('sources.startSeen', { name, digest }).then(({ ok }) => (ok ? onAgain() : undefined));
  return (
    <div className="gh-review">
      <p className="gh-review-words">
        {server.accepted === null
          ? `${name} was fetched, and nothing of it was started. Look at what it is; started, it says what tools it has.`
          : `Another version of ${name} was fetched, and nothing of it was started. Look at what changed; started, without its keys and without a network, it says what tools it has.`}
      </p>
      <ServerChange name={name} server={server} />
      <Failed problem={problem} onAgain={onAgain} />
      <footer className="gh-review-foot">
        <Button onClick={onClose}>Not now</Button>
        <AnswerButton tone="primary" enabled={stood && !acting} onClick={start}>
          {acting ? 'Asking for its tools…' : 'Start and show its tools'}
        </AnswerButton>
      </footer>
    </div>
  );
}

/** Why an answer did not count. */
function Failed({ problem, onAgain }: { readonly problem: string | null; readonly onAgain: () => void }) {
  if (problem === null) return null;
  return (
    <p className="gh-field-error" role="alert">
      <Visible text={problem} />{' '}
      <Button size="small" onClick={onAgain}>
        Review again
      </Button>
    </p>
  );
}

interface ReviewedProps {
  readonly review: SourceReview;
  readonly otherNames: readonly string[];
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

function Reviewed({ review, otherNames, onAgain, onClose }: ReviewedProps) {
  const { name, digest, server, tools } = review;
  const { act, acting, problem } = useAct();
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const stood = useStood(`${name} ${digest}`);
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
          <li key={`${change.toolId} ${change.version}`} aria-label={visibleText(change.name ?? change.operation)}>
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
      <Failed problem={problem} onAgain={onAgain} />
      <footer className="gh-review-foot">
        <Button onClick={onClose}>Not now</Button>
        <AnswerButton tone="primary" enabled={stood && !acting && !nothing} onClick={accept}>
          {left.size === 0 ? 'Accept' : `Accept ${taken.length} of ${offered.length}`}
        </AnswerButton>
      </footer>
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
  if (changedFields(server.accepted, server.offered).length > 0) {
    return `${name} itself changed, so all of its tools stopped: ${what}. They run again when you accept it.`;
  }
  return `Since you accepted ${name}: ${what}. What changed is stopped until you accept it.`;
}

const isStrange = ({ offered, change }: SourceToolChange, otherNames: readonly string[]): boolean =>
  change !== 'gone' && offered !== null && instructionMarks(textsIn(offered), otherNames).length > 0;
