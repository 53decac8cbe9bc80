import type { SettingsView, SettingView } from '#contract/window/settings.js';
import { detectAsking } from './asking.js';
import type { ConfigStore } from './config-store.js';
import type { SettingKey } from '#contract/vocabulary/config.js';
import { type LeafSchema, SETTINGS, valueAt } from './setting-keys.js';

/** The content of the Settings page: every setting, its value now and where that comes from. */
export function buildSettingsView(store: ConfigStore, secrets: SettingsView['secrets']): SettingsView {
  const { here, defaults, files, problem } = store;
  return {
    file: files.person,
    workspaceFile: files.workspace,
    problem,
    settings: [...SETTINGS].map(([key, schema]) =>
      buildSettingView(key, schema, {
        value: valueAt(here.config as never, key) ?? null,
        defaultValue: valueAt(defaults, key) ?? null,
        source: here.sources.get(key) ?? 'default',
      }),
    ),
    asking: detectAsking(here.config.tools),
    secrets,
  };
}

function buildSettingView(
  key: SettingKey,
  schema: LeafSchema,
  state: Pick<SettingView, 'value' | 'defaultValue' | 'source'>,
): SettingView {
  return {
    key,
    description: schema.description ?? '',
    type: detectKind(schema),
    choices: schema.enum ?? null,
    minimum: schema.minimum ?? schema.exclusiveMinimum ?? null,
    isMore: schema.exclusiveMinimum !== undefined,
    maximum: schema.maximum ?? null,
    ...state,
  };
}

const KINDS: Readonly<Record<string, SettingView['type']>> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
};

function detectKind({ enum: choices, type = 'string', items }: LeafSchema): SettingView['type'] {
  if (choices !== undefined) return 'choice';
  if (type === 'array') return items?.type === 'object' ? 'table-list' : 'list';
  return KINDS[type] ?? 'string';
}
