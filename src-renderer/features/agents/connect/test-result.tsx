import { Check, X } from 'lucide-react';
import type { ClientTest } from '#contract/window/clients.js';
import { Visible } from '../../../ui/text/visible.js';

export function TestResult({
  test: { ok, steps },
  afterwards,
}: {
  readonly test: ClientTest;
  readonly afterwards: string;
}) {
  return (
    <div className="gh-client-test">
      <p className={ok ? 'gh-reach gh-reach-only-gatehouse' : 'gh-reach gh-reach-also-others'}>
        {ok ? <Check aria-hidden /> : <X aria-hidden />}
        <strong>{ok ? 'Test call succeeded' : 'Test call failed'}</strong>
      </p>
      <ul>
        {steps.map((step) => (
          <li key={step.text} className="secondary">
            {step.ok ? <Check aria-label="Done:" /> : <X aria-label="Failed:" />} <Visible text={step.text} />
          </li>
        ))}
      </ul>
      {ok ? <p className="secondary">{afterwards}</p> : null}
    </div>
  );
}
