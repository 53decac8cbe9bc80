import type { ReactNode } from 'react';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { openCall } from '../../store/app.js';
import { When } from '../../ui/text/when.js';
import { StatusMark } from '../../ui/text/marks.js';
import { Visible } from '../../ui/text/visible.js';
import { useCallStatusText } from '../stopping.js';
import { CallTime } from './call-card.js';
import { buildCallAttributes, CallName } from './call-name.js';
import { OnBehalfMark } from './on-behalf-mark.js';
import './call-line.css';

export interface CallLineProps {
  readonly call: CallSummary;
  /** Actions of the person on it. */
  readonly children?: ReactNode;
}

/** A call in one line; the whole of it opens beside the page. */
export function CallLine({ call, children }: CallLineProps) {
  const word = useCallStatusText(call);
  const why = call.outcome === 'success' || call.display === 'pending' ? null : call.reason;
  return (
    <li className="gh-line" {...buildCallAttributes(call)}>
      <StatusMark state={call.display} />
      <button type="button" className="gh-line-name" onClick={() => openCall(call.callId)}>
        <CallName tool={call.tool} summary={call.summary} />
      </button>
      <OnBehalfMark whom={call} />
      <span className={`gh-line-word gh-state-${call.display}`} title={why ?? undefined}>
        {word}
        {why === null ? null : (
          <span className="sr-only">
            : <Visible text={why} />
          </span>
        )}
      </span>
      <CallTime call={call} />
      <When at={call.startedAt} className="gh-line-when" />
      {children}
    </li>
  );
}
