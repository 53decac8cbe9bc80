import type { SettingView } from '#contract/window/settings.js';
import { SECTIONS, SETTING_WORDS } from './setting-words.js';

/** How a list stands in its field. */
export const listText = ({ value }: SettingView): string => (Array.isArray(value) ? value.map(String).join('\n') : '');

export const textOf = ({ value }: SettingView): string => (typeof value === 'string' ? value : '');

export const listIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Every word must be found in its label, its section, its key or its description. */
export function matches(setting: SettingView, words: string): boolean {
  const shown = SETTING_WORDS[setting.key];
  if (shown === null) return false;
  const text = `${shown.label} ${SECTIONS[shown.section]} ${setting.key} ${setting.description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}
