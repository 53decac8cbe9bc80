import type { SettingView } from '#contract/window/settings.js';
import { holdsWords, SECTIONS, SETTING_WORDS, synonymsOf } from './setting-words.js';

/** Formats a list for its field. */
export const listText = ({ value }: SettingView): string => (Array.isArray(value) ? value.map(String).join('\n') : '');

export const textOf = ({ value }: SettingView): string => (typeof value === 'string' ? value : '');

export const listIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Every word must be found in its label, its section, its key, its description, or what people call it else. */
export function matches(setting: SettingView, words: string): boolean {
  const shown = SETTING_WORDS[setting.key];
  if (shown === null) return false;
  const { label, section } = shown;
  const synonyms = synonymsOf(section, setting.key);
  return holdsWords(`${label} ${SECTIONS[section]} ${setting.key} ${setting.description} ${synonyms}`, words);
}
