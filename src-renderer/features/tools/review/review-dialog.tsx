import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { RequestOf, ResponseOf } from '#contract/window/channels.js';
import { useAct } from '../../../bridge/use-act.js';
import { AnswerButton } from '../../../ui/form/answer-button.js';
import { Button } from '../../../ui/form/button.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { Refusal } from '../../../ui/notice/refusal.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { Visible } from '../../../ui/text/visible.js';
import './review.css';

type ReviewChannel = 'sources.review' | 'domain.review';

export interface ReviewDialogProps<Name extends ReviewChannel> {
  readonly ask: Name;
  readonly request: RequestOf<Name>;
  /** The subject of the review, as a sentence names it. */
  readonly what: string;
  readonly reading: string;
  readonly onClose: () => void;
  readonly children: (review: ResponseOf<Name>, again: () => void) => ReactNode;
}

/** A review, asked for by the press that opened it. */
export function ReviewDialog<Name extends ReviewChannel>(props: ReviewDialogProps<Name>) {
  const { ask, request, what, reading, onClose, children } = props;
  const { act, acting, problem } = useAct();
  const [review, setReview] = useState<ResponseOf<Name> | null>(null);
  const look = (): void => {
    setReview(null);
    void act(ask, request).then((answer) => {
      if (answer.ok) setReview(answer.value);
    });
  };
  const begin = useRef(look);
  useEffect(() => begin.current(), []);
  if (review !== null) return children(review, look);
  if (problem === null) return <Skeleton label={reading} lines={4} />;
  return (
    <NoticeBox
      severity="error"
      title={`${what} can’t be reviewed`}
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
      <Visible text={problem} />
    </NoticeBox>
  );
}

export interface ReviewFootProps {
  /** Why the last answer did not count. */
  readonly problem: string | null;
  readonly answer: string;
  readonly enabled: boolean;
  readonly onAnswer: () => void;
  readonly onAgain: () => void;
  readonly onClose: () => void;
}

/** The person's answer to what they read. */
export function ReviewFoot({ problem, answer, enabled, onAnswer, onAgain, onClose }: ReviewFootProps) {
  return (
    <>
      <Refusal text={problem}>
        <Button size="small" onClick={onAgain}>
          Review again
        </Button>
      </Refusal>
      <footer className="gh-review-foot">
        <Button onClick={onClose}>Not now</Button>
        <AnswerButton tone="primary" enabled={enabled} onClick={onAnswer}>
          {answer}
        </AnswerButton>
      </footer>
    </>
  );
}
