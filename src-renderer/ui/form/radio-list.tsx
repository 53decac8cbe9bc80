import { RadioGroup } from '@base-ui/react/radio-group';
import { type ReactNode, useId } from 'react';
import { Radio } from './radio.js';
import './radio-list.css';

export interface RadioOption<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** Why it can’t be chosen; it can where this is left out. */
  readonly impossible?: string;
}

export interface RadioListProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly RadioOption<Value>[];
  readonly onChange: (value: Value) => void;
}

/** A choice among a few, each with its words beside it. */
export function RadioList<Value extends string>({ label, value, options, onChange }: RadioListProps<Value>) {
  const id = useId();
  return (
    <div className="gh-radio-list">
      <span id={id} className="gh-label">
        {label}
      </span>
      <RadioGroup
        value={value}
        onValueChange={(next) => {
          const chosen = options.find((option) => option.value === next);
          if (chosen !== undefined) onChange(chosen.value);
        }}
        aria-labelledby={id}
        className="gh-radio-options"
      >
        {options.map((option) => (
          // oxlint-disable-next-line jsx-a11y/label-has-associated-control -- the control is in it
          <label key={option.value} className="gh-radio-option" title={option.impossible}>
            <Radio value={option.value} disabled={option.impossible !== undefined} />
            <span>{option.label}</span>
          </label>
        ))}
      </RadioGroup>
    </div>
  );
}
