import { useEffect, useRef } from 'react';
import type { ApprovalCall } from '#contract/window/approvals.js';
import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import { useAct } from '../../../bridge/use-act.js';
import { usePausedRequest } from '../../../bridge/use-paused-request.js';
import type { RequestAnswer } from '../../../bridge/use-request.js';
import { Button } from '../../../ui/form/button.js';
import { TextArea } from '../../../ui/form/text-field.js';
import { Visible } from '../../../ui/text/visible.js';
import { parseArguments } from '../../../calls/arguments/arguments-text.js';
import type { EditDraft } from './edit-draft.js';
import { EditFile } from './edit-file.js';
import { loadLazily } from '../../../ui/notice/load-lazily.js';
import { Refusal } from '../../../ui/notice/refusal.js';

const SchemaForm = loadLazily(
  'Opening the form',
  async () => (await import('../../../calls/arguments/schema-form.js')).SchemaForm,
);

export interface EditArgumentsProps {
  readonly call: ApprovalCall;
  readonly draft: EditDraft;
  readonly onDraft: (draft: EditDraft) => void;
  readonly batchId: string;
  readonly digest: string;
  readonly onWillSave: (callId: string) => void;
  readonly onClose: () => void;
}

/** The arguments as a form and as text, one value in two views; main checks each change as it would check the call. */
export function EditArguments({ call, draft, onDraft, batchId, digest, onWillSave, onClose }: EditArgumentsProps) {
  const { text } = draft;
  const setText = (next: string) => onDraft({ ...draft, text: next });
  const form = useRef<HTMLDivElement>(null);
  // The focus goes into the file’s text where there is one, which is before the arguments.
  useEffect(() => form.current?.querySelector<HTMLElement>('[data-edit-text]')?.focus(), []);
  const { act, acting, problem } = useAct();
  const parsed = parseArguments(text);
  const check = usePausedRequest('approvals.checkEdit', parsed.ok ? { callId: call.callId, arguments: text } : null);

  const save = async () => {
    if (!parsed.ok) return;
    onWillSave(call.callId);
    const answer = await act('approvals.edit', { batchId, callId: call.callId, digest, arguments: text });
    if (answer.ok) onClose();
  };

  return (
    <div ref={form} className="gh-edit">
      {listEditableFiles(call).map((file) => (
        <EditFile
          key={file.path}
          file={file}
          content={draft.contents.get(file.path) ?? file.after}
          onContent={(content) => onDraft({ ...draft, contents: new Map(draft.contents).set(file.path, content) })}
          batchId={batchId}
          callId={call.callId}
          digest={digest}
          onWillSave={onWillSave}
          onClose={onClose}
        />
      ))}
      <div className="gh-edit-views">
        <SchemaForm
          schema={call.inputSchema}
          value={parsed.ok ? parsed.value : null}
          label="Arguments as a form"
          onChange={(value: JsonObject) => setText(JSON.stringify(value, null, 2))}
        />
        <TextArea
          label="Arguments"
          data-edit-text=""
          mono
          rows={10}
          value={text}
          onChange={(event) => setText(event.target.value)}
          error={parsed.ok ? null : parsed.message}
        />
      </div>
      <CheckLine check={check} />
      <Refusal text={problem} />
      <div className="gh-edit-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={!parsed.ok || acting} onClick={() => void save()}>
          Save arguments
        </Button>
      </div>
    </div>
  );
}

/** More files than anybody edits one by one are edited as arguments. */
const MAX_EDITED_FILES = 8;

function listEditableFiles({ effect }: ApprovalCall): readonly (FileEffect & { readonly after: string })[] {
  if (effect.kind !== 'files' || effect.files.length > MAX_EDITED_FILES) return [];
  return effect.files.flatMap((file) => (file.after === null ? [] : [{ ...file, after: file.after }]));
}

function CheckLine({ check: { value: plan, error, loading } }: { readonly check: RequestAnswer<PlanPreview> }) {
  return (
    <output className="gh-check">
      {!loading && error !== null ? (
        <span className="gh-field-error">
          <Visible text={error.message} />
        </span>
      ) : loading || plan === null ? (
        <span className="secondary">Checking…</span>
      ) : plan.disposition === 'settled' ? (
        <span className="gh-field-error">
          <Visible text={plan.why} />
        </span>
      ) : (
        <span className="secondary">
          <Visible text={plan.summary ?? plan.why} />
        </span>
      )}
    </output>
  );
}
