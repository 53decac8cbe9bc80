import { useState } from 'react';
import type { BridgeResult } from '#contract/window/result.js';
import type { SettingsView } from '#contract/window/settings.js';
import { useAct } from '../../bridge/use-act.js';
import { Button } from '../../ui/form/button.js';
import { Mono } from '../../ui/text/code-block.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { TextField } from '../../ui/form/text-field.js';

interface KeysSectionProps {
  readonly secrets: SettingsView['secrets'];
  readonly onChanged: (view: SettingsView) => void;
}

/** Keys for model providers. They can be put in and taken out, never read. */
export function KeysSection({ secrets, onChanged }: KeysSectionProps) {
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const { act, problem } = useAct();

  const take = (answer: BridgeResult<SettingsView>) => {
    if (!answer.ok) return;
    setName('');
    setValue('');
    onChanged(answer.value);
  };
  return (
    <section className="gh-settings-keys" id="settings-secrets" aria-labelledby="settings-secrets-title">
      <h3 id="settings-secrets-title">API keys</h3>
      <p className="secondary">Kept in your system’s key store and redacted wherever they appear. Never shown again.</p>
      {secrets.warning === null ? null : (
        <NoticeBox severity="warning" title={secrets.available ? 'Weak protection' : 'Keys can’t be kept here'}>
          {secrets.warning}
        </NoticeBox>
      )}
      {secrets.names.length === 0 ? null : (
        <ul className="gh-secrets" aria-label="API keys">
          {secrets.names.map((each) => (
            <li key={each}>
              <Mono>{each}</Mono>
              <Button size="small" onClick={() => void act('secrets.remove', { name: each }).then(take)}>
                Remove<span className="sr-only"> {each}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {secrets.available ? (
        <form
          className="gh-secret-form"
          onSubmit={(event) => {
            event.preventDefault();
            void act('secrets.set', { name: name.trim(), value }).then(take);
          }}
        >
          <TextField
            label="Name"
            value={name}
            placeholder="anthropic"
            maxLength={200}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label="Key"
            type="password"
            value={value}
            maxLength={10_000}
            error={problem}
            onChange={(event) => setValue(event.target.value)}
          />
          <Button type="submit" disabled={name.trim() === '' || value === ''}>
            Save key
          </Button>
        </form>
      ) : null}
    </section>
  );
}
