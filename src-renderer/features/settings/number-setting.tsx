import { useState } from 'react';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingView } from '#contract/window/settings.js';
import { Select } from '../../ui/form/select.js';
import { TextField } from '../../ui/form/text-field.js';
import { readNumber, type SizeUnit, SIZES, chooseSize, type Unit } from './quantity.js';

interface NumberSettingProps {
  readonly setting: SettingView;
  readonly label: string;
  readonly unit: Unit | null;
  readonly problem: string | null;
  /** Null: left out. */
  readonly onSave: (value: Json) => void;
}

const SIZE_OPTIONS = (Object.keys(SIZES) as SizeUnit[]).map((size) => ({ value: size, label: size }));

/** A number with its unit. Kept when the person leaves the field, presses Enter, or chooses another unit. */
export function NumberSetting({ setting, label, unit, problem, onSave }: NumberSettingProps) {
  const value = typeof setting.value === 'number' ? setting.value : null;
  const [size, setSize] = useState<SizeUnit>(() => (unit === 'bytes' && value !== null ? chooseSize(value) : 'B'));
  const shownIn = (of: SizeUnit) => (value === null ? '' : String(value / SIZES[of]));
  const kept = shownIn(size);
  const [text, setText] = useState(kept);
  // A setting without a default may be left out.
  const isLeftOut = setting.defaultValue === null && text.trim() === '';
  const read = isLeftOut ? ({ ok: true, value: null } as const) : readNumber(text, setting, SIZES[size]);
  const save = () => {
    if (read.ok && read.value !== value) onSave(read.value);
  };
  return (
    <div className="gh-setting-control">
      <div className="gh-setting-number">
        <TextField
          label={label}
          labelHidden
          inputMode="decimal"
          value={text}
          error={read.ok ? problem : read.problem}
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save();
            if (event.key === 'Escape') setText(kept);
          }}
        />
        {unit === 'bytes' ? (
          <Select
            label={`Unit of ${label}`}
            options={SIZE_OPTIONS}
            value={size}
            onChange={(next) => {
              setSize(next);
              // The kept value stays: the number follows its unit.
              setText(shownIn(next));
            }}
          />
        ) : unit === null ? null : (
          <span className="secondary gh-setting-unit">{unit}</span>
        )}
      </div>
    </div>
  );
}
