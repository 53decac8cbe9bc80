import type { SettingView } from '#contract/window/settings.js';
import { matchesWords, SECTIONS, SETTING_LABELS, findSynonyms } from './setting-labels.js';

/** Formats a list for its field. */
export const formatList = ({ value }: SettingView): string =>
  Array.isArray(value) ? value.map(String).join('\n') : '';

export const readSettingText = ({ value }: SettingView): string => (typeof value === 'string' ? value : '');

export const parseList = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Every word must be found in its label, its section, its key, its description, or what people call it else. */
export function matches(setting: SettingView, words: string): boolean {
  const shown = SETTING_LABELS[setting.key];
  if (shown === null) return false;
  const { label, section } = shown;
  const synonyms = findSynonyms(section, setting.key);
  return matchesWords(`${label} ${SECTIONS[section]} ${setting.key} ${setting.description} ${synonyms}`, words);
}
