import { ask } from '../../bridge/use-request.js';
import { useStatus } from '../../store/app.js';
import { Select } from '../../ui/form/select.js';

const THEMES = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function ThemeSetting() {
  const { theme } = useStatus();
  return (
    <div className="gh-setting">
      <div className="gh-setting-about">
        <span className="gh-setting-name">Theme</span>
        <p>Light, dark, or the same as your system.</p>
      </div>
      <div className="gh-setting-control">
        <Select
          label="Theme"
          options={THEMES}
          value={theme}
          onChange={(next) => void ask('app.setTheme', { theme: next })}
        />
      </div>
    </div>
  );
}
