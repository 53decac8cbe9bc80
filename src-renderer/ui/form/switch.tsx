import { Switch as Base } from '@base-ui/react/switch';
import type { ReactNode } from 'react';
import './checkbox.css';

export interface SwitchProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
  readonly children?: ReactNode;
  readonly ariaLabel?: string;
  /** The id of what says more about it. */
  readonly describedBy?: string;
}

export function Switch({ checked, onChange, disabled = false, children, ariaLabel, describedBy }: SwitchProps) {
  const control = (
    <Base.Root
      className="gh-switch"
      checked={checked}
      onCheckedChange={onChange}
      disabled={disabled}
      {...(ariaLabel === undefined ? {} : { 'aria-label': ariaLabel })}
      {...(describedBy === undefined ? {} : { 'aria-describedby': describedBy })}
    >
      <Base.Thumb className="gh-switch-thumb" />
    </Base.Root>
  );
  if (children === undefined) return control;
  return (
    <label className="gh-switch-label">
      {control}
      <span>{children}</span>
    </label>
  );
}
