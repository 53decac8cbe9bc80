import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import type { Json } from '#contract/vocabulary/json.js';
import { MAX_DEPTH, plain } from './parse.js';
import { isTable, type Table, valueAt, withoutValue, withValue } from './setting-keys.js';

export type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/**
 * Changes one setting in a person's file and leaves everything else, their comments and unknown keys too, as it stands.
 * What comes out is read again: if it does not say exactly the old with the one change, it is not written.
 */
export async function setInText(text: string, key: string, value: Json): Promise<Edited> {
  return await edit(text, (table) => withValue(table, key, value), newTable(text, key, value));
}

export async function resetInText(text: string, key: string): Promise<Edited> {
  return await edit(text, (table) => withoutValue(table, key), null);
}

/** Adds one `[[key]]` entry at the end of that list. */
export async function appendInText(text: string, key: string, entry: Table): Promise<Edited> {
  const added = (table: Table) =>
    withValue(table, key, [...((valueAt(table, key) as Json[] | undefined) ?? []), entry]);
  return await edit(text, added, ending(text) + stringify(nest(key, [entry])));
}

async function edit(text: string, change: (table: Table) => Table, appended: string | null): Promise<Edited> {
  try {
    const before = read(text);
    const wanted = change(before);
    if (isDeepStrictEqual(before, wanted)) return { ok: true, text };
    // At the end of the file nothing that stands there is touched; where TOML does not allow that, the patcher finds the place.
    if (appended !== null) {
      const longer = text + appended;
      if (saysExactly(longer, wanted)) return { ok: true, text: longer };
    }
    const patcher = await import('@decimalturn/toml-patch');
    const patched = patcher.patch(text, change(patcher.parse(text) as Table));
    if (saysExactly(patched, wanted) && keepsComments(text, patched)) return { ok: true, text: patched };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error) };
  }
  return {
    ok: false,
    problem: 'This could not be changed without touching something else. Change it in the file itself.',
  };
}

const read = (text: string): Table => plain(parse(text, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' })) as Table;

function saysExactly(text: string, wanted: Table): boolean {
  try {
    return isDeepStrictEqual(read(text), plain(wanted));
  } catch {
    return false;
  }
}

/** Whole-line comments; one inside a list that is replaced goes with the list. */
function keepsComments(before: string, after: string): boolean {
  const kept = new Set(comments(after));
  return comments(before, true).every((comment) => kept.has(comment));
}

function comments(text: string, outsideLists = false): readonly string[] {
  const found: string[] = [];
  let open = 0;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('#')) {
      if (!outsideLists || open === 0) found.push(trimmed);
      continue;
    }
    const code = trimmed.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '').replace(/#.*$/, '');
    if (!code.startsWith('[')) open += (code.match(/\[/g)?.length ?? 0) - (code.match(/\]/g)?.length ?? 0);
    else if (open > 0) open += (code.match(/\[/g)?.length ?? 0) - (code.match(/\]/g)?.length ?? 0);
  }
  return found;
}

/** A table that is not there yet, to stand at the end of the file. Null where it is there: its own place is better. */
function newTable(text: string, key: string, value: Json): string | null {
  const parent = key.slice(0, key.lastIndexOf('.'));
  try {
    const standing = valueAt(read(text), parent);
    if (isTable(standing)) return null;
  } catch {
    return null;
  }
  return ending(text) + stringify(nest(key, value));
}

const ending = (text: string): string => (text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n');

function nest(key: string, value: Json): Record<string, unknown> {
  return key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Record<string, unknown>;
}
