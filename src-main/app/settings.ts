import { shell as system } from 'electron';
import type { BridgeResult } from '#contract/window/result.js';
import type { Notice } from '#contract/window/notices.js';
import type { SettingsView } from '#contract/window/settings.js';
import { KeyDestinations } from '../keys/key-destinations.js';
import { type KeyRequest, PersonsKeys } from '../keys/persons-keys.js';
import { digestJson } from '../platform/digest.js';
import { findSecretValues } from '../process/environment/environment.js';
import type { SaveResult } from '../settings/config-store.js';
import { listNamedVariables } from '../settings/sources/named-variables.js';
import { buildSettingsView } from '../settings/settings-view.js';
import { answerProblem, done, parseJsonText, refuse } from '../window/border/answers.js';
import type { Handlers } from '../window/border/border.js';
import type { Front } from './front.js';
import type { Shell } from './shell.js';

/** The person's settings and keys. What changes of them for a wing, the wing follows itself (`settings.watch`). */
export interface SettingsWing {
  readonly channels: Pick<Handlers, SettingsChannels>;
  /** Keys that are kept are others now. */
  readonly knowSecrets: () => void;
  /** Listeners hear that the person changed a secret, which some of them were given. */
  readonly onSecrets: (listener: () => void) => void;
  /** The keys that settings name by reference, each with whom it was entered for. */
  readonly keys: PersonsKeys;
  /** The person gave a key to one more who asked for it. */
  readonly onKeyGiven: (listener: (asker: string) => void) => void;
}

export function openSettings(shell: Shell, front: Front): SettingsWing {
  const { config, keyStore, paths, redactor, secrets } = shell;
  const knowSecrets = (): void => {
    const { model, sources, tools } = config.everywhere;
    // Named as the key's own place: it is one, whatever it looks like.
    const keys = [model.api_key_env, ...listNamedVariables(sources)].map((name) => process.env[name] ?? '');
    redactor.know([...secrets.values(), ...findSecretValues(process.env, tools.environment.denylist), ...keys]);
  };
  knowSecrets();
  config.watch(
    ({ everywhere: { model, sources, tools } }) => [
      tools.environment.denylist,
      model.api_key_env,
      listNamedVariables(sources),
    ],
    knowSecrets,
  );
  if (secrets.shut) front.problem('Keys that were kept can’t be opened', wordsForShut(keyStore.warning));

  const showNotices = (): void => front.notices.showOnly('config-', config.notices);
  showNotices();
  config.onChange(() => {
    showNotices();
    front.status.update({ hasSettings: config.hasPersonsFile });
    front.publish({ type: 'settings-changed' });
  });

  const view = (problem: string | null): BridgeResult<SettingsView> =>
    problem === null ? done(buildSettingsView(config, secrets.view)) : refuse('refused', problem);
  const listeners: (() => void)[] = [];
  const { keys, onKeyGiven } = openKeys(shell, front);
  const kept = (act: () => void): BridgeResult<SettingsView> => {
    const refused = attempted(act);
    knowSecrets();
    for (const tell of listeners) tell();
    return view(refused);
  };
  const channels: SettingsWing['channels'] = {
    'settings.get': async () => view(null),
    'settings.set': async ({ key, value }) => {
      const parsed = parseJsonText(value);
      return parsed.ok ? view(whyNot(await config.set(key, parsed.value))) : parsed.error;
    },
    'settings.reset': async ({ key }) => view(whyNot(await config.reset(key))),
    'settings.chooseAsking': async ({ asking }) => view(whyNot(await config.chooseAsking(asking))),
    'settings.changeAsking': async ({ asking }) => view(whyNot(await config.changeAsking(asking))),
    'settings.openFile': async ({ which }) => {
      const file = { person: config.files.person, workspace: config.files.workspace, logs: paths.logs }[which];
      if (file === null) return answerProblem('No folder is open.');
      const refused = await system.openPath(file);
      return answerProblem(refused === '' ? null : `${file} could not be opened: ${refused}`);
    },
    'secrets.set': async ({ name, value }) => kept(() => secrets.set(name, value)),
    'secrets.remove': async ({ name }) =>
      kept(() => {
        secrets.remove(name);
        keys.removed(name);
      }),
  };
  return { channels, knowSecrets, onSecrets: (listener) => void listeners.push(listener), keys, onKeyGiven };
}

/**
 * Opens the keys. Each goes where it was entered for; where another names it, the person is asked, with both names on
 * the screen.
 */
function openKeys(
  { config, paths, secrets }: Pick<Shell, 'config' | 'paths' | 'secrets'>,
  { notices }: Front,
): Pick<SettingsWing, 'keys' | 'onKeyGiven'> {
  const listeners: ((asker: string) => void)[] = [];
  const keys = new PersonsKeys({
    secrets,
    places: new KeyDestinations(paths.keyPlaces),
    variables: process.env,
    onAsked: (asked) =>
      notices.show(keyAskedNotice(asked), () => {
        keys.allow(asked);
        for (const tell of listeners) tell(asked.place.asker);
      }),
  });
  const read = (): void => {
    notices.showOnly(KEY_ASKED, []);
    keys.read(config.own.sources);
  };
  read();
  config.watch(({ own }) => own.sources, read);
  return { keys, onKeyGiven: (listener) => void listeners.push(listener) };
}

const KEY_ASKED = 'key-asked-';

function keyAskedNotice({ reference, place: { asker, origin }, enteredFor }: KeyRequest): Notice {
  const [, kind = '', name = ''] = /^(\w+):(.*)$/su.exec(reference) ?? [];
  return {
    id: `${KEY_ASKED}${digestJson([reference, asker, origin])}`,
    severity: 'warning',
    title: `“${asker}” asks for the ${kind === 'env' ? 'variable' : 'key'} “${name}”`,
    text: `You entered it for ${enteredFor}. “${asker}”${origin === null ? '' : `, at ${origin},`} doesn’t get it before you say so.`,
    details: null,
    dismissible: true,
    action: `Give it to “${asker}”`,
  };
}

type SettingsChannels =
  | 'settings.get'
  | 'settings.set'
  | 'settings.reset'
  | 'settings.chooseAsking'
  | 'settings.changeAsking'
  | 'settings.openFile'
  | 'secrets.set'
  | 'secrets.remove';

/** Null where it was saved. */
export const whyNot = (saved: SaveResult): string | null => (saved.ok ? null : saved.problem);

function attempted(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const wordsForShut = (warning: string | null): string =>
  `${warning ?? ''} The history is not signed meanwhile. Was Gatehouse started with another --password-store, or under another desktop?`;
