import { Eye, EyeOff } from 'lucide-react';
import { useId, useState } from 'react';
import type { RevealedCall, RevealedOutput } from '#contract/vocabulary/calls.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { counted, formatBytes } from '../../../ui/text/format.js';
import { JsonTree } from '../../json/json-tree.js';
import { ResultText } from './result-text.js';

export interface SecretsSectionProps {
  readonly callId: string;
  readonly redactions: number;
  /** The person revealed them for this call. */
  readonly toldCaller: boolean;
}

/**
 * The redacted texts of a call. The person can look at them, where they are kept; they are fetched then, and forgotten
 * when hidden.
 */
export function SecretsSection({ callId, redactions, toldCaller }: SecretsSectionProps) {
  const [revealed, setRevealed] = useState<RevealedCall | null>(null);
  const { act, acting, problem } = useAct();
  const id = useId();
  const reveal = async () => {
    const answer = await act('calls.reveal', { callId });
    if (answer.ok) setRevealed(answer.value);
  };
  return (
    <section aria-labelledby={id}>
      <h3 className="gh-call-title" id={id}>
        Secrets
      </h3>
      <p className="secondary">
        {counted(redactions, 'place')} of this call {redactions === 1 ? 'is' : 'are'} shown as [redacted]
        {toldCaller ? ' here. You revealed them to the agent.' : ', here and for the agent.'}
      </p>
      {problem === null ? null : (
        <NoticeBox severity="error" title="Nothing was revealed">
          {problem}
        </NoticeBox>
      )}
      <div className="gh-call-actions">
        {revealed === null ? (
          <Button size="small" icon={<Eye aria-hidden />} disabled={acting} onClick={() => void reveal()}>
            Reveal
          </Button>
        ) : (
          <Button size="small" icon={<EyeOff aria-hidden />} onClick={() => setRevealed(null)}>
            Hide
          </Button>
        )}
      </div>
      {revealed === null ? null : <Revealed call={revealed} />}
    </section>
  );
}

function Revealed({ call }: { readonly call: RevealedCall }) {
  const nothing = call.arguments === null && call.result === null && call.outputs.length === 0;
  return (
    <section aria-label="Revealed" aria-live="polite">
      {nothing ? (
        <NoticeBox severity="info" title="The redacted values weren’t kept">
          It can be kept only sealed with the system’s key store. There was none when this was recorded, it does not
          open now, or the call is from before Gatehouse kept such things.
        </NoticeBox>
      ) : null}
      {call.arguments === null ? null : <JsonTree value={call.arguments} label="Arguments, revealed" />}
      {call.originalArguments === null ? null : (
        <JsonTree value={call.originalArguments} label="Arguments as they were asked, revealed" />
      )}
      {call.result === null ? null : <ResultText text={call.result} label="Result, revealed" />}
      {call.outputs.map((output) => (
        <Output key={output.stream} output={output} />
      ))}
    </section>
  );
}

function Output({ output: { stream, from, text, complete } }: { readonly output: RevealedOutput }) {
  const label = stream === 'stdout' ? 'Output, revealed' : 'Errors, revealed';
  return (
    <>
      <p className="secondary">
        {label}
        {from === 0 ? '' : `, after the first ${formatBytes(from)}`}
        {complete ? '' : ', as far as it is shown here'}
      </p>
      <ResultText text={text} label={label} />
    </>
  );
}
