import { Square } from 'lucide-react';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { useApp, useCall } from '../../store/app.js';
import { callById } from '../../store/calls-index.js';
import { Progress } from '../../ui/notice/progress.js';
import { Button } from '../../ui/form/button.js';
import { CallCard } from '../../calls/card/call-card.js';
import type { ComposeDraft } from './draft.js';

/** The results of the batch that was run last. */
export function BatchResults({ run }: { readonly run: NonNullable<ComposeDraft['run']> }) {
  const total = run.callIds.length;
  // A call that is no longer in the present list was settled long ago.
  const settled = useApp(({ app }) => run.callIds.filter((id) => callById(app.calls, id)?.outcome !== null).length);
  const { act, acting } = useAct();
  const going = settled < total;
  return (
    <section className="gh-results" aria-label="Results">
      <header className="gh-results-head">
        <h2>Results</h2>
        <output className="secondary">
          {settled} of {total} done
        </output>
        <Progress label="Calls done" max={total} value={settled} />
        {going ? (
          <Button
            size="small"
            icon={<Square aria-hidden />}
            disabled={acting}
            onClick={() => void act('batches.stop', { batchId: run.batchId })}
          >
            Cancel the rest
          </Button>
        ) : null}
      </header>
      <div className="gh-results-list">
        {run.callIds.map((callId) => (
          <ResultCard key={callId} callId={callId} />
        ))}
      </div>
    </section>
  );
}

function ResultCard({ callId }: { readonly callId: string }) {
  const call = useCall(callId);
  return call === null ? <OlderCard callId={callId} /> : <CallCard call={call} />;
}

/** A batch of hundreds outgrows the list of the moment; its older calls are read from history. */
function OlderCard({ callId }: { readonly callId: string }) {
  const detail = useRequest('calls.get', { callId });
  return detail.value === null ? null : <CallCard call={detail.value} />;
}
