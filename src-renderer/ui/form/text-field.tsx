import { type ComponentProps, type ReactNode, useId } from 'react';
import { classNames } from '../style/class-names.js';
import './field.css';

interface FieldFrame {
  readonly label: string;
  /** Without a visible label the field keeps it as its accessible name. */
  readonly labelHidden?: boolean;
  readonly hint?: ReactNode;
  readonly error?: string | null;
}

export interface TextFieldProps extends FieldFrame, Omit<ComponentProps<'input'>, 'children'> {
  readonly mono?: boolean;
}

export function TextField({
  label,
  labelHidden = false,
  hint,
  error,
  mono = false,
  className,
  ...rest
}: TextFieldProps) {
  const id = useId();
  return (
    <div className={classNames('gh-field', className)}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'gh-label'}>
        {label}
      </label>
      <input
        type="text"
        autoComplete="off"
        spellCheck={false}
        {...rest}
        id={id}
        className={classNames('gh-input', mono && 'mono')}
        aria-invalid={isWrong(error)}
        aria-describedby={`${id}-about`}
      />
      <FieldAbout id={`${id}-about`} hint={hint} error={error} />
    </div>
  );
}

export interface TextAreaProps extends FieldFrame, Omit<ComponentProps<'textarea'>, 'children'> {
  readonly mono?: boolean;
}

export function TextArea({ label, labelHidden = false, hint, error, mono = false, className, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className={classNames('gh-field', className)}>
      <label htmlFor={id} className={labelHidden ? 'sr-only' : 'gh-label'}>
        {label}
      </label>
      <textarea
        spellCheck={false}
        {...rest}
        id={id}
        className={classNames('gh-input gh-textarea', mono && 'mono')}
        aria-invalid={isWrong(error)}
        aria-describedby={`${id}-about`}
      />
      <FieldAbout id={`${id}-about`} hint={hint} error={error} />
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
