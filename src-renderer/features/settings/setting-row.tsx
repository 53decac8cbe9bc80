import { RotateCcw } from 'lucide-react';
import type { Json } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/window/result.js';
import type { SettingsView, SettingView } from '#contract/window/settings.js';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { WINDOW_PAGE_TITLES } from '#contract/window/app-events.js';
import { goTo } from '../../store/app.js';
import { SettingControl } from './setting-control.js';
import type { SettingLabel } from './setting-labels.js';

interface SettingRowProps {
  readonly setting: SettingView;
  readonly words: SettingLabel;
  readonly onChanged: (view: SettingsView) => void;
}

const SOURCES = {
  default: 'Default',
  person: 'Set by you',
  workspace: 'Tightened by this folder',
} as const;

export function SettingRow({ setting, words, onChanged }: SettingRowProps) {
  const { act, problem } = useAct();
  const { label, place } = words;

  const take = (answer: BridgeResult<SettingsView>) => {
    if (answer.ok) onChanged(answer.value);
  };
  const reset = () => void act('settings.reset', { key: setting.key }).then(take);
  const save = (value: Json) => {
    if (value === null) reset();
    else void act('settings.set', { key: setting.key, value: JSON.stringify(value) }).then(take);
  };
  return (
    <div className="gh-setting" data-key={setting.key}>
      <div className="gh-setting-about">
        <span className="gh-setting-name">{label}</span>
        <p>{setting.description}</p>
        <p className="gh-setting-source secondary">
          <code>{setting.key}</code>
          <span className={`gh-setting-from-${setting.source}`}>{SOURCES[setting.source]}</span>
          {setting.source === 'person' && place === undefined ? (
            <Button
              size="small"
              tone="quiet"
              aria-label={`Reset to default: ${label}`}
              icon={<RotateCcw aria-hidden />}
              onClick={reset}
            >
              Reset to default
            </Button>
          ) : null}
        </p>
      </div>
      {place === undefined ? (
        <SettingControl
          key={JSON.stringify(setting.value)}
          setting={setting}
          words={words}
          problem={problem}
          onSave={save}
        />
      ) : (
        <div className="gh-setting-control">
          <Button onClick={() => goTo(place)}>Open {WINDOW_PAGE_TITLES[place]}</Button>
        </div>
      )}
    </div>
  );
}
