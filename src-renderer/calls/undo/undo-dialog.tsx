import { useState } from 'react';
import type { UndoFile } from '#contract/vocabulary/undo.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { openCall } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Checkbox } from '../../ui/form/checkbox.js';
import { Mono } from '../../ui/text/code-block.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { Fold } from '../../ui/layout/fold.js';
import { counted } from '../../ui/text/format.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { NotUndone, OtherChanges } from './undo-parts.js';
import { UndoVersions } from './undo-versions.js';
import { DiffView } from '../diff/diff-view.js';
import { buildUndoEffect, describeUndo } from './undo-files.js';
import { Visible } from '../../ui/text/visible.js';
import { toVisibleText } from '#contract/vocabulary/text/visible-text.js';
import './undo.css';

export interface UndoDialogProps {
  readonly callId: string;
  /** How many of the call's files are not among those that can be chosen here. */
  readonly lasting: number;
  readonly open: boolean;
  readonly onClose: () => void;
}

export function UndoDialog({ callId, lasting, open, onClose }: UndoDialogProps) {
  const preview = useRequest('undo.preview', open ? { callId } : null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [withOthers, setWithOthers] = useState(false);
  const { act, acting, problem } = useAct();
  const files = preview.value?.files ?? [];
  const others = files.filter((file) => file.possible && file.mayBeOthers);
  const chosen = files.filter((file) => file.possible && (file.mayBeOthers ? withOthers : !left.has(file.path)));

  const toggle = (path: string) => {
    const next = new Set(left);
    if (!next.delete(path)) next.add(path);
    setLeft(next);
  };
  const apply = async () => {
    const all = chosen.length === files.length;
    const answer = await act('undo.apply', all ? { callId } : { callId, paths: chosen.map(({ path }) => path) });
    if (!answer.ok) {
      preview.reload();
      return;
    }
    onClose();
    openCall(answer.value.callId);
  };

  return (
    <Dialog
      open={open}
      title="Undo changes"
      size="large"
      description="Restores the files as they were before this call. The undo is recorded and can be undone."
      onDismiss={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={acting || chosen.length === 0} onClick={() => void apply()}>
            Undo changes ({chosen.length})
          </Button>
        </>
      }
    >
      <div className="gh-undo">
        {problem === null ? null : (
          <NoticeBox severity="error" title="Nothing was undone">
            {problem}
          </NoticeBox>
        )}
        {preview.error === null ? null : (
          <Problem title="The preview can’t be loaded" error={preview.error} onRetry={preview.reload} />
        )}
        {preview.value === null && preview.error === null ? <Skeleton label="Comparing the files" /> : null}
        {files.length === 0 ? null : (
          <>
            <ul className="gh-undo-files" aria-label="Files to undo">
              {files
                .filter((file) => !others.includes(file))
                .map((file) => (
                  <UndoRow
                    key={file.path}
                    file={file}
                    words={file.possible ? describeUndo(file) : (file.problem ?? 'can’t be undone')}
                    chosen={!left.has(file.path)}
                    onToggle={toggle}
                  />
                ))}
            </ul>
            <OtherChanges files={others} chosen={withOthers} onChange={setWithOthers} />
            <NotUndone leaves={preview.value?.leaves ?? []} />
            {lasting > 0 ? (
              <NoticeBox
                severity="info"
                title={`${counted(lasting, 'other file')} will stay as the call left ${lasting === 1 ? 'it' : 'them'}`}
              >
                Those changes can’t be undone. The list of files says why.
              </NoticeBox>
            ) : null}
            {files.some(({ possible }) => !possible) ? (
              <NoticeBox
                severity="warning"
                title={`${counted(files.filter(({ possible }) => !possible).length, 'file')} can’t be undone`}
              >
                They were edited after this call, or no copy was kept. The other files can still be restored.
              </NoticeBox>
            ) : null}
            {files
              .filter(({ possible }) => !possible)
              .map((file) => (
                <Fold key={file.path} title={`Compare the versions of ${toVisibleText(file.path)}`}>
                  <UndoVersions file={file} />
                </Fold>
              ))}
            <DiffView files={chosen.map(buildUndoEffect)} label="What undoing does" />
          </>
        )}
      </div>
    </Dialog>
  );
}

export function UndoRow(props: {
  readonly file: UndoFile;
  readonly words: string;
  readonly chosen: boolean;
  readonly onToggle: (path: string) => void;
}) {
  const { file, words, chosen, onToggle } = props;
  return (
    <li>
      <Checkbox checked={file.possible && chosen} disabled={!file.possible} onChange={() => onToggle(file.path)}>
        <Mono>
          <Visible text={file.path} />
        </Mono>{' '}
        <span className="secondary">{words}</span>
      </Checkbox>
    </li>
  );
}
