import { ChevronRight, PanelRightOpen } from 'lucide-react';
import { memo, type ReactNode, useId, useState } from 'react';
import { CONFINEMENT_WORDS } from '#contract/vocabulary/call-labels.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { openCall } from '../../store/app.js';
import { IconButton } from '../../ui/form/button.js';
import { formatDuration } from '../../ui/text/format.js';
import { ConfinementMark, StatusMark } from '../../ui/text/marks.js';
import { InputHint } from './input-hint.js';
import { useCallStatusText } from '../stopping.js';
import { OutputPanel, useHasOutputPanel } from '../terminal/output-panel.js';
import { Progress } from '../../ui/notice/progress.js';
import { StopButton } from '../terminal/stop-button.js';
import { CallBody } from './call-body.js';
import { formatElapsed, formatLimit, computeTimeShare, useNow } from './elapsed.js';
import { Visible } from '../../ui/text/visible.js';
import { buildCallAttributes, CallName } from './call-name.js';
import { OnBehalfMark } from './on-behalf-mark.js';
import './call.css';

export interface CallCardProps {
  readonly call: CallSummary;
  /** Opens the whole call in the detail pane, where there is one beside. */
  readonly opensDetail?: boolean;
  /** Actions of the person on it, where it is shown. */
  readonly children?: ReactNode;
}

/** A call, wherever it is shown: mark, tool, summary, time, and everything else one press away. */
export const CallCard = memo(function CallCard({ call, opensDetail = true, children }: CallCardProps) {
  const [open, setOpen] = useState(false);
  const bodyId = useId();
  const running = call.display === 'executing';
  const word = useCallStatusText(call);
  // There is one way to stop a call: beside its output, where there is any.
  const showsOutput = useHasOutputPanel(call);
  return (
    <article className="gh-call" {...buildCallAttributes(call)} aria-label={`${call.tool}: ${call.summary}`}>
      <div className="gh-call-head">
        <button
          type="button"
          className="gh-call-unfold"
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight aria-hidden className={open ? 'gh-call-arrow gh-call-arrow-open' : 'gh-call-arrow'} />
          <StatusMark state={call.display} />
          <CallName tool={call.tool} summary={call.summary} />
        </button>
        <span className="gh-call-side">
          <OnBehalfMark whom={call} />
          <CallConfinement call={call} />
          <span className={`gh-call-word gh-state-${call.display}`}>{word}</span>
          <CallTime call={call} />
          {running && !showsOutput ? <StopButton callId={call.callId} /> : null}
          {opensDetail ? (
            <IconButton label="Open in the details" size="small" onClick={() => openCall(call.callId)}>
              <PanelRightOpen aria-hidden />
            </IconButton>
          ) : null}
        </span>
      </div>
      {running ? <TimeBar call={call} /> : null}
      <CallReason call={call} />
      {running ? <InputHint call={call} /> : null}
      <OutputPanel call={call} />
      {children}
      <div id={bodyId}>{open ? <CallBody callId={call.callId} /> : null}</div>
    </article>
  );
});

export function CallConfinement({ call: { confinement } }: { readonly call: CallSummary }) {
  return confinement === null ? null : (
    <ConfinementMark confinement={confinement} said={CONFINEMENT_WORDS[confinement]} />
  );
}

export function CallReason({ call }: { readonly call: CallSummary }) {
  // The reason of a waiting call is already its word.
  if (call.reason === null || call.outcome === 'success' || call.display === 'pending') return null;
  return (
    <p className="gh-call-reason">
      <Visible text={call.reason} />
      {call.code === null ? null : <span className="gh-call-code">{call.code}</span>}
    </p>
  );
}

/** The time that it took, or has taken so far. */
export function CallTime({ call }: { readonly call: CallSummary }) {
  const running = call.display === 'executing';
  const now = useNow(running);
  if (call.durationMs !== null) return <span className="gh-call-time">{formatDuration(call.durationMs)}</span>;
  if (!running || call.executingSince === null) return null;
  return <span className="gh-call-time">{formatElapsed(now - call.executingSince)}</span>;
}

export function TimeBar({ call }: { readonly call: CallSummary }) {
  const now = useNow(call.display === 'executing');
  if (call.executingSince === null || call.timeoutMs === null) return null;
  const share = computeTimeShare(now - call.executingSince, call.timeoutMs);
  return (
    <div className="gh-call-bar">
      <Progress label={`Time used of ${formatLimit(call.timeoutMs)}`} max={1} value={share} late={share > 0.8} />
      <span className="secondary">of {formatLimit(call.timeoutMs)}</span>
    </div>
  );
}
