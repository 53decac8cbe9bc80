import { BookOpen } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { InstructionFile } from '#contract/vocabulary/conversation/instructions.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { DiffView } from '../../calls/diff/diff-view.js';
import { useApp, useWorkspace } from '../../store/app.js';
import { Button } from '../../ui/form/button.js';
import { Dialog } from '../../ui/overlay/dialog.js';
import { FOCUSABLE } from '../../ui/style/focusable.js';
import { Mono } from '../../ui/text/code-block.js';
import { Visible } from '../../ui/text/visible.js';
import { Refusal } from '../../ui/notice/refusal.js';
import './instructions.css';

type UnreadInstructions = Extract<InstructionFile, { readonly state: 'not-seen' | 'changed' }>;

/** The offer for the folder that the window shows. */
export function InstructionsHere() {
  const workspace = useWorkspace();
  return workspace === null ? null : <InstructionsOffer key={workspace.path} workspace={workspace.path} />;
}

/**
 * Files such as AGENTS.md that the person has not accepted as they are: one button each. Nothing where there are none,
 * or where all of them were accepted.
 */
function InstructionsOffer({ workspace }: { readonly workspace: string }) {
  const { value, reload, set } = useRequest('instructions.review', { workspace });
  // The file as it was when it was opened: a change meanwhile was not read, and main refuses it.
  const [reviewed, setReviewed] = useState<UnreadInstructions | null>(null);
  useFollow(reload);
  const unread = (value ?? []).flatMap((file) => (isUnread(file) ? [file] : []));
  const unusable = (value ?? []).flatMap((file) => (file.state === 'unusable' ? [file] : []));
  if (unread.length + unusable.length === 0) return null;
  return (
    <div className="gh-instructions">
      {unread.map((file) => (
        <Button key={file.path} size="small" icon={<BookOpen aria-hidden />} onClick={() => setReviewed(file)}>
          Review <Visible text={file.path} />
          {file.state === 'changed' ? ' (changed)' : null}
        </Button>
      ))}
      {unusable.map(({ path, problem }) => (
        <p key={path} className="secondary">
          <Visible text={problem} />
        </p>
      ))}
      {reviewed === null ? null : (
        <ReviewDialog
          key={reviewed.digest}
          workspace={workspace}
          file={reviewed}
          onAccepted={set}
          onClose={() => setReviewed(null)}
        />
      )}
    </div>
  );
}

const isUnread = (file: InstructionFile): file is UnreadInstructions =>
  file.state === 'not-seen' || file.state === 'changed';

interface ReviewDialogProps {
  readonly workspace: string;
  readonly file: UnreadInstructions;
  readonly onAccepted: (files: readonly InstructionFile[]) => void;
  readonly onClose: () => void;
}

function ReviewDialog({ workspace, file, onAccepted, onClose }: ReviewDialogProps) {
  const { act, acting, problem } = useAct();
  const safe = useRef<HTMLButtonElement>(null);
  const { path, digest, text } = file;
  const accept = async () => {
    const answer = await act('instructions.accept', { workspace, path, digest });
    if (!answer.ok) return;
    onAccepted(answer.value);
    onClose();
  };
  return (
    <Dialog
      open
      size="large"
      title="Instructions from this folder"
      description={
        <>
          <Mono>
            <Visible text={path} />
          </Mono>{' '}
          {file.state === 'changed' ? 'has changed since you accepted it. ' : 'came with this folder. '}
          Accepted, this very text counts as yours in conversations here. Until then no model gets it.
        </>
      }
      initialFocus={safe}
      onDismiss={onClose}
      foot={
        <>
          <Button ref={safe} onClick={onClose}>
            Not now
          </Button>
          <Button tone="primary" disabled={acting} onClick={() => void accept()}>
            Use these instructions
          </Button>
        </>
      }
    >
      {file.state === 'changed' ? (
        <DiffView
          label={`What changed in ${path}`}
          files={[{ path, change: 'modified', before: file.before, after: text, note: null }]}
        />
      ) : (
        <section className="gh-instructions-text" aria-label={`Text of ${path}`} {...FOCUSABLE}>
          <pre>
            <Visible text={text} />
          </pre>
        </section>
      )}
      <Refusal text={problem} />
    </Dialog>
  );
}

/** Reads again when a call ended, which may have changed a file, when a model is asked, and when the window comes to the front. */
function useFollow(reload: () => void): void {
  const ended = useApp(({ app }) => app.calls.findLast(({ outcome }) => outcome !== null)?.callId ?? '');
  useEffect(() => {
    if (ended === '') return undefined;
    const timer = setTimeout(reload, 200);
    return () => clearTimeout(timer);
  }, [ended, reload]);
  // A message goes out with what was accepted as it stands: what is left out of it is to be seen.
  const asking = useApp(({ app }) => app.working.find(({ doing }) => doing.kind === 'asking')?.id ?? '');
  useEffect(() => {
    if (asking !== '') reload();
  }, [asking, reload]);
  useEffect(() => {
    window.addEventListener('focus', reload);
    return () => window.removeEventListener('focus', reload);
  }, [reload]);
}
