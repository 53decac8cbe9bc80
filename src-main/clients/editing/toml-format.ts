import { parse, stringify, TomlError } from 'smol-toml';
import { parse as parseForPatch, patch } from '@decimalturn/toml-patch';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import { type Step, valueAt, withEdits } from './edits.js';
import { BadText, type Format, plainTree } from './format.js';

const MAX_DEPTH = 64;
const read = (text: string): Json => plainTree(parse(text, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' }));

export const TOML_FORMAT: Format = {
  parse(text) {
    try {
      return text.trim() === '' ? null : read(text);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new BadText(error.line, error.message.split('\n', 1)[0] ?? error.message);
    }
  },
  change(text, step) {
    return withNewTable(text, step) ?? patched(text, step);
  },
};

/** Adds a table that is not there yet at the end: nothing else is touched. */
function withNewTable(text: string, { path, value }: Step): string | null {
  const standing = text.trim() === '' ? {} : read(text);
  const table = isJsonObject(value) ? path : path.slice(0, -1);
  if (value === undefined || table.length === 0 || valueAt(standing, table) !== undefined) return null;
  const nested = path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const added = stringify(nested);
  return `${text}${gap}${added.endsWith('\n') ? added : `${added}\n`}`;
}

function patched(text: string, { path, value }: Step): string {
  const tree = parseForPatch(text) as Json;
  const wanted = withEdits(tree, [value === undefined ? { kind: 'remove', path } : { kind: 'set', path, value }]);
  return patch(text, wanted);
}
