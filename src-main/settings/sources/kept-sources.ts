import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { ConfigStore, Refused, Saved } from '../config-store.js';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#contract/vocabulary/json.js';
import { type Edited, removeTableInText, resetInText, setInText, setTableInText } from '../edit.js';
import { parsedTable } from '../person-file.js';
import { isTable, type Table, valueAt } from '../setting-keys.js';
import { wrongSource } from './wrong-source.js';

export interface NamedSource {
  readonly name: string;
  readonly settings: SourceSettings;
}

interface Removed {
  readonly ok: true;
  /** Puts the file back as it was, byte for byte; where it was changed meanwhile, the source alone. */
  readonly restore: () => Promise<Saved>;
}

type Store = Pick<ConfigStore, 'save' | 'files'>;
const SOURCES = 'sources';
const keyOf = (name: string): string => `${SOURCES}.${name}`;

/** Saves all sources or none; a source of the same name is replaced. */
export async function saveSources(store: Store, sources: readonly NamedSource[]): Promise<Saved> {
  for (const { name, settings } of sources) {
    const wrong = wrongSource(name, { ...settings });
    if (wrong !== null) return { ok: false, problem: `The source “${toVisibleLine(name, 40)}”: ${wrong.reason}` };
  }
  return await store.save(async (text) => {
    let edited: Edited = { ok: true, text };
    for (const { name, settings } of sources)
      if (edited.ok) edited = await setTableInText(edited.text, keyOf(name), { ...settings });
    return edited;
  });
}

/**
 * Edits a source that is as the person saw it, line by line: unchanged settings keep their place and their comments.
 */
export async function editSource(store: Store, edited: NamedSource & { readonly was: SourceSettings }): Promise<Saved> {
  const { name, settings, was } = edited;
  const wrong = wrongSource(name, { ...settings });
  if (wrong !== null) return { ok: false, problem: `The source “${toVisibleLine(name, 40)}”: ${wrong.reason}` };
  return await store.save(async (text) => {
    const standing = valueAt(parsedTable(store.files.person, text), keyOf(name));
    if (!isTable(standing)) return gone(name);
    if (!isDeepStrictEqual(standing, { ...was }))
      return {
        ok: false,
        problem: 'Its settings were changed meanwhile. Close this, look at them, and edit them anew.',
      };
    let now: Edited = { ok: true, text };
    for (const [key, value] of changesBetween(standing, { ...settings }, keyOf(name)))
      if (now.ok) now = value === undefined ? await resetInText(now.text, key) : await setInText(now.text, key, value);
    return now;
  });
}

/** Lists the values to set and, as undefined, those to remove. Tables change entry by entry. */
function changesBetween(before: Table, after: Table, at: string): readonly (readonly [string, Json | undefined])[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [was, is] = [before[key], after[key]];
    if (isDeepStrictEqual(was, is)) return [];
    // A name with a dot would be read as two.
    const inside = isTable(was) && isTable(is) && [was, is].every((each) => Object.keys(each).every(isOneKey));
    return inside ? changesBetween(was, is, `${at}.${key}`) : [[`${at}.${key}`, is] as const];
  });
}

const isOneKey = (key: string): boolean => /^[\w-]+$/u.test(key);

export const enableSource = (store: Store, name: string, enabled: boolean): Promise<Saved> =>
  store.save(async (text) =>
    isThere(store, text, name) ? await setInText(text, `${keyOf(name)}.enabled`, enabled) : gone(name),
  );

export async function removeSource(store: Store, name: string): Promise<Removed | Refused> {
  let standing = { before: '', after: '' };
  let taken: Table | null = null;
  const removed = await store.save(async (text) => {
    const settings = valueAt(parsedTable(store.files.person, text), keyOf(name));
    taken = isTable(settings) ? settings : null;
    const edited = await removeTableInText(text, keyOf(name));
    if (edited.ok && edited.text === text) return gone(name);
    if (edited.ok) standing = { before: text, after: edited.text };
    return edited;
  });
  if (!removed.ok) return removed;
  const restore = (): Promise<Saved> =>
    store.save(async (text) => {
      if (text === standing.after) return { ok: true, text: standing.before };
      // One that could not be taken for a source is put back whole or not at all.
      if (taken === null) return { ok: false, problem: 'Your settings were changed meanwhile. Add it by hand.' };
      return await setTableInText(text, keyOf(name), taken);
    });
  return { ok: true, restore };
}

const isThere = (store: Store, text: string, name: string): boolean =>
  valueAt(parsedTable(store.files.person, text), keyOf(name)) !== undefined;

const gone = (name: string): Refused => ({
  ok: false,
  problem: `There is no source “${toVisibleLine(name, 40)}” in your settings.`,
});
