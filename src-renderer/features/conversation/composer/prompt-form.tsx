import { type FormEvent, useId, useState } from 'react';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { FoundPrompt } from '#contract/window/conversation/offered-texts.js';
import { Button } from '../../../ui/form/button.js';
import { TextField } from '../../../ui/form/text-field.js';
import { Dialog } from '../../../ui/overlay/dialog.js';
import { Visible } from '../../../ui/text/visible.js';
import { Refusal } from '../../../ui/notice/refusal.js';

export interface PromptFormProps {
  readonly prompt: FoundPrompt;
  readonly busy: boolean;
  readonly problem: string | null;
  readonly onUse: (args: Readonly<Record<string, string>>) => void;
  readonly onCancel: () => void;
}

/** The arguments that a prompt asks for before its source writes it. */
export function PromptForm({ prompt, busy, problem, onUse, onCancel }: PromptFormProps) {
  const { source, name, description, args } = prompt;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [told, setTold] = useState(false);
  const formId = useId();
  const valueOf = (argument: string): string => values[argument] ?? '';
  const missing = args.filter((each) => each.required && valueOf(each.name).trim() === '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTold(true);
    if (missing.length === 0 && !busy) onUse(values);
  };
  return (
    <Dialog
      open
      size="medium"
      title={`Prompt “${toVisibleLine(name, 60)}”`}
      description={
        <>
          {source} writes it with what you say here. You see the text in Message before you send it.
          {description === '' ? null : (
            <p>
              <Visible text={description} />
            </p>
          )}
        </>
      }
      onDismiss={onCancel}
      foot={
        <>
          <Button onClick={onCancel}>Cancel</Button>
          <Button tone="primary" type="submit" form={formId} disabled={busy}>
            Put into Message
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="gh-prompt-form">
        {args.map((each) => (
          <TextField
            key={each.name}
            label={`${toVisibleLine(each.name, 80)}${each.required ? '' : ' (optional)'}`}
            hint={each.description === '' ? undefined : <Visible text={each.description} />}
            required={each.required}
            maxLength={100_000}
            value={valueOf(each.name)}
            error={told && missing.includes(each) ? 'This prompt needs it.' : null}
            onChange={({ target }) => setValues((all) => ({ ...all, [each.name]: target.value }))}
          />
        ))}
      </form>
      <output className="secondary">{busy ? `Waiting for ${source}…` : ''}</output>
      <Refusal text={problem} />
    </Dialog>
  );
}
