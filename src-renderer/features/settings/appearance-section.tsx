import { ask } from '../../bridge/use-request.js';
import { useStatus } from '../../store/app.js';
import { Select } from '../../ui/form/select.js';

const THEMES = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function AppearanceSection() {
  const { theme } = useStatus();
  return (
    <section className="gh-settings-group" aria-labelledby="settings-appearance-title">
      <h2 id="settings-appearance-title">Appearance</h2>
      <div className="gh-setting">
        <div className="gh-setting-about">
          <span className="gh-setting-name">Theme</span>
          <p>Light, dark, or whichever the system shows.</p>
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
    </section>
  );
}
