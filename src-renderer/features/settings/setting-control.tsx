import { useState } from 'react';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingView } from '#contract/window/settings.js';
import { Button } from '../../ui/form/button.js';
import { Select } from '../../ui/form/select.js';
import { Switch } from '../../ui/form/switch.js';
import { TextArea, TextField } from '../../ui/form/text-field.js';
import { DefinitionsSetting } from './definitions-setting.js';
import { NumberSetting } from './number-setting.js';
import type { SettingLabel } from './setting-labels.js';
import { parseList, formatList, readSettingText } from './setting-values.js';
import { Refusal } from '../../ui/notice/refusal.js';

interface SettingControlProps {
  readonly setting: SettingView;
  readonly words: SettingLabel;
  /** Main's word on the last value. */
  readonly problem: string | null;
  readonly onSave: (value: Json) => void;
}

export function SettingControl({ setting, words: { label, unit, choices }, problem, onSave }: SettingControlProps) {
  switch (setting.type) {
    case 'boolean':
      return (
        <div className="gh-setting-control">
          <Switch ariaLabel={label} checked={setting.value === true} onChange={onSave} />
          <Refusal text={problem} />
        </div>
      );
    case 'choice':
      return (
        <div className="gh-setting-control">
          <Select
            label={label}
            options={(setting.choices ?? []).map((value) => ({ value, label: choices?.[value] ?? value }))}
            value={readSettingText(setting)}
            onChange={onSave}
          />
          <Refusal text={problem} />
        </div>
      );
    case 'number':
      return <NumberSetting setting={setting} label={label} unit={unit ?? null} problem={problem} onSave={onSave} />;
    case 'string':
      return <LineSetting setting={setting} label={label} problem={problem} onSave={onSave} />;
    case 'list':
      return <ListSetting setting={setting} label={label} problem={problem} onSave={onSave} />;
    case 'table-list':
      return <DefinitionsSetting setting={setting} problem={problem} onSave={onSave} />;
  }
}

type TextSettingProps = Omit<SettingControlProps, 'words'> & { readonly label: string };

/** Kept when the person leaves the field or presses Enter. */
function LineSetting({ setting, label, problem, onSave }: TextSettingProps) {
  const kept = readSettingText(setting);
  const [text, setText] = useState(kept);
  const save = () => {
    if (text !== kept) onSave(text);
  };
  return (
    <div className="gh-setting-control">
      <TextField
        label={label}
        labelHidden
        mono
        value={text}
        error={problem}
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

function ListSetting({ setting, label, problem, onSave }: TextSettingProps) {
  const kept = formatList(setting);
  const [text, setText] = useState(kept);
  return (
    <div className="gh-setting-control gh-setting-control-wide">
      <TextArea
        label={label}
        labelHidden
        mono
        rows={Math.min(8, Math.max(2, text.split('\n').length + 1))}
        value={text}
        error={problem}
        hint="One per line"
        onChange={(event) => setText(event.target.value)}
      />
      {text === kept ? null : (
        <div className="gh-setting-buttons">
          <Button size="small" onClick={() => setText(kept)}>
            Discard
          </Button>
          <Button size="small" tone="primary" onClick={() => onSave([...parseList(text)])}>
            Save
          </Button>
        </div>
      )}
    </div>
  );
}
