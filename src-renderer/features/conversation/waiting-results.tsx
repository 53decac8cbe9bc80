import { useId, useState } from 'react';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { useCall } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Checkbox } from '../../ui/form/checkbox.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { Mono } from '../../ui/text/code-block.js';
import { TextArea } from '../../ui/form/text-field.js';
import { CallCard } from '../../calls/card/call-card.js';
import { JsonTree } from '../../calls/json/json-tree.js';

/**
 * Calls that wait for results in parse-only mode: nothing runs here, so the person does what is asked, and gives the
 * result.
 */
export function WaitingResults({ callIds }: { readonly callIds: readonly string[] }) {
  const title = useId();
  return (
    <section className="gh-waiting-section" aria-labelledby={title} {...FOCUSABLE}>
      <h2 id={title} className="gh-waiting-title">
        Waiting for results
      </h2>
      <p className="secondary">Nothing runs in this mode. Do what a call requests, then give it the result.</p>
      <ul className="gh-waiting" aria-label="Waiting for results">
        {callIds.map((callId) => (
          <WaitingCall key={callId} callId={callId} />
        ))}
      </ul>
    </section>
  );
}

function WaitingCall({ callId }: { readonly callId: string }) {
  const call = useCall(callId);
  const detail = useRequest('calls.get', { callId });
  const [result, setResult] = useState('');
  const [isError, setIsError] = useState(false);
  const { act, acting, problem } = useAct();
  if (call === null) return null;

  const submit = () => void act('results.submit', { callId, result, ...(isError ? { isError } : {}) });
  return (
    <li>
      <CallCard call={call}>
        <div className="gh-waiting-body">
          {detail.value === null ? null : (
            <JsonTree value={detail.value.arguments} label={`Arguments of ${call.tool}`} />
          )}
          <TextArea
            label="Result"
            mono
            rows={3}
            value={result}
            onChange={(event) => setResult(event.target.value)}
            error={problem}
            hint={
              <>
                Or in the message box: <Mono>/tool {callId} …</Mono>
              </>
            }
          />
          <div className="gh-waiting-foot">
            <Checkbox checked={isError} onChange={setIsError}>
              It failed
            </Checkbox>
            <Button tone="primary" disabled={acting} onClick={submit}>
              Submit result
            </Button>
          </div>
        </div>
      </CallCard>
    </li>
  );
}
