import { useState } from 'react';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingView } from '#contract/window/settings.js';
import { Button } from '../../ui/form/button.js';
import { Select } from '../../ui/form/select.js';
import { Switch } from '../../ui/form/switch.js';
import { TextArea, TextField } from '../../ui/form/text-field.js';
import { fromText, toText } from './setting-values.js';

interface SettingControlProps {
  readonly setting: SettingView;
  /** What main said of the last value. */
  readonly problem: string | null;
  readonly onSave: (value: Json) => void;
}

export function SettingControl({ setting, problem, onSave }: SettingControlProps) {
  switch (setting.type) {
    case 'boolean':
      return (
        <div className="gh-setting-control">
          <Switch ariaLabel={setting.key} checked={setting.value === true} onChange={onSave} />
          <Refusal problem={problem} />
        </div>
      );
    case 'choice':
      return (
        <div className="gh-setting-control">
          <Select
            label={setting.key}
            options={(setting.choices ?? []).map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
            value={toText(setting)}
            onChange={onSave}
          />
          <Refusal problem={problem} />
        </div>
      );
    case 'string':
    case 'number':
    case 'list':
    case 'table-list':
      return <TextSetting setting={setting} problem={problem} onSave={onSave} />;
  }
}

const Refusal = ({ problem }: { readonly problem: string | null }) =>
  problem === null ? null : (
    <p className="gh-field-error" role="alert">
      {problem}
    </p>
  );

/** Kept when the person leaves a one-line field or presses Enter; longer ones have a button. */
function TextSetting({ setting, problem, onSave }: SettingControlProps) {
  const kept = toText(setting);
  const [text, setText] = useState(kept);
  const parsed = fromText(setting, text);
  const error = parsed.ok ? problem : parsed.problem;
  const save = () => {
    if (text !== kept && parsed.ok) onSave(parsed.value);
  };
  if (setting.type === 'string' || setting.type === 'number') {
    return (
      <div className="gh-setting-control">
        <TextField
          label={setting.key}
          labelHidden
          mono
          inputMode={setting.type === 'number' ? 'decimal' : 'text'}
          value={text}
          error={error}
          onChange={(event) => setText(event.target.value)}
          onBlur={save}
          onKeyDown={(event) => {
            if (event.key === 'Enter') save();
            if (event.key === 'Escape') setText(kept);
          }}
        />
      </div>
    );
  }
  return (
    <div className="gh-setting-control gh-setting-control-wide">
      <TextArea
        label={setting.key}
        labelHidden
        mono
        rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
        value={text}
        error={error}
        hint={setting.type === 'list' ? 'One a line' : 'A JSON list'}
        onChange={(event) => setText(event.target.value)}
      />
      {text === kept ? null : (
        <div className="gh-setting-buttons">
          <Button size="small" onClick={() => setText(kept)}>
            Discard
          </Button>
          <Button size="small" tone="primary" disabled={!parsed.ok} onClick={save}>
            Save
          </Button>
        </div>
      )}
    </div>
  );
}
