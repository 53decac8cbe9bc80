import type { AskingPreset } from '../vocabulary/conversation/asking-preset.js';
import type { SettingKey } from '../vocabulary/config.js';
import type { Json } from '../vocabulary/json.js';

export interface SettingView {
  readonly key: SettingKey;
  readonly description: string;
  readonly type: 'string' | 'number' | 'boolean' | 'choice' | 'list' | 'table-list';
  readonly choices: readonly string[] | null;
  readonly minimum: number | null;
  /** The minimum itself is too little. */
  readonly isMore: boolean;
  readonly maximum: number | null;
  readonly value: Json;
  readonly defaultValue: Json;
  readonly source: 'default' | 'person' | 'workspace';
}

export interface SettingsView {
  readonly file: string;
  readonly workspaceFile: string | null;
  readonly problem: { readonly file: string; readonly line: number | null; readonly reason: string } | null;
  readonly settings: readonly SettingView[];
  /** The preset for asking that they amount to. */
  readonly asking: AskingPreset | 'own';
  readonly secrets: { readonly available: boolean; readonly warning: string | null; readonly names: readonly string[] };
}
