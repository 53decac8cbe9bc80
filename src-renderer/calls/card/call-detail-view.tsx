import { useCall } from '../../store/app.js';
import { StatusMark } from '../../ui/text/marks.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { useStopping, describeLiveCall } from '../stopping.js';
import { OutputPanel } from '../terminal/output-panel.js';
import { CallSections, useDetail } from './call-body.js';
import { CallConfinement, CallReason, CallTime, TimeBar } from './call-card.js';
import { Visible } from '../../ui/text/visible.js';
import { buildCallAttributes, ToolName } from './call-name.js';
import './call.css';

/** A call whole, the same wherever it was opened from. */
export function CallDetailView({ callId }: { readonly callId: string }) {
  const detail = useDetail(callId);
  const live = useCall(callId);
  const stopping = useStopping(callId);
  const call = live ?? detail.value;
  if (call === null) {
    return detail.error === null ? (
      <Skeleton label="Reading the call" lines={8} />
    ) : (
      <Problem title="The call can’t be loaded" error={detail.error} onRetry={detail.reload} />
    );
  }
  return (
    <article className="gh-call-detail" {...buildCallAttributes(call)} aria-label={`${call.tool}: ${call.summary}`}>
      <header>
        <p className="gh-call-detail-line">
          <StatusMark state={call.display} withWord word={describeLiveCall(call, stopping)} />
          <CallConfinement call={call} />
          <CallTime call={call} />
        </p>
        <h2 className="gh-call-detail-title">
          <ToolName tool={call.tool} /> <Visible text={call.summary} />
        </h2>
        {call.display === 'executing' ? <TimeBar call={call} /> : null}
        <CallReason call={call} />
      </header>
      <OutputPanel call={call} />
      {detail.error === null ? null : (
        <Problem title="The rest of the call can’t be loaded" error={detail.error} onRetry={detail.reload} />
      )}
      {detail.value === null ? <Skeleton label="Reading the call" lines={6} /> : <CallSections detail={detail.value} />}
    </article>
  );
}
