import { useRef, useState } from 'react';
import { describeAsker } from '#contract/vocabulary/call-labels.js';
import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { RecoveredBatch, RecoveredCall } from '#contract/window/recovery.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { useApp } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Fold } from '../../ui/layout/fold.js';
import { counted, formatWhen } from '../../ui/text/format.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { ChangedFiles } from '../../calls/card/sections/changed-files.js';
import { DiffView } from '../../calls/diff/diff-view.js';
import { ResultText } from '../../calls/card/sections/result-text.js';
import { Visible } from '../../ui/text/visible.js';
import { describeProcess, FOUND_LABELS, tellStory } from './recovery-labels.js';
import { buildCallAttributes, CallName } from '../../calls/card/call-name.js';
import './recovery.css';

/**
 * The dialog at the start when something was in progress as the app stopped. Nothing else begins before it is answered.
 */
export function RecoveryDialog() {
  const report = useApp((state) => state.app.recovery);
  const [openedAt] = useState(() => Date.now());
  const { act, acting, problem } = useAct();
  const story = useRef<HTMLDivElement>(null);
  if (report === null) return null;

  const choose = (choice: 'resume' | 'discard') => void act('recovery.decide', { choice });
  return (
    <Dialog
      open
      title="Unfinished work"
      size="medium"
      className="gh-recovery"
      initialFocus={story}
      description={tellStory(report, openedAt)}
      foot={
        <div className="gh-recovery-choices">
          <div>
            <Button disabled={acting} onClick={() => choose('discard')}>
              Discard results
            </Button>
            <p className="secondary" id="gh-discard-about">
              Tells the agent that every call was interrupted. History keeps the details.
            </p>
          </div>
          <div>
            <Button tone="primary" disabled={acting} onClick={() => choose('resume')}>
              Resume with partial results
            </Button>
            <p className="secondary" id="gh-resume-about">
              Returns the results that were saved. Nothing runs again.
            </p>
          </div>
        </div>
      }
    >
      {problem === null ? null : (
        <NoticeBox severity="error" title="That didn’t work">
          {problem}
        </NoticeBox>
      )}
      <section ref={story} className="gh-recovery-story" aria-label="What was in progress" {...FOCUSABLE}>
        {report.batches.map((batch) => (
          <BatchStory key={batch.batchId} batch={batch} />
        ))}
      </section>
    </Dialog>
  );
}

function BatchStory({ batch }: { readonly batch: RecoveredBatch }) {
  return (
    <section className="gh-recovery-batch">
      <h3>
        <Visible text={describeAsker(batch.door, batch.client, batch.agent, batch)} />
      </h3>
      <ul>
        {batch.calls.map((call) => (
          <CallStory key={call.call.callId} recovered={call} />
        ))}
      </ul>
    </section>
  );
}

function CallStory({ recovered }: { readonly recovered: RecoveredCall }) {
  const { call, nature, foundAs, began, changedFiles, partialOutput } = recovered;
  const { sign, words } = FOUND_LABELS[foundAs];
  const ofProcess = describeProcess(recovered) ?? (foundAs === 'may-have-run' ? NATURE_WORDS[nature].afterCrash : null);
  return (
    <li className="gh-recovery-call" {...buildCallAttributes(call)} data-standing={foundAs}>
      <span className={`gh-recovery-sign gh-recovery-${foundAs}`} aria-hidden>
        {sign}
      </span>
      <div className="gh-recovery-text">
        <p>
          <CallName tool={call.tool} summary={call.summary} />
        </p>
        <p className={`gh-recovery-words gh-recovery-${foundAs}`}>
          {words}.
          {foundAs === 'may-have-run' && began !== null
            ? ` It was running when Gatehouse stopped (started ${formatWhen(began)}).`
            : ''}
          {ofProcess === null ? null : ` ${ofProcess}`}
        </p>
        {changedFiles.length === 0 ? null : (
          <Fold
            title={`${counted(changedFiles.length, 'file')} ${foundAs === 'finished' ? 'changed' : 'changed since it began'}`}
          >
            <ChangedFiles files={changedFiles} workspace={call.workspace} />
            <ChangesSince callId={call.callId} workspace={call.workspace} />
          </Fold>
        )}
        {partialOutput === null || partialOutput === '' ? null : (
          <Fold title="Output until then">
            <ResultText text={partialOutput} label="Partial output" />
          </Fold>
        )}
      </div>
    </li>
  );
}

/** The changes of files from before the call to now, where images of them were kept. */
function ChangesSince({ callId, workspace }: { readonly callId: string; readonly workspace: string }) {
  const preview = useRequest('undo.preview', { callId });
  if (preview.error !== null) {
    // A command's changes have no images; the list above is what is known of them.
    if (preview.error.code === 'not-found' || preview.error.code === 'refused') return null;
    return <Problem title="The changes can’t be loaded" error={preview.error} onRetry={preview.reload} />;
  }
  if (preview.value === null) return <Skeleton label="Comparing the files" />;
  const files = preview.value.files
    .filter(({ before, current }) => before !== null || current !== null)
    .map(({ path, before, current }): FileEffect => ({
      path,
      change: before === null ? 'created' : current === null ? 'deleted' : 'modified',
      before,
      after: current,
      note: null,
    }));
  return files.length === 0 ? null : <DiffView files={files} label="Changes since it began" workspace={workspace} />;
}
