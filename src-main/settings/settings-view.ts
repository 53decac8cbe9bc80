import type { Json } from '#contract/vocabulary/json.js';
import type { SettingsView, SettingView } from '#contract/window/settings.js';
import type { ConfigStore } from './config-store.js';
import { type LeafSchema, type SettingKey, SETTINGS, valueAt } from './setting-keys.js';

/** The Settings page's matter: every setting, what it is now and where that comes from. */
export function settingsView(store: ConfigStore, secrets: SettingsView['secrets']): SettingsView {
  const { layered, defaults, files, problem } = store;
  return {
    file: files.person,
    workspaceFile: files.workspace,
    problem,
    settings: [...SETTINGS].map(([key, schema]) =>
      settingView(key, schema, {
        value: valueAt(layered.config as never, key) as Json,
        defaultValue: valueAt(defaults, key) as Json,
        source: layered.sources.get(key) ?? 'default',
      }),
    ),
    secrets,
  };
}

function settingView(
  key: SettingKey,
  schema: LeafSchema,
  state: Pick<SettingView, 'value' | 'defaultValue' | 'source'>,
): SettingView {
  return {
    key,
    group: key.slice(0, key.lastIndexOf('.')),
    description: schema.description ?? '',
    type: kindOf(schema),
    choices: schema.enum ?? null,
    minimum: schema.minimum ?? schema.exclusiveMinimum ?? null,
    ...state,
  };
}

const KINDS: Readonly<Record<string, SettingView['type']>> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
};

function kindOf({ enum: choices, type = 'string', items }: LeafSchema): SettingView['type'] {
  if (choices !== undefined) return 'choice';
  if (type === 'array') return items?.type === 'object' ? 'table-list' : 'list';
  return KINDS[type] ?? 'string';
}
