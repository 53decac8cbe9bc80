import { parseJson } from '#contract/vocabulary/json-text.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { SettingView } from '#contract/window/settings.js';

/** `max_tool_args_bytes` → “Max tool args bytes”. */
export function settingName(key: string): string {
  const last = key.slice(key.lastIndexOf('.') + 1).replaceAll('_', ' ');
  return last.charAt(0).toUpperCase() + last.slice(1);
}

const GROUP_NAMES: Readonly<Record<string, string>> = {
  tools: 'Tools',
  'tools.approval': 'Approval',
  'tools.sandbox': 'Files that tools may reach',
  'tools.timeouts': 'Time limits',
  'tools.output': 'Output',
  'tools.queue': 'Calls side by side',
  'tools.environment': 'Environment of commands',
  'tools.read_file': 'Reading files',
  'tools.list_directory': 'Listing folders',
  'tools.apply_patch': 'Applying patches',
  'tools.write_file': 'Writing files',
  'tools.run_command': 'Commands',
  model: 'Model',
  gateway: 'Gateway',
  journal: 'Journal',
  telemetry: 'Telemetry',
};

export const groupName = (group: string): string => GROUP_NAMES[group] ?? settingName(group);

/** How a value stands in its field. */
export function toText(setting: SettingView): string {
  const { value, type } = setting;
  if (type === 'list') return Array.isArray(value) ? value.map(String).join('\n') : '';
  if (type === 'table-list') return JSON.stringify(value, null, 2);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type Parsed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/** What a person typed, as a value; main checks it against the schema once more. */
export function fromText(setting: SettingView, text: string): Parsed {
  switch (setting.type) {
    case 'number':
      return parseNumber(text, setting.minimum);
    case 'list':
      return {
        ok: true,
        value: text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      };
    case 'table-list':
      return parseTables(text);
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'string':
    case 'choice':
      return { ok: true, value: text };
  }
}

function parseNumber(text: string, minimum: number | null): Parsed {
  const value = Number(text.replaceAll(/[\s_]/gu, ''));
  if (text.trim() === '' || !Number.isFinite(value)) return { ok: false, problem: 'This is a number.' };
  if (minimum !== null && value < minimum) return { ok: false, problem: `The least is ${minimum}.` };
  return { ok: true, value };
}

function parseTables(text: string): Parsed {
  const parsed = parseJson(text);
  if (!parsed.ok) return { ok: false, problem: `Not JSON yet: ${parsed.message}` };
  return Array.isArray(parsed.value) ? parsed : { ok: false, problem: 'This is a list: [ { … }, … ]' };
}

/** Every word must be found in the key or the description. */
export function matches(setting: SettingView, words: string): boolean {
  const text = `${setting.key} ${setting.description} ${groupName(setting.group)}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}
