import { CallTime } from '../../calls/card/call-card.js';
import { buildCallAttributes, CallName } from '../../calls/card/call-name.js';
import { OnBehalfMark } from '../../calls/card/on-behalf-mark.js';
import { StopButton } from '../../calls/terminal/stop-button.js';
import { useLastLine } from '../../calls/terminal/live/use-last-line.js';
import { labelAsker } from '#contract/vocabulary/call-labels.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { openCall, useAppShallow } from '../../store/app.js';
import { useConversationTitle } from '../../store/conversations.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { StatusMark } from '../../ui/text/marks.js';
import { Visible } from '../../ui/text/visible.js';
import './running.css';

/** Calls that run now, at the foot of every place, whoever asked for them. */
export function RunningStrip() {
  const running = useAppShallow(({ app }) => app.calls.filter((call) => call.display === 'executing'));
  if (running.length === 0) return null;
  return (
    <section className="gh-running" aria-label="Running">
      <ul className="gh-running-list" {...FOCUSABLE}>
        {running.map((call) => (
          <RunningRow key={call.callId} call={call} />
        ))}
      </ul>
    </section>
  );
}

function RunningRow({ call }: { readonly call: CallSummary }) {
  const line = useLastLine(call.callId);
  return (
    <li className="gh-running-row" {...buildCallAttributes(call)}>
      <StatusMark state={call.display} />
      <button type="button" className="gh-running-name" onClick={() => openCall(call.callId)}>
        <CallName tool={call.tool} summary={call.summary} />
      </button>
      <AskedBy call={call} />
      {call.door === 'conversation' ? <ConversationName folder={call.workspace} id={call.session} /> : null}
      <span className="gh-running-line mono">
        <Visible text={line} />
      </span>
      <CallTime call={call} />
      <StopButton callId={call.callId} />
    </li>
  );
}

/** The program that asks over HTTP: several may run beside each other, and for others. */
function AskedBy({ call }: { readonly call: CallSummary }) {
  if (call.door !== 'gateway') return <OnBehalfMark whom={call} />;
  return (
    <span className="gh-running-of secondary">
      <Visible text={labelAsker(call)} />
    </span>
  );
}

/** The conversation's title, where one asked for it. */
function ConversationName({ folder, id }: { readonly folder: string; readonly id: string }) {
  const title = useConversationTitle(folder, id);
  if (title === null) return null;
  return (
    <span className="gh-running-of secondary">
      <Visible text={title} />
    </span>
  );
}
