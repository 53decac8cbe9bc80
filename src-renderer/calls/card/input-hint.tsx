import { useEffect, useState } from 'react';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { live } from '../../store/app.js';
import { useNow } from './elapsed.js';
import { getTail } from '../terminal/live/live-tails.js';
import { describeSilence } from '../terminal/live/silence.js';

/** Commands get no input; one that asks for some, or says nothing for long, would otherwise seem to hang for no reason. */
export function InputHint({ call }: { readonly call: CallSummary }) {
  const { callId, executingSince } = call;
  const [waiting, setWaiting] = useState(false);
  const now = useNow(true);
  useEffect(
    () => live.on('waiting-for-input', (event) => (event.callId === callId ? setWaiting(event.waiting) : undefined)),
    [callId],
  );
  const heard = Math.max(getTail(callId)?.heardAt ?? 0, executingSince ?? now);
  const silence = call.nature === 'command' ? describeSilence(now - heard) : null;
  if (!waiting && silence === null) return null;
  return (
    <output className="gh-call-reason">
      {waiting
        ? 'It may be waiting for input and gets none. Stop it, and run it with options that answer its questions.'
        : silence}
    </output>
  );
}
