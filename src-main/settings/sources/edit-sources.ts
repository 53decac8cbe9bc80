import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { ConfigStore, SettingsRefusal, SaveResult } from '../config-store.js';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract/vocabulary/json.js';
import { type EditResult, removeTableInText, resetInText, setInText, setTableInText } from '../edit-toml.js';
import { parsePersonTable } from '../person-file.js';
import { isTable, type Table, valueAt } from '../setting-keys.js';
import { findSourceProblem } from './source-problem.js';

export interface NamedSource {
  readonly name: string;
  readonly settings: SourceSettings;
}

interface RemovedSource {
  readonly ok: true;
  /** Puts the file back as it was, byte for byte; where it was changed meanwhile, the source alone. */
  readonly restore: () => Promise<SaveResult>;
}

type SourceFileStore = Pick<ConfigStore, 'save' | 'files'>;
const SOURCES = 'sources';
const buildSourceKey = (name: string): string => `${SOURCES}.${name}`;

/** Saves all sources or none; a source of the same name is replaced. */
export async function saveSources(store: SourceFileStore, sources: readonly NamedSource[]): Promise<SaveResult> {
  for (const { name, settings } of sources) {
    const wrong = findSourceProblem(name, { ...settings });
    if (wrong !== null) return { ok: false, problem: `The source “${toVisibleLine(name, 40)}”: ${wrong.reason}` };
  }
  return await store.save(async (text) => {
    let edited: EditResult = { ok: true, text };
    for (const { name, settings } of sources)
      if (edited.ok) edited = await setTableInText(edited.text, buildSourceKey(name), { ...settings });
    return edited;
  });
}

/**
 * Edits a source that is as the person saw it, line by line: unchanged settings keep their place and their comments.
 */
export async function editSource(
  store: SourceFileStore,
  edited: NamedSource & { readonly was: SourceSettings },
): Promise<SaveResult> {
  const { name, settings, was } = edited;
  const wrong = findSourceProblem(name, { ...settings });
  if (wrong !== null) return { ok: false, problem: `The source “${toVisibleLine(name, 40)}”: ${wrong.reason}` };
  return await store.save(async (text) => {
    const standing = valueAt(parsePersonTable(store.files.person, text), buildSourceKey(name));
    if (!isTable(standing)) return sourceGone(name);
    if (!isDeepStrictEqual(standing, { ...was }))
      return {
        ok: false,
        problem: 'Its settings were changed meanwhile. Close this, look at them, and edit them anew.',
      };
    let now: EditResult = { ok: true, text };
    for (const [key, value] of diffTables(standing, { ...settings }, buildSourceKey(name)))
      if (now.ok) now = value === undefined ? await resetInText(now.text, key) : await setInText(now.text, key, value);
    return now;
  });
}

/** Lists the values to set and, as undefined, those to remove. Tables change entry by entry. */
function diffTables(before: Table, after: Table, at: string): readonly (readonly [string, Json | undefined])[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [was, is] = [before[key], after[key]];
    if (isDeepStrictEqual(was, is)) return [];
    // A name with a dot would be read as two.
    const inside = isTable(was) && isTable(is) && [was, is].every((each) => Object.keys(each).every(isOneKey));
    return inside ? diffTables(was, is, `${at}.${key}`) : [[`${at}.${key}`, is] as const];
  });
}

const isOneKey = (key: string): boolean => /^[\w-]+$/u.test(key);

export const enableSource = (store: SourceFileStore, name: string, enabled: boolean): Promise<SaveResult> =>
  store.save(async (text) =>
    hasSource(store, text, name) ? await setInText(text, `${buildSourceKey(name)}.enabled`, enabled) : sourceGone(name),
  );

export async function removeSource(store: SourceFileStore, name: string): Promise<RemovedSource | SettingsRefusal> {
  let standing = { before: '', after: '' };
  let taken: Table | null = null;
  const removed = await store.save(async (text) => {
    const settings = valueAt(parsePersonTable(store.files.person, text), buildSourceKey(name));
    taken = isTable(settings) ? settings : null;
    const edited = await removeTableInText(text, buildSourceKey(name));
    if (edited.ok && edited.text === text) return sourceGone(name);
    if (edited.ok) standing = { before: text, after: edited.text };
    return edited;
  });
  if (!removed.ok) return removed;
  const restore = (): Promise<SaveResult> =>
    store.save(async (text) => {
      if (text === standing.after) return { ok: true, text: standing.before };
      // An entry that could not be taken for a source is put back whole or not at all.
      if (taken === null) return { ok: false, problem: 'Your settings were changed meanwhile. Add it by hand.' };
      return await setTableInText(text, buildSourceKey(name), taken);
    });
  return { ok: true, restore };
}

const hasSource = (store: SourceFileStore, text: string, name: string): boolean =>
  valueAt(parsePersonTable(store.files.person, text), buildSourceKey(name)) !== undefined;

const sourceGone = (name: string): SettingsRefusal => ({
  ok: false,
  problem: `There is no source “${toVisibleLine(name, 40)}” in your settings.`,
});
