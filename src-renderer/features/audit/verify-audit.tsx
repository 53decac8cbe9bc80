import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { BridgeResult } from '#contract/window/result.js';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { counted, formatCount, formatFull } from '../../ui/text/format.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import './audit.css';

/** Walks the whole chain of hashes: every event is the one that was written, and none is missing. */
export function VerifyAudit() {
  const [checking, setChecking] = useState(false);
  const [answer, setAnswer] = useState<BridgeResult<AuditVerdict> | null>(null);
  const verify = async () => {
    setChecking(true);
    setAnswer(await ask('audit.verify', {}));
    setChecking(false);
  };
  const accept = async () => {
    setChecking(true);
    setAnswer(await ask('audit.accept', {}));
    setChecking(false);
  };
  return (
    <>
      <Button icon={<ShieldCheck aria-hidden />} disabled={checking} onClick={() => void verify()}>
        {checking ? 'Verifying audit…' : 'Verify audit'}
      </Button>
      <Dialog
        open={answer !== null}
        title="Audit"
        onDismiss={() => setAnswer(null)}
        foot={
          <>
            <Button onClick={() => setAnswer(null)}>Close</Button>
            {answer?.ok === true && !answer.value.ok && answer.value.acceptable === true ? (
              <Button disabled={checking} onClick={() => void accept()}>
                Go on from this history
              </Button>
            ) : null}
          </>
        }
      >
        {answer === null ? null : answer.ok ? (
          <Verdict verdict={answer.value} />
        ) : (
          <Problem title="The audit log could not be verified" error={answer.error} onRetry={() => void verify()} />
        )}
      </Dialog>
    </>
  );
}

function Verdict({ verdict }: { readonly verdict: AuditVerdict }) {
  if (!verdict.ok) {
    return (
      <NoticeBox severity="error" title={`The audit log is broken at event ${formatCount(verdict.firstBad)}`}>
        {verdict.reason} Everything before it is intact. Copy the data folder before you go on.
        {verdict.acceptable === true
          ? ' If you restored this folder yourself, you can go on from it; the history will say so.'
          : null}
      </NoticeBox>
    );
  }
  return (
    <div className="gh-verdict">
      <NoticeBox severity="info" title="Audit log verified">
        {counted(verdict.events, 'event')}, none changed or missing.
      </NoticeBox>
      <Limits verdict={verdict} />
      <p className="secondary">Keep this hash elsewhere to prove it later.</p>
      <p>
        <Mono>{verdict.head}</Mono> <CopyButton text={verdict.head} label="Copy the hash" iconOnly />
      </p>
    </div>
  );
}

/** The limits of the proof. */
function Limits({ verdict }: { readonly verdict: Extract<AuditVerdict, { ok: true }> }) {
  const { signed, unsigned = [], olderCopy } = verdict;
  return (
    <>
      {olderCopy === undefined ? null : olderCopy.told ? (
        <p>
          {olderCopy.words}
          {olderCopy.since === undefined
            ? null
            : ` Known since ${formatFull(olderCopy.since)}, event ${formatCount(olderCopy.sinceEvent ?? 0)}.`}
        </p>
      ) : (
        <NoticeBox severity="warning" title="An older copy couldn’t be noticed">
          {olderCopy.words}
        </NoticeBox>
      )}
      {signed === true ? null : (
        <NoticeBox severity="warning" title="Not signed">
          No key is available to sign it or check signatures. Anyone who can write to the data folder could have written
          all of it anew.
        </NoticeBox>
      )}
      {unsigned.map(({ from, to }) => (
        <p key={from}>
          Events {formatCount(from)} to {formatCount(to)} carry no signature: they were recorded without a key, or by
          somebody else. From then on they are as they were found.
        </p>
      ))}
    </>
  );
}
