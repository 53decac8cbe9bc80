import { useState } from 'react';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { counted } from '../../../ui/text/format.js';
import { Refusal } from '../../../ui/notice/refusal.js';

/** The time that main holds a denial against the same call. */
const DENIAL_LASTS_MS = 10 * 60_000;

/** A denial by the person: how often the call came, and how to be asked about it again. */
export function DeniedSection({ detail }: { readonly detail: CallDetail }) {
  const { act, acting, problem } = useAct();
  const [isForgotten, setForgotten] = useState(false);
  const at = detail.events.at(-1)?.at ?? detail.startedAt;
  // A call that was denied as a repeat is held by the first.
  const [isHeld] = useState(() => Date.now() - at < DENIAL_LASTS_MS);
  return (
    <section>
      <h3 className="gh-call-title">
        {detail.repeats === 0 ? 'Denied by you' : `Denied ${counted(detail.repeats + 1, 'time')}`}
      </h3>
      {detail.repeats === 0 ? null : (
        <p className="secondary">The same call came again and was denied with the same reason, without asking you.</p>
      )}
      {isHeld && !isForgotten ? (
        <Button
          size="small"
          disabled={acting}
          onClick={() => void act('calls.askAgain', { callId: detail.callId }).then(({ ok }) => setForgotten(ok))}
        >
          Ask me again
        </Button>
      ) : null}
      {isForgotten ? <output>You will be asked if it comes again.</output> : null}
      <Refusal text={problem} />
    </section>
  );
}
