import type { FileEffect } from '#contract/vocabulary/effects.js';
import { useAct } from '../../../bridge/use-act.js';
import { Button } from '../../../ui/form/button.js';
import { TextArea } from '../../../ui/form/text-field.js';

export interface EditFileProps {
  readonly file: FileEffect & { readonly after: string };
  readonly content: string;
  readonly onContent: (content: string) => void;
  readonly batchId: string;
  readonly callId: string;
  readonly digest: string;
  readonly onWillSave: (callId: string) => void;
  readonly onClose: () => void;
}

/** The file as the call would leave it, to be made otherwise: main finds the arguments for that. */
export function EditFile({ file, content, onContent, batchId, callId, digest, onWillSave, onClose }: EditFileProps) {
  const { act, acting, problem } = useAct();
  const save = async () => {
    onWillSave(callId);
    const answer = await act('approvals.editFile', { batchId, callId, digest, path: file.path, content });
    if (answer.ok) onClose();
  };
  return (
    <div className="gh-edit-file">
      <TextArea
        label={`${file.path} after this call`}
        data-edit-text=""
        mono
        rows={10}
        value={content}
        onChange={(event) => onContent(event.target.value)}
        error={problem}
      />
      <div className="gh-edit-foot">
        <Button tone="primary" disabled={acting || content === file.after} onClick={() => void save()}>
          Use this version
        </Button>
      </div>
    </div>
  );
}
