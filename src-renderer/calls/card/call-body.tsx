import { Undo2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { describeAsker, CONFINEMENT_WORDS, describeCredential } from '#contract/vocabulary/call-labels.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import { parseNetworkCapabilities } from '#contract/vocabulary/network.js';
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
import { findChangedNames } from '../json/json-rows.js';
import { JsonTree } from '../json/json-tree.js';
import { ChangedFiles } from './sections/changed-files.js';
import { NetworkSection } from './sections/network-section.js';
import { QuarantineSection } from './sections/quarantine-section.js';
import { DeniedSection } from './sections/denied-section.js';
import { SecretsSection } from './sections/secrets-section.js';
import { NonTextSection } from './sections/non-text-section.js';
import { ResultText } from './sections/result-text.js';
import { PathActions } from '../path/path-actions.js';
import { SourceSection } from './sections/source-section.js';
import { Timeline } from './sections/timeline.js';
import { UndoDialog } from '../undo/undo-dialog.js';
import { formatRights } from '../undo/undo-files.js';
import { Visible } from '../../ui/text/visible.js';

/** Everything about one call: fetched when it is opened, and again when the call moves on. */
export function CallBody({ callId }: { readonly callId: string }) {
  const detail = useDetail(callId);
  if (detail.value === null) {
    return detail.error === null ? (
      <Skeleton label="Loading the call" />
    ) : (
      <Problem title="The call can’t be loaded" error={detail.error} onRetry={detail.reload} />
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
  const edited = detail.originalArguments === null ? [] : findChangedNames(detail.originalArguments, detail.arguments);
  return (
    <div className="gh-call-body">
      <section>
        <header className="gh-call-titled">
          <h3 className="gh-call-title">Arguments</h3>
          <CopyArgument detail={detail} />
        </header>
        <JsonTree value={detail.arguments} label="Arguments" marked={new Set(edited)} />
        {detail.originalArguments === null ? null : (
          <Fold title={`You edited ${edited.join(', ')} · as it was asked`}>
            <JsonTree value={detail.originalArguments} label="Arguments as they were asked" />
          </Fold>
        )}
      </section>
      {detail.code === 'DeniedByPerson' && detail.door !== 'compose' ? <DeniedSection detail={detail} /> : null}
      {detail.redactions === 0 ? null : (
        <SecretsSection callId={detail.callId} redactions={detail.redactions} toldCaller={wasRevealed(detail)} />
      )}
      {detail.changedFiles.length === 0 ? null : <Changes detail={detail} />}
      {detail.putAside.length === 0 ? null : <QuarantineSection callId={detail.callId} workspace={detail.workspace} />}
      {!detail.lookComplete ? (
        <NoticeBox severity="warning" title="Not all of the folder could be checked">
          It may have left files that make other programs run code. Commands in this folder ask until that is ruled out.
        </NoticeBox>
      ) : null}
      {!detail.changesComplete ? (
        <NoticeBox severity="warning" title="It may have changed more than listed">
          The folder was too large, or too much of it changed. Anything not listed can’t be undone.
        </NoticeBox>
      ) : null}
      {detail.warnings.map((warning) => (
        <NoticeBox key={warning} severity="warning" title="Its caller was warned">
          <Visible text={warning} />
        </NoticeBox>
      ))}
      {detail.networkUse === null ? null : <NetworkSection use={detail.networkUse} />}
      <SourceSection detail={detail} />
      {detail.result === null ? null : <Result detail={detail} />}
      {detail.nature === 'remote' ? <NonTextSection detail={detail} /> : null}
      <section>
        <h3 className="gh-call-title">Timeline</h3>
        <Timeline events={detail.events} nature={detail.nature} />
      </section>
      <Fold title="More">
        <Facts facts={listFacts(detail)} />
      </Fold>
    </div>
  );
}

/** Actions on an argument that a person takes elsewhere. */
function CopyArgument({ detail: { arguments: args, workspace } }: { readonly detail: CallDetail }) {
  const { command, path } = args;
  if (typeof command === 'string') return <CopyButton text={command} label="Copy command" iconOnly />;
  return typeof path === 'string' ? <PathActions path={path} workspace={workspace} /> : null;
}

function listFacts(detail: CallDetail): readonly (readonly [string, React.ReactNode])[] {
  const facts: (readonly [string, React.ReactNode])[] = [
    ['Requested by', <Visible key="asker" text={describeAsker(detail.door, detail.client, detail.agent, detail)} />],
    ['Requested at', formatFull(detail.startedAt)],
  ];
  if (detail.user !== null) facts.push(['User', <Visible key="user" text={detail.user} />]);
  if (detail.tenant !== null) facts.push(['Tenant', <Visible key="tenant" text={detail.tenant} />]);
  if (detail.credential !== null)
    facts.push(['Signed in with', <Visible key="credential" text={describeCredential(detail.credential)} />]);
  if (detail.durationMs !== null) facts.push(['Took', formatDuration(detail.durationMs)]);
  if (detail.timeoutMs !== null) facts.push(['Time limit', formatDuration(detail.timeoutMs)]);
  if (detail.eCode !== null) facts.push(['Error code', detail.eCode]);
  const allowed = parseNetworkCapabilities(detail.capabilities);
  if (allowed === 'any') facts.push(['Network', 'You allowed any host for this call']);
  else if (allowed.length > 0)
    facts.push(['Network', <Visible key="network" text={`You allowed ${allowed.join(', ')} for this call`} />]);
  if (detail.capabilities.includes('network.settings')) facts.push(['Network', 'Your settings allow it']);
  if (detail.capabilities.includes('git.write')) facts.push(['Git', 'You let it write to .git for this call']);
  if (wasRevealed(detail)) facts.push(['Secrets', 'You revealed them to the agent for this call']);
  if (detail.confinement !== null) facts.push(['Sandbox', CONFINEMENT_WORDS[detail.confinement]]);
  if (detail.toolId !== null) facts.push(['Tool', <Mono key="tool">{detail.toolId}</Mono>]);
  if (detail.version !== null) facts.push(['Tool version', detail.version]);
  if (detail.checkpoint !== undefined) {
    const { label, at, stateBytes } = detail.checkpoint;
    const kept = stateBytes === 0 ? '' : `, ${formatBytes(stateBytes)}`;
    facts.push([
      'Last checkpoint',
      <Visible key="checkpoint" text={`${label ?? 'without a name'} · ${formatFull(at)}${kept}`} />,
    ]);
  }
  if (detail.outputBytes > 0) facts.push(['Output', formatBytes(detail.outputBytes)]);
  facts.push(['Call', <Mono key="call">{detail.callId}</Mono>], ['Batch', <Mono key="batch">{detail.batchId}</Mono>]);
  return facts;
}

const wasRevealed = ({ capabilities }: CallDetail): boolean => capabilities.includes('secrets.reveal');

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
      <ChangedFiles files={detail.changedFiles} workspace={detail.workspace} />
      <Fold title="Show what changed">
        <CallDiff callId={detail.callId} workspace={detail.workspace} />
      </Fold>
      <div className="gh-call-actions">
        {detail.outcome !== null && undoable ? (
          <Button icon={<Undo2 aria-hidden />} onClick={() => setUndoing(true)}>
            Undo changes
          </Button>
        ) : null}
        <RelatedCalls label="Undone. Show the undo" callId={detail.undoneBy} />
        {detail.undoes.slice(0, 5).map((callId, at) => (
          <RelatedCalls
            key={callId}
            label={detail.undoes.length === 1 ? 'Show the call that this undid' : `Show undone call ${at + 1}`}
            callId={callId}
          />
        ))}
      </div>
      <UndoDialog callId={detail.callId} lasting={lasting} open={undoing} onClose={() => setUndoing(false)} />
    </section>
  );
}

function RelatedCalls({ label, callId }: { readonly label: string; readonly callId: string | null }) {
  if (callId === null) return null;
  return (
    <Button tone="quiet" onClick={() => openCall(callId)}>
      {label}
    </Button>
  );
}

/** The change that the call made, by the action that undoes it. */
const CHANGE_BY_UNDO = { delete: 'created', recreate: 'deleted', restore: 'modified' } as const;

const describeChange = (rights: UndoFile['rights']): string | null =>
  rights === null
    ? null
    : `Its permissions changed from ${formatRights(rights.before)} to ${formatRights(rights.after)}.`;

/** The call's changes to each file, from the images that undo keeps. */
function CallDiff({ callId, workspace }: { readonly callId: string; readonly workspace: string }) {
  const preview = useRequest('undo.preview', { callId });
  if (preview.error !== null)
    return <Problem title="The changes can’t be loaded" error={preview.error} onRetry={preview.reload} />;
  if (preview.value === null) return <Skeleton label="Loading the changes" />;
  const files = preview.value.files.map(({ path, action, before, after, problem, rights }): FileEffect => ({
    path,
    change: CHANGE_BY_UNDO[action],
    before,
    after,
    note:
      before === null && after === null
        ? (problem ?? 'It isn’t text, or its content wasn’t kept.')
        : describeChange(rights),
  }));
  return <DiffView files={files} label="Changes made" workspace={workspace} />;
}

function Result({ detail }: { readonly detail: CallDetail }) {
  const [showsAll, setShowsAll] = useState(false);
  const text = detail.result ?? '';
  return (
    <section>
      <div className="gh-call-result-head">
        <h3 className="gh-call-title">
          {wasRevealed(detail) ? 'Result sent to the agent, without the secrets it got' : 'Result sent to the agent'}
        </h3>
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
      <OutputDialog call={detail} open={showsAll} onClose={() => setShowsAll(false)} />
    </section>
  );
}
