import { useState } from 'react';
import type { SecretsBefore } from '#contract/vocabulary/calls.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { counted, formatBytes, formatFull } from '../../ui/text/format.js';

type Step = { readonly at: 'found' | 'erased'; readonly what: SecretsBefore };

/** Calls that were recorded before secrets were blotted out: looked through when the person wants it, and erased by their word. */
export function FromBefore({ onErased }: { readonly onErased: () => void }) {
  const before = useRequest('before.get', {});
  const { act, acting, problem, setProblem } = useAct();
  const [step, setStep] = useState<Step | null>(null);
  if (before.value === null && step === null) return null;

  const lookThrough = async () => {
    const found = await act('before.lookThrough', {});
    if (found.ok) setStep({ at: 'found', what: found.value });
  };
  const erase = async () => {
    const erased = await act('before.erase', {});
    if (!erased.ok) return;
    setStep({ at: 'erased', what: erased.value });
    onErased();
  };
  const keep = async () => {
    const kept = await act('before.keep', {});
    if (kept.ok) before.reload();
  };
  const close = () => {
    setStep(null);
    setProblem(null);
    before.reload();
  };
  return (
    <>
      {before.value === null ? null : (
        <div className="gh-from-before">
          <NoticeBox
            severity="info"
            title="Older calls may hold secrets in the clear"
            actions={
              <>
                <Button size="small" disabled={acting} onClick={() => void lookThrough()}>
                  {acting ? 'Checking them…' : 'Check them'}
                </Button>
                <Button size="small" tone="quiet" disabled={acting} onClick={() => void keep()}>
                  Keep them as they are
                </Button>
              </>
            }
          >
            {counted(before.value.calls, 'call')} up to {formatFull(before.value.until)} were recorded as they came. Now
            anything that looks like a secret is redacted before it is recorded.
            {problem === null || step !== null ? null : ` ${problem}`}
          </NoticeBox>
        </div>
      )}
      <Dialog
        open={step !== null}
        title={step?.at === 'erased' ? 'Erased' : isNothing(step?.what) ? 'Nothing was found' : 'Erase old secrets?'}
        onDismiss={close}
        foot={
          <>
            <Button onClick={close}>{step?.at === 'found' && !isNothing(step.what) ? 'Cancel' : 'Close'}</Button>
            {step?.at === 'found' ? (
              <Button tone="danger" disabled={acting} onClick={() => void erase()}>
                {isNothing(step.what) ? 'Don’t offer this again' : acting ? 'Erasing…' : 'Erase'}
              </Button>
            ) : null}
          </>
        }
      >
        {step === null ? null : <What step={step} />}
        {problem === null ? null : (
          <NoticeBox severity="error" title="Nothing was erased">
            {problem}
          </NoticeBox>
        )}
      </Dialog>
    </>
  );
}

const isNothing = (what: SecretsBefore | undefined): boolean =>
  what !== undefined && what.calls + what.outputs + what.undoBytes === 0;

function What({ step: { at, what } }: { readonly step: Step }) {
  if (isNothing(what)) return <p>Nothing in these calls looks like a secret.</p>;
  const { calls, places, outputs, outputBytes, undoBytes } = what;
  return (
    <>
      <ul className="gh-from-before-what">
        {calls === 0 ? null : (
          <li>
            {counted(places, 'place')} in {counted(calls, 'call')}, in arguments, results and reasons: [redacted] takes
            their place
          </li>
        )}
        {outputs === 0 ? null : (
          <li>
            {counted(outputs, 'stored output')} ({formatBytes(outputBytes)}): deleted whole
          </li>
        )}
        {undoBytes === 0 ? null : (
          <li>{formatBytes(undoBytes)} kept for undo: deleted; these changes can no longer be undone</li>
        )}
      </ul>
      <p className="secondary">
        {at === 'found'
          ? 'This can’t be undone. The history still lists each call and says what was erased; the audit log still verifies.'
          : 'The history says so for each call, and the audit log still verifies.'}
      </p>
    </>
  );
}
