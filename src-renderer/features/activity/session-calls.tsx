import { useEffect, useMemo, useState } from 'react';
import type { CallSummary, Door } from '#contract/vocabulary/calls.js';
import type { BridgeError } from '#contract/window/result.js';
import { ask } from '../../bridge/use-request.js';
import { CallLine } from '../../calls/card/call-line.js';
import { useCall } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';

const PAGE = 50;
/** The most calls that are listed: whoever looks for more looks in History, which searches. */
const MAX_LISTED_CALLS = 500;

export interface SessionCallsProps {
  readonly session: string;
  readonly door: Door;
  /** The only folder to show; undefined for all. */
  readonly here: string | undefined;
  /** When its first and its last call were asked for. */
  readonly from: number;
  readonly to: number;
}

/** The calls of a session, the latest first, a page at a time. */
export function SessionCalls({ session, door, here, from, to }: SessionCallsProps) {
  const [calls, setCalls] = useState<readonly CallSummary[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [error, setError] = useState<BridgeError | null>(null);

  const wanted = useMemo(
    () => ({ limit: PAGE, session, door, from, to, ...(here === undefined ? {} : { workspace: here }) }),
    [session, door, here, from, to],
  );
  const read = async (before: string | null): Promise<void> => {
    const answer = await ask('calls.list', { ...wanted, ...(before === null ? {} : { before }) });
    setError(answer.ok ? null : answer.error);
    if (!answer.ok) return;
    setCalls((known) => (before === null ? answer.value.calls : [...(known ?? []), ...answer.value.calls]));
    setNext(answer.value.next);
  };
  useEffect(() => {
    let stale = false;
    void ask('calls.list', wanted).then((answer) => {
      if (stale) return;
      setError(answer.ok ? null : answer.error);
      if (!answer.ok) return;
      setCalls(answer.value.calls);
      setNext(answer.value.next);
    });
    return () => {
      stale = true;
    };
  }, [wanted]);

  if (error !== null)
    return <Problem title="These calls can’t be read" error={error} onRetry={() => void read(null)} />;
  if (calls === null) return <Skeleton label="Reading the calls" lines={4} />;
  return (
    <>
      <ul className="gh-lines" aria-label="All calls">
        {calls.map((call) => (
          <LiveLine key={call.callId} call={call} />
        ))}
      </ul>
      {next === null ? null : calls.length >= MAX_LISTED_CALLS ? (
        <p className="secondary">History has the older calls.</p>
      ) : (
        <Button size="small" tone="quiet" onClick={() => void read(next)}>
          Show {PAGE} more
        </Button>
      )}
    </>
  );
}

/** A call's line, which follows it in the store while it is listed. */
function LiveLine({ call }: { readonly call: CallSummary }) {
  return <CallLine call={useCall(call.callId) ?? call} />;
}
