import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { type SettingsEdit, diffTrees, applyEdits } from './edits.js';
import { SettingsSyntaxError, type SettingsFormat } from './format.js';
import { JSON_FORMAT } from './json-format.js';
import { TOML_FORMAT } from './toml-format.js';
import { YAML_FORMAT } from './yaml-format.js';

export type FormatName = 'json' | 'toml' | 'yaml';
export type ParsedText = { readonly ok: true; readonly tree: Json } | { readonly ok: false; readonly problem: string };
export type EditedText =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

const FORMATS: Readonly<Record<FormatName, SettingsFormat>> = {
  json: JSON_FORMAT,
  toml: TOML_FORMAT,
  yaml: YAML_FORMAT,
};
const TITLES: Readonly<Record<FormatName, string>> = { json: 'JSON', toml: 'TOML', yaml: 'YAML' };
const BOM = '\uFEFF';

/** Parses a file; an empty one says `{}`. */
export function parseText(name: FormatName, text: string): ParsedText {
  try {
    const tree = FORMATS[name].parse(stripBom(text)) ?? {};
    if (isJsonObject(tree)) return { ok: true, tree };
    return { ok: false, problem: `It isn’t settings: ${TITLES[name]} with a table was expected.` };
  } catch (error) {
    return { ok: false, problem: describeProblem(name, error) };
  }
}

/**
 * Makes the edits in the text, and leaves everything else as it is. The result is read again: if it does not say
 * exactly the old with these edits, it is not used.
 */
export function editText(name: FormatName, text: string, edits: readonly SettingsEdit[]): EditedText {
  const read = parseText(name, text);
  if (!read.ok) return read;
  try {
    const wanted = applyEdits(read.tree, edits);
    if (isDeepStrictEqual(read.tree, wanted)) return { ok: true, text };
    if (!isJsonObject(read.tree) || !isJsonObject(wanted)) throw new Error('it is no table');
    const format = FORMATS[name];
    let changed = stripBom(text);
    for (const step of diffTrees(read.tree, wanted)) changed = format.change(changed, step);
    if (isDeepStrictEqual(format.parse(changed) ?? {}, wanted))
      return { ok: true, text: (text.startsWith(BOM) ? BOM : '') + changed };
  } catch (error) {
    return { ok: false, problem: describeProblem(name, error) };
  }
  return {
    ok: false,
    problem: 'It can’t be changed without touching something else in it. Change it by hand.',
  };
}

const stripBom = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);

function describeProblem(name: FormatName, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof SettingsSyntaxError)
    return `It isn’t valid ${TITLES[name]}${error.line === null ? '' : ` (line ${error.line})`}: ${why}.`;
  return `It can’t be changed: ${why}.`;
}
