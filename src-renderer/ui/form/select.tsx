import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import { joinClassNames } from '../style/join-class-names.js';
import './field.css';
import '../overlay/popup.css';

interface SelectOption<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

export interface SelectProps<Value extends string> {
  readonly label: string;
  /** Shows the label beside the control; otherwise it is its accessible name only. */
  readonly labelShown?: boolean;
  readonly options: readonly SelectOption<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly disabled?: boolean;
  readonly className?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, labelShown = false, options, value, onChange, disabled = false, className } = props;
  return (
    <Base.Root
      items={options}
      value={value}
      disabled={disabled}
      onValueChange={(next: Value | null) => {
        if (next !== null) onChange(next);
      }}
    >
      <span className={joinClassNames('gh-select-field', className)}>
        <Base.Label className={labelShown ? 'gh-label' : 'sr-only'}>{label}</Base.Label>
        <Base.Trigger className="gh-input gh-select">
          <Base.Value className="gh-select-value" />
          <Base.Icon className="gh-select-icon">
            <ChevronsUpDown aria-hidden />
          </Base.Icon>
        </Base.Trigger>
      </span>
      <Base.Portal>
        <Base.Positioner className="gh-positioner" alignItemWithTrigger={false} sideOffset={4}>
          <Base.Popup className="gh-popup">
            <Base.List className="gh-select-list">
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className="gh-option">
                  <span className="gh-option-mark">
                    <Base.ItemIndicator>
                      <Check aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <Base.ItemText className="gh-option-text">{option.label}</Base.ItemText>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
