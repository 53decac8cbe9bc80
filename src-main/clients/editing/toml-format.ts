import { parse, stringify, TomlError } from 'smol-toml';
import { parse as parseForPatch, patch } from '@decimalturn/toml-patch';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { type TextChange, valueAt, applyEdits } from './edits.js';
import { SettingsSyntaxError, type SettingsFormat, toPlainTree } from './format.js';

const MAX_DEPTH = 64;
const parseToml = (text: string): Json =>
  toPlainTree(parse(text, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' }));

export const TOML_FORMAT: SettingsFormat = {
  parse(text) {
    try {
      return text.trim() === '' ? null : parseToml(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new SettingsSyntaxError(error.line, error.message.split('\n', 1)[0] ?? error.message);
    }
  },
  change(text, step) {
    return appendTable(text, step) ?? patchText(text, step);
  },
};

/** Adds a table that is not there yet at the end: nothing else is touched. */
function appendTable(text: string, { path, value }: TextChange): string | null {
  const standing = text.trim() === '' ? {} : parseToml(text);
  const table = isJsonObject(value) ? path : path.slice(0, -1);
  if (value === undefined || table.length === 0 || valueAt(standing, table) !== undefined) return null;
  const nested = path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const added = stringify(nested);
  return `${text}${gap}${added.endsWith('\n') ? added : `${added}\n`}`;
}

function patchText(text: string, { path, value }: TextChange): string {
  const tree = parseForPatch(text) as Json;
  const wanted = applyEdits(tree, [value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value }]);
  return patch(text, wanted);
}
