import { RotateCcw } from 'lucide-react';
import type { Json } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/vocabulary/result.js';
import type { SettingsView, SettingView } from '#contract/window/settings.js';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { SettingControl } from './setting-control.js';
import { settingName } from './setting-values.js';

interface SettingRowProps {
  readonly setting: SettingView;
  readonly onChanged: (view: SettingsView) => void;
}

const SOURCES = {
  default: 'Default',
  person: 'Set by you',
  workspace: 'Tightened by this workspace',
} as const;

export function SettingRow({ setting, onChanged }: SettingRowProps) {
  const { act, problem } = useAct();

  const take = (answer: BridgeResult<SettingsView>) => {
    if (answer.ok) onChanged(answer.value);
  };
  const save = (value: Json) => {
    void act('settings.set', { key: setting.key, value: JSON.stringify(value) }).then(take);
  };
  return (
    <div className="gh-setting" data-key={setting.key}>
      <div className="gh-setting-about">
        <span className="gh-setting-name">{settingName(setting.key)}</span>
        <p>{setting.description}</p>
        <p className="gh-setting-source secondary">
          <code>{setting.key}</code>
          <span className={`gh-source gh-source-${setting.source}`}>{SOURCES[setting.source]}</span>
          {setting.source === 'person' ? (
            <Button
              size="small"
              tone="quiet"
              icon={<RotateCcw aria-hidden />}
              onClick={() => void act('settings.reset', { key: setting.key }).then(take)}
            >
              Reset to {short(setting.defaultValue)}
              <span className="sr-only"> ({setting.key})</span>
            </Button>
          ) : null}
        </p>
      </div>
      <SettingControl key={JSON.stringify(setting.value)} setting={setting} problem={problem} onSave={save} />
    </div>
  );
}

function short(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `${value.length} by default`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text === '') return 'empty';
  return text.length > 24 ? `${text.slice(0, 24)}…` : text;
}
