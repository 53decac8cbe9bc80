import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { BridgeResult } from '../../../src-preload/contract/result.js';
import type { AuditVerdict } from '../../../src-preload/contract/telemetry.js';
import { ask } from '../../bridge/use-request.js';
import { Button } from '../../ui/button.js';
import { Mono } from '../../ui/code-block.js';
import { CopyButton } from '../../ui/copy-button.js';
import { Dialog } from '../../ui/dialog.js';
import { counted, formatCount } from '../../ui/format.js';
import { NoticeBox } from '../../ui/notice-box.js';
import { Problem } from '../../ui/problem.js';
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
  return (
    <>
      <Button icon={<ShieldCheck aria-hidden />} disabled={checking} onClick={() => void verify()}>
        {checking ? 'Verifying audit…' : 'Verify audit'}
      </Button>
      <Dialog
        open={answer !== null}
        title="Audit"
        onDismiss={() => setAnswer(null)}
        foot={<Button onClick={() => setAnswer(null)}>Close</Button>}
      >
        {answer === null ? null : answer.ok ? (
          <Verdict verdict={answer.value} />
        ) : (
          <Problem title="The audit could not be verified" error={answer.error} onRetry={() => void verify()} />
        )}
      </Dialog>
    </>
  );
}

function Verdict({ verdict }: { readonly verdict: AuditVerdict }) {
  if (!verdict.ok) {
    return (
      <NoticeBox severity="error" title={`The audit is broken at event ${formatCount(verdict.firstBad)}`}>
        {verdict.reason} What came before it is as it was written. Keep a copy of the data folder before you go on.
      </NoticeBox>
    );
  }
  return (
    <div className="gh-verdict">
      <NoticeBox severity="info" title="The audit is whole">
        {counted(verdict.events, 'event')}, each as it was written, none missing.
      </NoticeBox>
      <p className="secondary">
        The last hash stands for all of them. Keep it elsewhere to prove later what was here today.
      </p>
      <p>
        <Mono>{verdict.head}</Mono> <CopyButton text={verdict.head} label="Copy the hash" iconOnly />
      </p>
    </div>
  );
}
