import { Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { askerWords, CONFINEMENT_WORDS, credentialWords } from '#contract/vocabulary/call-words.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { UndoFile } from '#contract/vocabulary/undo.js';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import { useRequest } from '../../bridge/use-request.js';
import { openCall, useCall } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { CopyButton } from '../../ui/text/copy-button.js';
import { Fold } from '../../ui/layout/fold.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { counted, formatBytes, formatDuration, formatFull } from '../../ui/text/format.js';
import { Facts } from '../../ui/layout/page.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { OutputDialog } from '../terminal/output-panel.js';
import { DiffView } from '../diff/diff-view.js';
import { changedNames } from '../json/json-rows.js';
import { JsonTree } from '../json/json-tree.js';
import { ChangedFiles } from './changed-files.js';
import { NetworkSection } from './network-section.js';
import { PutAsideSection } from './put-aside-section.js';
import { networkUseOf } from './network-use.js';
import { ResultText } from './result-text.js';
import { Timeline } from './timeline.js';
import { UndoDialog } from '../undo/undo-dialog.js';
import { rightsText } from '../undo/undo-files.js';
import { Visible } from '../../ui/text/visible.js';
import { visibleText } from '#contract/vocabulary/visible-text.js';

/** Everything about one call: fetched when it is opened, and again when the call moves on. */
export function CallBody({ callId }: { readonly callId: string }) {
  const detail = useDetail(callId);
  if (detail.value === null) {
    return detail.error === null ? (
      <Skeleton label="Reading the call" />
    ) : (
      <Problem title="The call can’t be read" error={detail.error} onRetry={detail.reload} />
    );
  }
  return <CallSections detail={detail.value} />;
}

/** The live call says when there is more to read; what was read is never older than that. */
export function useDetail(callId: string) {
  const live = useCall(callId);
  const detail = useRequest('calls.get', { callId });
  const { reload } = detail;
  const stamp = live === null ? '' : `${live.state} ${live.awaiting ?? ''} ${live.hasOutput} ${live.hasChanges}`;
  const seen = useRef(stamp);
  useEffect(() => {
    if (stamp === seen.current) return;
    seen.current = stamp;
    reload();
  }, [stamp, reload]);
  return detail;
}

export function CallSections({ detail }: { readonly detail: CallDetail }) {
  const edited = detail.originalArguments === null ? [] : changedNames(detail.originalArguments, detail.arguments);
  const network = networkUseOf(detail.structured);
  return (
    <div className="gh-call-body">
      <section>
        <h3 className="gh-call-title">Arguments</h3>
        <JsonTree value={detail.arguments} label="Arguments" marked={new Set(edited)} />
        {detail.originalArguments === null ? null : (
          <Fold title={`You edited ${edited.join(', ')} · as it was asked`}>
            <JsonTree value={detail.originalArguments} label="Arguments as they were asked" />
          </Fold>
        )}
      </section>
      {detail.changedFiles.length === 0 ? null : <Changes detail={detail} />}
      {detail.putAside.length === 0 ? null : <PutAsideSection callId={detail.callId} />}
      {detail.structured?.['lookComplete'] === false ? (
        <NoticeBox severity="warning" title="Not all of the workspace could be looked at">
          It is not certain that nothing was left that other programs obey. Commands here ask until it is.
        </NoticeBox>
      ) : null}
      {mayHaveChangedMore(detail) ? (
        <NoticeBox severity="warning" title="It may have changed more than is listed">
          There was too much in the workspace, or too much of it changed. What is not listed can’t be undone here.
        </NoticeBox>
      ) : null}
      {network === null ? null : <NetworkSection use={network} />}
      {detail.result === null ? null : <Result detail={detail} />}
      <section>
        <h3 className="gh-call-title">Timeline</h3>
        <Timeline events={detail.events} />
      </section>
      <Fold title="More">
        <Facts facts={factsOf(detail)} />
      </Fold>
    </div>
  );
}

function factsOf(detail: CallDetail): readonly (readonly [string, React.ReactNode])[] {
  const facts: (readonly [string, React.ReactNode])[] = [
    ['Asked by', <Visible key="asker" text={askerWords(detail.door, detail.client, detail.agent)} />],
    ['Asked at', formatFull(detail.startedAt)],
  ];
  if (detail.user !== null) facts.push(['User', <Visible key="user" text={detail.user} />]);
  if (detail.tenant !== null) facts.push(['Tenant', <Visible key="tenant" text={detail.tenant} />]);
  if (detail.credential !== null)
    facts.push(['Came with', <Visible key="credential" text={credentialWords(detail.credential)} />]);
  if (detail.durationMs !== null) facts.push(['Took', formatDuration(detail.durationMs)]);
  if (detail.timeoutMs !== null) facts.push(['Time allowed', formatDuration(detail.timeoutMs)]);
  if (detail.capabilities.includes('network')) facts.push(['Network', 'You allowed it for this call']);
  if (detail.capabilities.includes('network.settings')) facts.push(['Network', 'Your settings allow it']);
  if (detail.capabilities.includes('git.write')) facts.push(['Git', 'You let it write to .git for this call']);
  if (detail.confinement !== null) facts.push(['Confinement', CONFINEMENT_WORDS[detail.confinement]]);
  if (detail.toolId !== null) facts.push(['Tool', <Mono key="tool">{detail.toolId}</Mono>]);
  if (detail.version !== null) facts.push(['Tool version', detail.version]);
  if (detail.outputBytes > 0) facts.push(['Output', formatBytes(detail.outputBytes)]);
  facts.push(['Call', <Mono key="call">{detail.callId}</Mono>], ['Batch', <Mono key="batch">{detail.batchId}</Mono>]);
  return facts;
}

const mayHaveChangedMore = ({ structured }: CallDetail): boolean => structured?.['changedFilesComplete'] === false;

function Changes({ detail }: { readonly detail: CallDetail }) {
  const [undoing, setUndoing] = useState(false);
  const lasting = detail.changedFiles.filter((file) => !file.undoable).length;
  const undoable = lasting < detail.changedFiles.length && detail.undoneBy === null;
  return (
    <section>
      <h3 className="gh-call-title">Changed {counted(detail.changedFiles.length, 'file')}</h3>
      {undoable && lasting > 0 ? (
        <p className="secondary">{lasting} of them can’t be undone; why stands beside each. The others can.</p>
      ) : null}
      <ChangedFiles files={detail.changedFiles} />
      <Fold title="Show what changed">
        <DoneDiff callId={detail.callId} />
      </Fold>
      <div className="gh-call-actions">
        {detail.outcome !== null && undoable ? (
          <Button icon={<Undo2 aria-hidden />} onClick={() => setUndoing(true)}>
            Undo changes
          </Button>
        ) : null}
        <Related label="Undone. Show the undo" callId={detail.undoneBy} />
        <Related label="Show the call that this undid" callId={detail.undoes} />
      </div>
      <UndoDialog callId={detail.callId} lasting={lasting} open={undoing} onClose={() => setUndoing(false)} />
    </section>
  );
}

function Related({ label, callId }: { readonly label: string; readonly callId: string | null }) {
  if (callId === null) return null;
  return (
    <Button tone="quiet" onClick={() => openCall(callId)}>
      {label}
    </Button>
  );
}

/** What the call did, from what undoing it does. */
const DONE = { delete: 'created', recreate: 'deleted', restore: 'modified' } as const;

const became = (rights: UndoFile['rights']): string | null =>
  rights === null ? null : `Its rights became ${rightsText(rights.after)}; they were ${rightsText(rights.before)}.`;

/** What the call did to each file, from the images that undo keeps. */
function DoneDiff({ callId }: { readonly callId: string }) {
  const preview = useRequest('undo.preview', { callId });
  if (preview.error !== null)
    return <Problem title="The changes can’t be shown" error={preview.error} onRetry={preview.reload} />;
  if (preview.value === null) return <Skeleton label="Reading the changes" />;
  const files = preview.value.files.map(({ path, action, before, after, problem, rights }): FileEffect => ({
    path,
    change: DONE[action],
    before,
    after,
    note:
      before === null && after === null ? (problem ?? 'It is not text, or its content was not kept.') : became(rights),
  }));
  return <DiffView files={files} label="Changes made" />;
}

function Result({ detail }: { readonly detail: CallDetail }) {
  const [showsAll, setShowsAll] = useState(false);
  const text = detail.result ?? '';
  return (
    <section>
      <div className="gh-call-result-head">
        <h3 className="gh-call-title">Result, as the caller got it</h3>
        <CopyButton text={text} label="Copy result" iconOnly />
      </div>
      <ResultText text={text} label="Result" />
      {detail.outputBytesLeftOut === 0 ? null : (
        <p className="secondary">
          {formatBytes(detail.outputBytesLeftOut)} left out
          {detail.hasOutput ? (
            <>
              {' · '}
              <button type="button" className="gh-link-button" onClick={() => setShowsAll(true)}>
                show all
              </button>
            </>
          ) : null}
        </p>
      )}
      <OutputDialog
        call={detail}
        name={`Output of ${visibleText(detail.tool)}`}
        open={showsAll}
        onClose={() => setShowsAll(false)}
      />
    </section>
  );
}
