import { Checkbox as Base } from '@base-ui/react/checkbox';
import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import './checkbox.css';

export interface CheckboxProps {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly indeterminate?: boolean;
  readonly disabled?: boolean;
  /** The visible label; give `ariaLabel` instead where the label is elsewhere. */
  readonly children?: ReactNode;
  readonly ariaLabel?: string;
  readonly tabIndex?: number;
}

export function Checkbox(props: CheckboxProps) {
  const { checked, onChange, indeterminate = false, disabled = false, children, ariaLabel, tabIndex } = props;
  const box = (
    <Base.Root
      className="gh-checkbox"
      checked={checked}
      onCheckedChange={onChange}
      indeterminate={indeterminate}
      disabled={disabled}
      {...(ariaLabel === undefined ? {} : { 'aria-label': ariaLabel })}
      {...(tabIndex === undefined ? {} : { tabIndex })}
    >
      <Base.Indicator className="gh-checkbox-mark">
        {indeterminate ? <Minus aria-hidden /> : <Check aria-hidden />}
      </Base.Indicator>
    </Base.Root>
  );
  if (children === undefined) return box;
  return (
    <label className="gh-checkbox-label">
      {box}
      <span>{children}</span>
    </label>
  );
}
