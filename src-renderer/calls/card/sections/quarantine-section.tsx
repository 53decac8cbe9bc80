import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { QuarantineEntry } from '#contract/vocabulary/activity/quarantine.js';
import { useAct } from '../../../bridge/use-act.js';
import { useRequest } from '../../../bridge/use-request.js';
import { Button } from '../../../ui/form/button.js';
import { NoticeBox } from '../../../ui/notice/notice-box.js';
import { Problem } from '../../../ui/notice/problem.js';
import { Skeleton } from '../../../ui/notice/skeleton.js';
import { ChangedFileRow } from './changed-files.js';
import { DiffView } from '../../diff/diff-view.js';

/**
 * The quarantined files of a command: other programs obey them, so they were taken away after it, and are offered back.
 */
export function QuarantineSection({ callId, workspace }: { readonly callId: string; readonly workspace: string }) {
  const view = useRequest('aside.view', { callId });
  const { act, problem } = useAct();
  const putBack = async (path: string) => {
    await act('aside.putBack', { callId, paths: [path] });
    view.reload();
  };
  return (
    <section aria-labelledby={`aside-${callId}`}>
      <h3 className="gh-call-title" id={`aside-${callId}`}>
        Put aside
      </h3>
      <p className="secondary">
        These files can make other programs run code, so the command could not leave them. They are as they were before
        it.
      </p>
      {problem === null ? null : (
        <NoticeBox severity="error" title="Nothing was put back">
          {problem}
        </NoticeBox>
      )}
      {view.error === null ? null : (
        <Problem title="What was put aside can’t be loaded" error={view.error} onRetry={view.reload} />
      )}
      {view.value === null && view.error === null ? <Skeleton label="Loading what was put aside" /> : null}
      <ul className="gh-changes" aria-label="Put aside">
        {view.value?.files.map((file) => (
          <Entry key={file.path} file={file} workspace={workspace} onPutBack={putBack} />
        ))}
      </ul>
    </section>
  );
}

function Entry({
  file,
  workspace,
  onPutBack,
}: {
  readonly file: QuarantineEntry;
  readonly workspace: string;
  readonly onPutBack: (path: string) => Promise<void>;
}) {
  const [shows, setShows] = useState(false);
  const [waits, setWaits] = useState(false);
  const putBack = async () => {
    setWaits(true);
    await onPutBack(file.path);
    setWaits(false);
  };
  return (
    <ChangedFileRow
      className="gh-aside"
      path={file.path}
      workspace={workspace}
      change={file.change}
      about={` · ${file.what}${file.problem === null ? '' : `. ${file.problem}`}`}
    >
      <div className="gh-call-actions">
        <Button
          size="small"
          icon={<Undo2 aria-hidden />}
          disabled={!file.possible || waits}
          aria-label={`Put back ${file.path}`}
          onClick={() => void putBack()}
        >
          Put back
        </Button>
        <Button size="small" aria-expanded={shows} aria-label={`Show ${file.path}`} onClick={() => setShows(!shows)}>
          Show
        </Button>
      </div>
      {shows ? <DiffView files={[buildEffect(file)]} label={`What the command left: ${file.path}`} /> : null}
    </ChangedFileRow>
  );
}

const buildEffect = ({ path, change, before, after, note }: QuarantineEntry): FileEffect => ({
  path,
  change,
  before,
  after,
  note: before === null && after === null ? (note ?? 'It isn’t text, or its content wasn’t kept.') : null,
});
