import { RotateCw } from 'lucide-react';
import type { BridgeError } from '#contract/window/result.js';
import { Button } from '../form/button.js';
import { NoticeBox } from './notice-box.js';

export interface ProblemProps {
  /** The failure: “The history can’t be loaded”. */
  readonly title: string;
  readonly error: BridgeError;
  readonly onRetry?: () => void;
}

/** A failure in main's words, and the way to try again. */
export function Problem({ title, error, onRetry }: ProblemProps) {
  return (
    <NoticeBox
      severity="error"
      title={title}
      details={`code: ${error.code}`}
      actions={
        onRetry === undefined ? undefined : (
          <Button size="small" icon={<RotateCw aria-hidden />} aria-label={`Try again: ${title}`} onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {error.message}
    </NoticeBox>
  );
}
