import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import type { Json } from '#contract/vocabulary/json.js';
import { MAX_DEPTH, toJson } from './parse.js';
import { isTable, type Table, valueAt, withoutValue, withValue } from './setting-keys.js';

export type EditResult =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/**
 * Changes one setting in a person's file and leaves everything else, their comments and unknown keys too, as it is. The
 * result is read again: if it does not say exactly the old with the one change, it is not written.
 */
export async function setInText(text: string, key: string, value: Json): Promise<EditResult> {
  return await editTable(text, (table) => withValue(table, key, value), appendTable(text, key, value));
}

export async function resetInText(text: string, key: string): Promise<EditResult> {
  return await editTable(text, (table) => withoutValue(table, key), null);
}

/** Adds one `[[key]]` entry at the end of that list. */
export async function appendInText(text: string, key: string, entry: Table): Promise<EditResult> {
  const added = (table: Table) =>
    withValue(table, key, [...((valueAt(table, key) as Json[] | undefined) ?? []), entry]);
  return await editTable(text, added, text + separatorAfter(text) + stringify(buildNested(key, [entry])));
}

/**
 * Sets the table of the person's own name at `key`, whole: where there is one its lines go, and it comes at the end.
 */
export async function setTableInText(text: string, key: string, value: Table): Promise<EditResult> {
  const without = cutTable(text, key);
  return await editTable(
    text,
    (table) => withValue(table, key, value),
    without + separatorAfter(without) + stringify(buildNested(key, value)),
  );
}

/** Removes a table. Its own lines go; every comment that has a line of its own stays. */
export async function removeTableInText(text: string, key: string): Promise<EditResult> {
  const candidate = cutTable(text, key);
  const parent = key.slice(0, key.lastIndexOf('.'));
  const hollow = parent !== '' && canParse(candidate) && valueAt(parseTable(candidate), parent) === undefined;
  return await editTable(text, (table) => (hollow ? [key, parent] : [key]).reduce(withoutValue, table), candidate);
}

function cutTable(text: string, key: string): string {
  let goes = false;
  const lines = text.split('\n');
  const kept = lines.filter((line, at) => {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/u.exec(line.trimEnd());
    if (header !== null) {
      const named = (header[1] ?? '').replaceAll(/\s*\.\s*/gu, '.').replaceAll(/["']/gu, '');
      goes = named === key || named.startsWith(`${key}.`);
    }
    return !goes || line.trimStart().startsWith('#') || (at === lines.length - 1 && line === '');
  });
  return kept.join('\n');
}

function canParse(text: string): boolean {
  try {
    parseTable(text);
    return true;
  } catch {
    return false;
  }
}

/** Takes entries out of the list `key`, by their places. Their own lines go; every comment that has a line of its own stays. */
export async function removeInText(text: string, key: string, places: ReadonlySet<number>): Promise<EditResult> {
  const candidate = cutEntries(text, key, places);
  const left = (table: Table) => {
    const entries = ((valueAt(table, key) as Json[] | undefined) ?? []).filter((_entry, at) => !places.has(at));
    if (entries.length > 0) return withValue(table, key, entries);
    // Tables that stood there for its sake alone go with its last entry.
    const parents = key.split('.').map((_part, at, parts) => parts.slice(0, -1 - at).join('.'));
    const hollow = parents.filter((parent) => parent !== '' && valueAt(parseTable(candidate), parent) === undefined);
    return [key, ...hollow].reduce(withoutValue, table);
  };
  return await editTable(text, left, candidate);
}

function cutEntries(text: string, key: string, places: ReadonlySet<number>): string {
  let place = -1;
  let goes = false;
  const lines = text.split('\n');
  const kept = lines.filter((line, at) => {
    const header = /^\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?$/u.exec(line.trimEnd());
    if (header !== null) {
      const isEntry = header[1] === '[[' && header[2] === key;
      if (isEntry) place += 1;
      goes = isEntry && places.has(place);
    }
    // Text after the last line break is no line.
    return !goes || line.trimStart().startsWith('#') || (at === lines.length - 1 && line === '');
  });
  return kept.join('\n');
}

async function editTable(text: string, change: (table: Table) => Table, candidate: string | null): Promise<EditResult> {
  try {
    const before = parseTable(text);
    const wanted = change(before);
    if (isDeepStrictEqual(before, wanted)) return { ok: true, text };
    // Whole lines more or less touch nothing else that stands there; where TOML does not allow that, the patcher finds the place.
    if (candidate !== null && matchesTable(candidate, wanted)) return { ok: true, text: candidate };
    const patcher = await import('@decimalturn/toml-patch');
    const patched = patcher.patch(text, change(patcher.parse(text) as Table));
    if (matchesTable(patched, wanted) && keepsComments(text, patched)) return { ok: true, text: patched };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error) };
  }
  return {
    ok: false,
    problem: 'This can’t be changed without changing something else. Edit the file instead.',
  };
}

const parseTable = (text: string): Table =>
  toJson(parse(text, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' })) as Table;

function matchesTable(text: string, wanted: Table): boolean {
  try {
    return isDeepStrictEqual(parseTable(text), toJson(wanted));
  } catch {
    return false;
  }
}

/** Whether whole-line comments are kept; one inside a list that is replaced goes with the list. */
function keepsComments(before: string, after: string): boolean {
  const kept = new Set(listComments(after));
  return listComments(before, true).every((comment) => kept.has(comment));
}

function listComments(text: string, outsideLists = false): readonly string[] {
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

/** Adds a table that is not there yet at the end of the file. Null where it is there: its own place is better. */
function appendTable(text: string, key: string, value: Json): string | null {
  const parent = key.slice(0, key.lastIndexOf('.'));
  try {
    const standing = valueAt(parseTable(text), parent);
    if (isTable(standing)) return null;
  } catch {
    return null;
  }
  return text + separatorAfter(text) + stringify(buildNested(key, value));
}

const separatorAfter = (text: string): string => (text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n');

function buildNested(key: string, value: Json): Record<string, unknown> {
  return key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) as Record<string, unknown>;
}
