import { useState } from 'react';
import type { ChangesScope } from '#contract/vocabulary/activity/changes.js';
import type { PlannedUndoFile } from '#contract/vocabulary/undo.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { openCall } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Problem } from '../../ui/notice/problem.js';
import { Skeleton } from '../../ui/notice/skeleton.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { counted } from '../../ui/text/format.js';
import { Visible } from '../../ui/text/visible.js';
import { DiffView } from '../diff/diff-view.js';
import { NotUndone, OtherChanges } from './undo-parts.js';
import { UndoRow } from './undo-dialog.js';
import { buildUndoEffect, describeUndo } from './undo-files.js';
import { buildUndoRequest } from './undo-request.js';
import './undo.css';

/** The changes to undo: those of these calls, or only those to one file. */
export interface UndoSelection {
  readonly title: string;
  readonly scope: ChangesScope;
  readonly path?: string;
}

export interface UndoManyDialogProps {
  /** Null while it is closed. */
  readonly wanted: UndoSelection | null;
  readonly onClose: () => void;
}

const describeCounts = (file: PlannedUndoFile): string => {
  if (!file.possible) return file.problem ?? 'can’t be undone';
  return file.partly ? 'will be restored to what another program made of it between these calls' : describeUndo(file);
};

/** Undoes what several calls changed as one: what it will do, and what stays, is seen before. */
export function UndoManyDialog({ wanted, onClose }: UndoManyDialogProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [withOthers, setWithOthers] = useState<boolean | null>(null);
  const { act, acting, problem, setProblem } = useAct();
  const request =
    wanted === null ? null : { ...wanted.scope, ...(wanted.path === undefined ? {} : { paths: [wanted.path] }) };
  const plan = useRequest('changes.plan', request);
  // A plan that was read for another undo is not this one's.
  const read = plan.loading ? null : plan.value;
  const files = read?.files ?? [];
  const possible = files.filter((file) => file.possible);
  const others = possible.filter((file) => file.mayBeOthers);
  // A request for one file means that file.
  const takesOthers = withOthers ?? wanted?.path !== undefined;
  const isChosen = (file: PlannedUndoFile) => (file.mayBeOthers ? takesOthers : !left.has(file.path));
  const chosen = new Set(possible.filter(isChosen).map(({ path }) => path));
  const stays = [
    ...files.filter((file) => !file.possible).map(({ path, problem: why }) => ({ path, why: why ?? '' })),
    ...(read?.lasting ?? []),
  ];
  const close = () => {
    setLeft(new Set());
    setWithOthers(null);
    setProblem(null);
    onClose();
  };
  const toggle = (path: string) => {
    const next = new Set(left);
    if (!next.delete(path)) next.add(path);
    setLeft(next);
  };
  const apply = async () => {
    const undo = read === null ? null : buildUndoRequest(read, chosen);
    if (undo === null) return;
    const answer = await act('undo.apply', undo);
    if (!answer.ok) {
      plan.reload();
      return;
    }
    close();
    openCall(answer.value.callId);
  };

  return (
    <Dialog
      open={wanted !== null}
      title={wanted?.title ?? ''}
      size="large"
      description="The latest change is undone first. It is recorded as one call, and can be undone itself."
      onDismiss={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button tone="primary" disabled={acting || chosen.size === 0} onClick={() => void apply()}>
            Undo changes ({chosen.size})
          </Button>
        </>
      }
    >
      <div className="gh-undo">
        {problem === null ? null : (
          <NoticeBox severity="error" title="Nothing was undone">
            <Visible text={problem} />
          </NoticeBox>
        )}
        {plan.error === null ? null : (
          <Problem title="The preview can’t be loaded" error={plan.error} onRetry={plan.reload} />
        )}
        {read === null && plan.error === null ? <Skeleton label="Comparing the files" /> : null}
        {read !== null && possible.length === 0 ? <p>None of these changes can be undone now.</p> : null}
        {possible.length === 0 ? null : (
          <ul className="gh-undo-files" aria-label="Files to undo">
            {possible
              .filter((file) => !file.mayBeOthers)
              .map((file) => (
                <UndoRow
                  key={file.path}
                  file={file}
                  words={describeCounts(file)}
                  chosen={!left.has(file.path)}
                  onToggle={toggle}
                />
              ))}
          </ul>
        )}
        <OtherChanges files={others} chosen={takesOthers} onChange={setWithOthers} />
        <NotUndone leaves={read?.leaves ?? []} />
        {stays.length === 0 ? null : (
          <NoticeBox
            severity="warning"
            title={`${counted(stays.length, 'file')} will stay as ${stays.length === 1 ? 'it is' : 'they are'}`}
          >
            <ul className="gh-undo-files" aria-label="Files that stay">
              {stays.map(({ path, why }) => (
                <li key={path}>
                  <span className="mono">
                    <Visible text={path} />
                  </span>{' '}
                  <Visible text={why} />
                </li>
              ))}
            </ul>
          </NoticeBox>
        )}
        {possible.length === 0 ? null : (
          <DiffView
            files={possible.filter(({ path }) => chosen.has(path)).map(buildUndoEffect)}
            label="What undoing does"
          />
        )}
      </div>
    </Dialog>
  );
}
