import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { CallDetail } from '../../../src-preload/contract/calls.js';
import { useRequest } from '../../bridge/use-request.js';
import { openCall, useCall } from '../../store/app.js';
import { Button } from '../../ui/button.js';
import { counted } from '../../ui/format.js';
import { UndoDialog } from './undo-dialog.js';
import './undo.css';

/** The way back from what a call did to files, or why there is none. Nothing at all for calls that changed none. */
export function UndoChanges({ callId }: { readonly callId: string }) {
  const settled = useCall(callId)?.outcome ?? null;
  // The outcome is part of the question, so that the answer is fetched again once the call is settled.
  const { value: call, reload } = useRequest('calls.get', { callId });
  const [previewing, setPreviewing] = useState(false);
  const [seen, setSeen] = useState(settled);
  if (seen !== settled) {
    setSeen(settled);
    reload();
  }
  if (call === null || call.changedFiles.length === 0) return null;
  const possible = call.changedFiles.filter((file) => file.undoable).length;
  return (
    <section className="gh-undo" aria-label="Undo">
      <p className="secondary">{wordsOf(call, possible)}</p>
      {call.undoneBy === null ? (
        <Button icon={<Undo2 aria-hidden />} disabled={possible === 0} onClick={() => setPreviewing(true)}>
          Undo changes
        </Button>
      ) : (
        <Button onClick={() => openCall(call.undoneBy ?? callId)}>Show the undo</Button>
      )}
      {previewing ? (
        <UndoDialog
          callId={callId}
          onClose={() => {
            setPreviewing(false);
            reload();
          }}
        />
      ) : null}
    </section>
  );
}

function wordsOf(call: CallDetail, possible: number): string {
  const all = call.changedFiles.length;
  if (call.undoneBy !== null) return `${counted(all, 'changed file')}, taken back since.`;
  const why = call.changedFiles.find((file) => !file.undoable)?.note;
  if (possible === 0) return `${counted(all, 'changed file')}; none can be taken back${why ? `: ${why}` : '.'}`;
  if (possible < all) return `${counted(all, 'changed file')}; ${possible} can be taken back.`;
  return call.undoes === null ? `${counted(all, 'changed file')}.` : 'Undoing an undo does the changes again.';
}
