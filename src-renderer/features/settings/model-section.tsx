import { useState } from 'react';
import type { LocalServer, ModelInfo, ModelTestResult } from '#contract/window/conversation/models.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingKey } from '#contract/vocabulary/config.js';
import type { SettingsView } from '#contract/window/settings.js';
import { useAct } from '../../bridge/use-act.js';
import { useRequest } from '../../bridge/use-request.js';
import { Button } from '../../ui/form/button.js';
import { TextField } from '../../ui/form/text-field.js';
import { NoticeBox } from '../../ui/notice/notice-box.js';
import { Mono } from '../../ui/text/code-block.js';
import { counted } from '../../ui/text/format.js';
import { Refusal } from '../../ui/notice/refusal.js';

interface ModelSectionProps {
  readonly view: SettingsView;
  readonly onChanged: (view: SettingsView) => void;
}

/** Actions on the model of the settings: its key, its list, a try; and the servers on this computer. */
export function ModelSection({ view, onChanged }: ModelSectionProps) {
  const of = (key: SettingKey) => view.settings.find((setting) => setting.key === key)?.value ?? null;
  const state = JSON.stringify([
    of('model.provider'),
    of('model.base_url'),
    of('model.model'),
    of('model.api_key_env'),
  ]);
  return (
    <div className="gh-settings-model">
      <ModelFacts key={`${state}${view.secrets.names.join()}`} view={view} onChanged={onChanged} />
      <LocalServers onChanged={onChanged} />
    </div>
  );
}

function ModelFacts({ view, onChanged }: ModelSectionProps) {
  const { value: about } = useRequest('models.about', {});
  if (about === null) return null;
  if (about.problem !== null) return <p className="secondary">{about.problem}</p>;
  return (
    <>
      <p className="secondary">
        Requests go to <Mono>{about.address ?? ''}</Mono>. {KEY_WORDS[about.key]}
      </p>
      {about.key === 'variable' ? null : <KeyForm about={about} view={view} onChanged={onChanged} />}
      <ModelTests onChanged={onChanged} />
    </>
  );
}

const KEY_WORDS: Readonly<Record<ModelInfo['key'], string>> = {
  variable: 'The key comes from the variable, and goes along when you change the address.',
  kept: 'A key for this address is kept.',
  none: 'There is no key for this address yet.',
  'not-needed': 'A key is only needed where the server asks for one.',
};

function KeyForm({ about, view, onChanged }: ModelSectionProps & { readonly about: ModelInfo }) {
  const [value, setValue] = useState('');
  const { act, problem } = useAct();
  const name = about.keyName;
  if (name === null) return null;
  const take = (answer: Awaited<ReturnType<typeof act<'secrets.set'>>>) => {
    if (!answer.ok) return;
    setValue('');
    onChanged(answer.value);
  };
  return (
    <form
      className="gh-secret-form"
      onSubmit={(event) => {
        event.preventDefault();
        void act('secrets.set', { name, value: value.trim() }).then(take);
      }}
    >
      <TextField
        label="API key for this address"
        type="password"
        value={value}
        maxLength={10_000}
        error={problem}
        onChange={(event) => setValue(event.target.value)}
      />
      <Button type="submit" disabled={value.trim() === ''}>
        Keep this key
      </Button>
      {about.key === 'kept' ? (
        <Button onClick={() => void act('secrets.remove', { name }).then(take)}>Remove key</Button>
      ) : null}
      {view.secrets.available ? null : (
        <p className="secondary">Without a key store it is kept until Gatehouse quits.</p>
      )}
    </form>
  );
}

function ModelTests({ onChanged }: Pick<ModelSectionProps, 'onChanged'>) {
  const [tried, setTried] = useState<ModelTestResult | null>(null);
  const [names, setNames] = useState<readonly string[] | null>(null);
  const { act, acting, problem, setProblem } = useAct();
  const use = useSettings(onChanged);
  const list = () =>
    void act('models.list', {}).then((answer) => {
      if (!answer.ok) return;
      setNames(answer.value.names);
      setProblem(answer.value.problem);
    });
  return (
    <>
      <div className="gh-model-acts">
        <Button
          disabled={acting}
          onClick={() => void act('models.try', {}).then((answer) => setTried(answer.ok ? answer.value : null))}
        >
          Try it
        </Button>
        <Button disabled={acting} onClick={list}>
          List models
        </Button>
        {acting ? <output>Asking…</output> : null}
      </div>
      {tried === null ? null : (
        <NoticeBox severity={tried.answered ? 'info' : 'error'} title={tried.answered ? 'It works' : 'It doesn’t work'}>
          {tried.words}
        </NoticeBox>
      )}
      <Refusal text={problem} />
      {names === null || names.length === 0 ? null : (
        <ul className="gh-models" aria-label="Models">
          {names.map((name) => (
            <li key={name}>
              <Mono>{name}</Mono>
              <Button size="small" onClick={() => use.set([['model.model', name]])}>
                Use<span className="sr-only"> {name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {names?.length === 0 && problem === null ? <p className="secondary">It has no models.</p> : null}
    </>
  );
}

/** Servers on this computer: they are offered; none is used before the person says so. */
function LocalServers({ onChanged }: Pick<ModelSectionProps, 'onChanged'>) {
  const { value: servers, reload, loading } = useRequest('models.local', {});
  const use = useSettings(onChanged);
  const choose = ({ provider, baseUrl, models }: LocalServer) =>
    use.set([
      // A key that a variable holds is for the address beside it: it does not come along to another.
      ['model.api_key_env', ''],
      ['model.provider', provider],
      ['model.base_url', baseUrl],
      ['model.model', models[0] ?? ''],
    ]);
  return (
    <>
      {servers === null || servers.length === 0 ? null : (
        <ul className="gh-models" aria-label="Local servers">
          {servers.map((server) => (
            <li key={server.baseUrl}>
              <span>
                {server.name} <Mono>{server.baseUrl}</Mono>{' '}
                <span className="secondary">{counted(server.models.length, 'model')}</span>
              </span>
              <Button size="small" onClick={() => choose(server)}>
                Use<span className="sr-only"> {server.name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="gh-model-acts">
        <Button size="small" disabled={loading} onClick={reload}>
          Look for local servers
        </Button>
        {servers?.length === 0 ? <span className="secondary">None answers on this computer’s usual ports.</span> : null}
      </div>
      <Refusal text={use.problem} />
    </>
  );
}

function useSettings(onChanged: ModelSectionProps['onChanged']) {
  const { act, problem } = useAct();
  const set = async (values: ReadonlyArray<readonly [SettingKey, Json]>): Promise<void> => {
    for (const [key, value] of values) {
      const answer = await act('settings.set', { key, value: JSON.stringify(value) });
      if (!answer.ok) return;
      onChanged(answer.value);
    }
  };
  return { problem, set: (values: Parameters<typeof set>[0]) => void set(values) };
}
