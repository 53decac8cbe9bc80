import { type ComponentProps, type ReactNode, useId } from 'react';
import { joinClassNames } from '../style/join-class-names.js';
import './field.css';

interface Labelled {
  readonly label: string;
  /** Whether the label is hidden: the field keeps it as its accessible name. */
  readonly labelHidden?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
}

export interface TextFieldProps extends Labelled, Omit<ComponentProps<'input'>, 'children'> {
  readonly mono?: boolean;
}

export function TextField({ mono = false, ...props }: TextFieldProps) {
  const { frame, control } = useField(props);
  return (
    <Field {...frame}>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...control}
        className={joinClassNames('gh-input', mono && 'mono')}
      />
    </Field>
  );
}

export interface TextAreaProps extends Labelled, Omit<ComponentProps<'textarea'>, 'children'> {
  readonly mono?: boolean;
}

export function TextArea({ mono = false, ...props }: TextAreaProps) {
  const { frame, control } = useField(props);
  return (
    <Field {...frame}>
      <textarea spellCheck={false} {...control} className={joinClassNames('gh-input gh-textarea', mono && 'mono')} />
    </Field>
  );
}

/** Splits a field's properties into its frame's and its control's, joined by ids. */
function useField<Props extends Labelled & { readonly className?: string | undefined }>(props: Props) {
  const id = useId();
  const { label, labelHidden = false, hint, error, className, ...rest } = props;
  const about = `${id}-about`;
  return {
    frame: { id, about, label, labelHidden, hint, error, className },
    control: { ...rest, id, 'aria-invalid': isWrong(error), 'aria-describedby': about },
  };
}

interface FieldProps extends Labelled {
  readonly id: string;
  readonly about: string;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

function Field({ id, about, label, labelHidden, hint, error, className, children }: FieldProps) {
  return (
    <div className={joinClassNames('gh-field', className)}>
      <label htmlFor={id} className={labelHidden === true ? 'sr-only' : 'gh-label'}>
        {label}
      </label>
      {children}
      <FieldAbout id={about} hint={hint} error={error} />
    </div>
  );
}

const isWrong = (error: string | null | undefined): boolean => error !== null && error !== undefined && error !== '';

/** Always there, so that a message that appears is announced. */
function FieldAbout({ id, hint, error }: { id: string; hint: ReactNode; error: string | null | undefined }) {
  return (
    <div id={id} className="gh-field-about" aria-live="polite">
      {isWrong(error) ? <span className="gh-field-error">{error}</span> : hint}
    </div>
  );
}
