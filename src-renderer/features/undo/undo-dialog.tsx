import { useState } from 'react';
import type { BridgeError } from '../../../src-preload/contract/result.js';
import type { UndoFile } from '../../../src-preload/contract/undo.js';
import { ask, useRequest } from '../../bridge/use-request.js';
import { openCall } from '../../store/app.js';
import { Button } from '../../ui/button.js';
import { Checkbox } from '../../ui/checkbox.js';
import { Mono } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { counted } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { Skeleton } from '../../ui/skeleton.js';
import { UndoVersions } from './undo-versions.js';

const ACTIONS = {
  restore: 'Put back as it was',
  delete: 'Delete: the call made it',
  recreate: 'Bring back: the call deleted it',
} as const;

interface UndoDialogProps {
  readonly callId: string;
  readonly onClose: () => void;
}

/** What undoing would do, file by file, before anything is done. A file that was changed since is left alone. */
export function UndoDialog({ callId, onClose }: UndoDialogProps) {
  const { value: preview, error, reload } = useRequest('undo.preview', { callId });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<BridgeError | null>(null);

  const files = preview?.files ?? [];
  const chosen = files.filter((file) => file.possible && !left.has(file.path));
  const shown = files.find((file) => file.path === selected) ?? files[0] ?? null;

  const apply = async () => {
    setBusy(true);
    const answer = await ask('undo.apply', { callId, paths: chosen.map((file) => file.path) });
    setBusy(false);
    if (!answer.ok) {
      setFailure(answer.error);
      reload();
      return;
    }
    onClose();
    openCall(answer.value.callId);
  };

  return (
    <Dialog
      open
      size="large"
      title="Undo changes"
      description="The undo is a call of its own: it is recorded, and can be undone as well."
      onDismiss={onClose}
      className="gh-undo-dialog"
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={busy || chosen.length === 0} onClick={() => void apply()}>
            {busy ? 'Undoing…' : `Undo ${counted(chosen.length, 'file')}`}
          </Button>
        </>
      }
    >
      {error === null ? null : <Problem title="What undoing would do can’t be shown" error={error} onRetry={reload} />}
      {failure === null ? null : <Problem title="Nothing was undone" error={failure} />}
      {preview === null && error === null ? <Skeleton label="Comparing the files" /> : null}
      {preview === null ? null : (
        <div className="gh-undo-panes">
          <ul className="gh-undo-files" aria-label="Files to undo">
            {files.map((file) => (
              <FileEntry
                key={file.path}
                file={file}
                shown={file === shown}
                checked={file.possible && !left.has(file.path)}
                onShow={() => setSelected(file.path)}
                onCheck={(checked) =>
                  setLeft((before) => {
                    const next = new Set(before);
                    if (checked) next.delete(file.path);
                    else next.add(file.path);
                    return next;
                  })
                }
              />
            ))}
          </ul>
          {shown === null ? null : <UndoVersions key={shown.path} file={shown} />}
        </div>
      )}
    </Dialog>
  );
}

interface FileEntryProps {
  readonly file: UndoFile;
  readonly shown: boolean;
  readonly checked: boolean;
  readonly onShow: () => void;
  readonly onCheck: (checked: boolean) => void;
}

function FileEntry({ file, shown, checked, onShow, onCheck }: FileEntryProps) {
  return (
    <li className="gh-undo-file" aria-current={shown ? 'true' : undefined}>
      <Checkbox ariaLabel={`Undo ${file.path}`} checked={checked} disabled={!file.possible} onChange={onCheck} />
      <button type="button" onClick={onShow}>
        <Mono>{file.path}</Mono>
        <span className={file.possible ? 'secondary' : 'gh-undo-problem'}>
          {file.possible ? ACTIONS[file.action] : (file.problem ?? 'Can’t be taken back')}
        </span>
      </button>
    </li>
  );
}
